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

// limitObjects bound what workloads may do.
type limitObjects struct {
	quotas      []source[corev1.ResourceQuota]
	budgets     []source[policyv1.PodDisruptionBudget]
	autoscalers []source[autoscalingv2.HorizontalPodAutoscaler]
	ranges      []source[corev1.LimitRange]
	sizeless    map[string]bool // workloads without replicas, by kind and key, which autoscalers give some
}

// beside adds those of another source, unless this one has some of the same names.
func (o *limitObjects) beside(other *limitObjects) {
	if other == nil {
		return
	}
	o.quotas, o.budgets = joined(o.quotas, other.quotas), joined(o.budgets, other.budgets)
	o.autoscalers, o.ranges = joined(o.autoscalers, other.autoscalers), joined(o.ranges, other.ranges)
}

// in returns the quotas and ranges of a namespace, with that in them.
func (o *limitObjects) in(namespace string) (list []kube.Object) {
	for _, q := range o.quotas {
		if sameNamespace(q.object.Namespace, namespace) {
			in := q.object.DeepCopy()
			in.Namespace = namespace
			list = append(list, in)
		}
	}
	for _, r := range o.ranges {
		if sameNamespace(r.object.Namespace, namespace) {
			in := r.object.DeepCopy()
			in.Namespace = namespace
			list = append(list, in)
		}
	}
	return list
}

// joined returns a list with those of another one of whose names it has none.
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
