// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
)

// An Around holds the other objects of a cluster that affect a workload.
type Around struct {
	Nodes  []*corev1.Node
	Pods   []*corev1.Pod // of all workloads
	Limits []kube.Object // quotas, limit ranges, claims and disruption budgets of the namespace
}

// The surroundings of a workload are the objects of the input that affect all workloads.
type surroundings struct {
	Nodes  []*corev1.Node // of the input, and made ones
	given  []*corev1.Node // of the input
	pods   []*corev1.Pod  // of all namespaces, including pods of an earlier source
	limits *limitObjects
}

// Around returns the other objects in a namespace that affect the workload.
func (s *surroundings) Around(namespace string) Around {
	return Around{s.Nodes, s.pods, s.limits.in(namespace)}
}

// HasNodes reports whether the input has nodes.
func (s *surroundings) HasNodes() bool { return len(s.given) > 0 }

// limitObjects are the objects that limit workloads.
type limitObjects struct {
	quotas      []source[corev1.ResourceQuota]
	budgets     []source[policyv1.PodDisruptionBudget]
	autoscalers []source[autoscalingv2.HorizontalPodAutoscaler]
	ranges      []source[corev1.LimitRange]
	claims      []source[corev1.PersistentVolumeClaim]
	sizeless    map[string]bool // workloads without spec.replicas, by kind and key
}

// beside adds the objects of another source. Objects of this source win over others of the same
// name.
func (o *limitObjects) beside(other *limitObjects) {
	o.quotas, o.budgets = joined(o.quotas, other.quotas), joined(o.budgets, other.budgets)
	o.autoscalers, o.ranges = joined(o.autoscalers, other.autoscalers), joined(o.ranges, other.ranges)
	o.claims = joined(o.claims, other.claims)
}

// in returns the quotas, limit ranges, claims and disruption budgets of a namespace, with the
// namespace set.
func (o *limitObjects) in(namespace string) (list []kube.Object) {
	list = append(list, inNamespace(o.quotas, namespace)...)
	list = append(list, inNamespace(o.ranges, namespace)...)
	list = append(list, inNamespace(o.claims, namespace)...)
	return append(list, inNamespace(o.budgets, namespace)...)
}

// inNamespace returns the objects of a list in a namespace, with the namespace set.
func inNamespace[T any, O interface {
	*T
	kube.Object
}](list []source[T], namespace string) (objects []kube.Object) {
	for _, s := range list {
		if o := O(s.object); sameNamespace(o.GetNamespace(), namespace) {
			in := o.DeepCopyObject().(kube.Object)
			in.SetNamespace(namespace)
			objects = append(objects, in)
		}
	}
	return objects
}

// joined returns a list with the objects of another list, except for names that it already has.
func joined[T any, O interface {
	*T
	metav1.Object
}](list, others []source[T]) []source[T] {
	same := func(a, b O) bool {
		return a.GetName() == b.GetName() && sameNamespace(a.GetNamespace(), b.GetNamespace())
	}
	for _, o := range others {
		if !slices.ContainsFunc(list, func(s source[T]) bool { return same(s.object, o.object) }) {
			list = append(list, o)
		}
	}
	return list
}

// A Scaling is the effect of autoscalers on the replicas of a workload.
type Scaling struct {
	Notes []string // the effect, for the user
	To    *int32   // the replicas that a live workload out of bounds will get; else nil
}

// autoscale brings the replicas of a manifest into the bounds of its autoscaler. Those bounds hold
// whatever the metrics are, except that 0 replicas turn the autoscaler off. The replicas of a live
// object stay until the autoscaler's next pass. Upstream: reconcileAutoscaler of the horizontal
// controller.
func (l *limitObjects) autoscale(kind string, o metav1.Object, replicas **int32) (s Scaling) {
	for _, source := range l.autoscalers {
		a := source.object
		if !targets(a, kind, o) {
			continue
		}
		is := orOne(*replicas)
		least := orOne(a.Spec.MinReplicas)
		n := min(max(is, least), a.Spec.MaxReplicas)
		text := fmt.Sprintf("HorizontalPodAutoscaler %s keeps %d to %d replicas", a.Name, least, a.Spec.MaxReplicas)
		switch live := isLive(o.GetUID()); {
		case is == 0:
			text += "; 0 turn it off"
		case live && n == is:
			text += fmt.Sprintf("; they stay at %d", is)
		case live:
			text += fmt.Sprintf("; it scales %d to %d within 15 seconds", is, n)
			s.To = &n
		case n != is || l.sizeless[kind+" "+key(o)]:
			*replicas = &n
			text += fmt.Sprintf("; they are %d to begin with", n)
		default:
			text += "; it rests, since metrics are not looked at"
		}
		s.Notes = append(s.Notes, text)
	}
	return s
}

// orOne returns a number of replicas, which is 1 if unset.
func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// targets reports whether an autoscaler scales an object of a kind.
func targets(a *autoscalingv2.HorizontalPodAutoscaler, kind string, o metav1.Object) bool {
	ref := a.Spec.ScaleTargetRef
	return ref.Kind == kind && ref.Name == o.GetName() && sameNamespace(a.Namespace, o.GetNamespace())
}

// An olderAutoscaler is an autoscaler of a version before v2. All versions have the same bounds. v1
// has one metric in place of a list and v2beta1 has no behavior, and none of these fields is used.
type olderAutoscaler struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		ScaleTargetRef autoscalingv2.CrossVersionObjectReference `json:"scaleTargetRef"`
		MinReplicas    *int32                                    `json:"minReplicas"`
		MaxReplicas    int32                                     `json:"maxReplicas"`

		TargetCPU any `json:"targetCPUUtilizationPercentage"`
		Metrics   any `json:"metrics"`
		Behavior  any `json:"behavior"`
	} `json:"spec"`
	Status any `json:"status"`
}

// asV2 returns the autoscaler as v2, with the fields that are used.
func (o *olderAutoscaler) asV2() *autoscalingv2.HorizontalPodAutoscaler {
	a := &autoscalingv2.HorizontalPodAutoscaler{TypeMeta: o.TypeMeta, ObjectMeta: o.ObjectMeta}
	a.Spec.ScaleTargetRef, a.Spec.MinReplicas, a.Spec.MaxReplicas = o.Spec.ScaleTargetRef, o.Spec.MinReplicas, o.Spec.MaxReplicas
	return a
}

// withoutEmptySelector converts a disruption budget from v1beta1 to v1. An empty selector selects
// no pod in v1beta1, and all pods of the namespace in v1.
func withoutEmptySelector(p *policyv1.PodDisruptionBudget) *policyv1.PodDisruptionBudget {
	if s := p.Spec.Selector; s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		p.Spec.Selector = nil
	}
	return p
}
