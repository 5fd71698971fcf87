// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/argo"
)

// Requests returns the writes of an action of a plan for o. [argo.SetWeight], [argo.SetRoute]
// and [argo.RemoveRoute] have none: their calls depend on the router. An eviction is created
// as the subresource of its pod; if a disruption budget refuses it, the API server answers
// with 429, and the next plan tries again.
func Requests(o *RolloutObject, a argo.Action) ([]kube.Request, error) {
	o = convert.Or(o)
	set := func(name string) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{
			TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
			ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: name},
		}
	}
	switch a := a.(type) {
	case argo.CreateReplicaSet:
		return []kube.Request{{Verb: kube.VerbCreate, Object: NewReplicaSet(o, a)}}, nil
	case argo.ScaleReplicaSet:
		desired := strconv.Itoa(int(a.Desired))
		return patching(set(a.Name), map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{AnnotationDesiredReplicas: desired}}, "spec": map[string]any{"replicas": a.To},
		})
	case argo.DelayReplicaSet:
		var until any // null removes it
		if !a.Until.IsZero() {
			until = a.Until.UTC().Format(time.RFC3339)
		}
		return patching(set(a.Name), map[string]any{"metadata": map[string]any{"annotations": map[string]any{AnnotationScaleDownDeadline: until}}})
	case argo.SelectPods:
		service := &corev1.Service{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: a.Service},
		}
		return patching(service, map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{AnnotationManagedBy: o.Name}}, "spec": map[string]any{"selector": map[string]any{a.Key: a.Value}},
		})
	case argo.EvictPod:
		return []kube.Request{{Verb: kube.VerbCreate, Subresource: "eviction", Object: &policyv1.Eviction{
			TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "Eviction"},
			ObjectMeta: metav1.ObjectMeta{Namespace: o.Namespace, Name: a.Name},
		}}}, nil
	case argo.SetWeight, argo.SetRoute, argo.RemoveRoute:
		return nil, nil
	}
	return nil, fmt.Errorf("unknown action %T", a)
}

func patching(o kube.Object, body map[string]any) ([]kube.Request, error) {
	data, err := json.Marshal(body)
	return []kube.Request{{Verb: kube.VerbPatch, Object: o, Patch: kube.Patch{Type: types.MergePatchType, Data: data}}}, err
}

// NewReplicaSet returns the ReplicaSet that a creates, with the template of o.
func NewReplicaSet(o *RolloutObject, a argo.CreateReplicaSet) *appsv1.ReplicaSet {
	o = convert.Or(o)
	template := *o.Spec.Template.DeepCopy()
	template.Labels = convert.With(template.Labels, map[string]string{argo.HashLabel: a.Hash})
	selector := &metav1.LabelSelector{}
	if o.Spec.Selector != nil {
		selector = o.Spec.Selector.DeepCopy()
	}
	selector.MatchLabels = convert.With(selector.MatchLabels, map[string]string{argo.HashLabel: a.Hash})
	gvk := schema.FromAPIVersionAndKind(V1alpha1, "Rollout")
	return &appsv1.ReplicaSet{
		TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "ReplicaSet"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: o.Namespace, Name: a.Name, Labels: maps.Clone(template.Labels), OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(o, gvk)},
			Annotations: map[string]string{AnnotationRevision: strconv.FormatInt(a.Revision, 10), AnnotationDesiredReplicas: strconv.Itoa(int(a.Desired))},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To(a.Replicas), MinReadySeconds: o.Spec.MinReadySeconds, Selector: selector, Template: template},
	}
}
