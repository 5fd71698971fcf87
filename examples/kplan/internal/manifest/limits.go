// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/kube"
)

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
	if other == nil {
		return
	}
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
