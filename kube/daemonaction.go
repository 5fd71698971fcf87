// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/revision"
)

// NewDaemonPod returns the pod that a creates, from the template of ds. It has the
// tolerations of daemonset.DefaultTolerations. A required node affinity in place of the
// template's own pins it to its node, unless a binds it directly. The API server
// completes its name. It shares nothing with ds.
//
// If a names a revision, as with the policy PartitionCreatesOld, pass the result of
// [RestoredDaemonSet].
//
// It mirrors CreatePodTemplate and ReplaceDaemonSetPodNodeNameNodeAffinity of the
// daemon util package of Kubernetes.
func NewDaemonPod(ds *appsv1.DaemonSet, a daemonset.CreatePod) *corev1.Pod {
	ds = convert.Or(ds)
	template := &ds.Spec.Template
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName:    namePrefix(ds.Name),
			Namespace:       ds.Namespace,
			Labels:          daemonLabels(template.Labels, a),
			Annotations:     maps.Clone(template.Annotations),
			Finalizers:      slices.Clone(template.Finalizers),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(ds, appsv1.SchemeGroupVersion.WithKind(daemonset.Kind))},
		},
		Spec: *template.Spec.DeepCopy(),
	}
	pod.Spec.Tolerations = ToTolerations(daemonset.Tolerations(
		&daemonset.Template{Tolerations: Tolerations(template.Spec.Tolerations), HostNetwork: template.Spec.HostNetwork},
		daemonset.Options{KeepUserTolerations: a.KeepTolerations},
	))
	if a.Gate {
		pod.Spec.ReadinessGates = append(pod.Spec.ReadinessGates, corev1.PodReadinessGate{ConditionType: inplace.Gate})
	}
	if a.Bind {
		pod.Spec.NodeName = a.Node
	} else {
		pod.Spec.Affinity = pinned(pod.Spec.Affinity, a.Node)
	}
	return pod
}

// daemonPod returns the pod that a creates, from the revision that it names.
func daemonPod(ds *appsv1.DaemonSet, r *appsv1.ControllerRevision, a daemonset.CreatePod) (*corev1.Pod, error) {
	if a.Revision != "" {
		if r == nil {
			return nil, absent("revisions", a.Revision, "makes a pod of it")
		}
		var err error
		if ds, err = RestoredDaemonSet(ds, r); err != nil {
			return nil, err
		}
	}
	return NewDaemonPod(ds, a), nil
}

// namePrefix returns the prefix of the names of an owner's pods: its name and a dash,
// or the name alone if a pod name with the dash would be invalid.
//
// It mirrors getPodsPrefix of the controller package of Kubernetes.
func namePrefix(owner string) string {
	if prefix := owner + "-"; len(validation.NameIsDNSSubdomain(prefix, true)) == 0 {
		return prefix
	}
	return owner
}

func daemonLabels(labels map[string]string, a daemonset.CreatePod) map[string]string {
	set := make(map[string]string, 2)
	if a.Generation != "" {
		set[daemonset.LabelGeneration] = a.Generation
	}
	if a.Hash != "" {
		set[daemonset.LabelHash] = a.Hash
	}
	return convert.With(maps.Clone(labels), set)
}

// pinned changes a: it sets the required node affinity to one node.
func pinned(a *corev1.Affinity, node string) *corev1.Affinity {
	a = convert.Or(a)
	if a.NodeAffinity == nil {
		a.NodeAffinity = &corev1.NodeAffinity{}
	}
	a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = ToNodeSelector(daemonset.Pin(node))
	return a
}

// NewDaemonSetRevision returns the revision that a creates for ds. It shares nothing
// with ds and a.
func NewDaemonSetRevision(ds *appsv1.DaemonSet, a daemonset.CreateRevision) *appsv1.ControllerRevision {
	ds = convert.Or(ds)
	return NewControllerRevision(ds.Namespace, revision.ControllerRevision{
		Name: a.Name, Labels: a.Labels, Annotations: a.Annotations, Data: a.Data, Revision: a.Revision,
		ControllerKind: daemonset.Kind, ControllerName: ds.Name, ControllerUID: string(ds.UID),
	})
}

// updatedRevision returns a copy of r with the hash and the number that a sets. The
// copy keeps its resource version, so that an update fails if r has changed since.
func updatedRevision(r *appsv1.ControllerRevision, a daemonset.UpdateRevision) *appsv1.ControllerRevision {
	updated := r.DeepCopy()
	updated.Revision = a.To
	if a.Hash != "" {
		updated.Labels = convert.With(updated.Labels, map[string]string{daemonset.LabelHash: a.Hash})
	}
	return updated
}

// RestoredDaemonSet returns a copy of ds with the template that r stores. The error
// wraps [kplan.ErrInvalid] and is about data without a template.
func RestoredDaemonSet(ds *appsv1.DaemonSet, r *appsv1.ControllerRevision) (*appsv1.DaemonSet, error) {
	var stored struct {
		Spec struct {
			Template *corev1.PodTemplateSpec `json:"template"`
		} `json:"spec"`
	}
	var data []byte
	if r != nil {
		data = r.Data.Raw
	}
	err := json.Unmarshal(data, &stored)
	if err != nil || stored.Spec.Template == nil {
		return nil, &kplan.FieldError{Path: "data", Value: string(data), Detail: "must hold a template", Err: err}
	}
	restored := convert.Or(ds).DeepCopy()
	restored.Spec.Template = *stored.Spec.Template
	return restored, nil
}
