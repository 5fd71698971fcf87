// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"time"

	"github.com/kplan-go/kplan/internal/verify/random"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReplicationController draws a case like [ReplicaSet], of ReplicationControllers: their selectors
// are maps, nil, empty or the labels of a ReplicaSet's selector, 5 % have no template, and none
// reports terminating pods. 4 % of the pods that would be a ReplicaSet's still are.
func ReplicationController(t random.Source, now time.Time) *ReplicaSetCase {
	c := ReplicaSet(t, now)
	c.Controllers = true
	old := func(rs *appsv1.ReplicaSet) {
		rs.Status.TerminatingReplicas = nil
		if s := rs.Spec.Selector; s != nil {
			rs.Spec.Selector = &metav1.LabelSelector{MatchLabels: s.MatchLabels}
		}
	}
	old(c.ReplicaSet)
	for _, rs := range c.Siblings {
		old(rs)
	}
	if random.Percent(t, "no template", 5) {
		c.ReplicaSet.Spec.Template = corev1.PodTemplateSpec{}
	}
	for _, p := range c.Pods {
		for i := range p.OwnerReferences {
			if o := &p.OwnerReferences[i]; o.Kind == "ReplicaSet" && !random.Percent(t, "still of a ReplicaSet", 4) {
				o.APIVersion, o.Kind = "v1", "ReplicationController"
			}
		}
	}
	return c
}

// Kind is the kind of the objects of the case.
func (c *ReplicaSetCase) Kind() string {
	if c.Controllers {
		return "ReplicationController"
	}
	return "ReplicaSet"
}

// AsController returns rs in the form of a ReplicationController. A template without containers
// becomes nil.
func AsController(rs *appsv1.ReplicaSet) *corev1.ReplicationController {
	rc := &corev1.ReplicationController{
		ObjectMeta: rs.ObjectMeta,
		Spec:       corev1.ReplicationControllerSpec{Replicas: rs.Spec.Replicas, MinReadySeconds: rs.Spec.MinReadySeconds},
		Status: corev1.ReplicationControllerStatus{
			Replicas: rs.Status.Replicas, FullyLabeledReplicas: rs.Status.FullyLabeledReplicas,
			ReadyReplicas: rs.Status.ReadyReplicas, AvailableReplicas: rs.Status.AvailableReplicas,
			ObservedGeneration: rs.Status.ObservedGeneration,
		},
	}
	if s := rs.Spec.Selector; s != nil {
		rc.Spec.Selector = map[string]string{}
		for k, v := range s.MatchLabels {
			rc.Spec.Selector[k] = v
		}
	}
	if len(rs.Spec.Template.Spec.Containers) > 0 {
		rc.Spec.Template = &rs.Spec.Template
	}
	for _, c := range rs.Status.Conditions {
		rc.Status.Conditions = append(rc.Status.Conditions, corev1.ReplicationControllerCondition{
			Type: corev1.ReplicationControllerConditionType(c.Type), Status: c.Status,
			LastTransitionTime: c.LastTransitionTime, Reason: c.Reason, Message: c.Message,
		})
	}
	return rc
}
