// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// unheeded returns what bounds the pods of a template in a namespace and is not looked at for
// objects of a kind, in a line each.
func (o *limitObjects) unheeded(namespace, kind string, template map[string]string) (notes []string) {
	if o == nil {
		return nil
	}
	add := func(what, name string) {
		notes = append(notes, fmt.Sprintf("%s %s is not looked at for %s: creations may fail", what, name, kind))
	}
	for _, s := range o.quotas {
		if sameNamespace(s.object.Namespace, namespace) {
			add("ResourceQuota", s.object.Name)
		}
	}
	for _, s := range o.ranges {
		if sameNamespace(s.object.Namespace, namespace) {
			add("LimitRange", s.object.Name)
		}
	}
	for _, s := range o.budgets {
		selector, err := metav1.LabelSelectorAsSelector(s.object.Spec.Selector)
		if err == nil && sameNamespace(s.object.Namespace, namespace) && selector.Matches(labels.Set(template)) {
			notes = append(notes, fmt.Sprintf("PodDisruptionBudget %s is not looked at for %s, which do not heed it either: no pod may be evicted", s.object.Name, kind))
		}
	}
	return notes
}

// Unheeded returns what bounds the pods of the DaemonSet and is not looked at: also the room
// that nodes tell of.
func (d *DaemonSet) Unheeded() []string {
	var notes []string
	if slices.ContainsFunc(d.Nodes, func(n *corev1.Node) bool { return len(n.Status.Allocatable) > 0 }) {
		notes = append(notes, "nodes have room for the pods of DaemonSets: what they have allocatable is not looked at")
	}
	return append(notes, d.limits.unheeded(d.Object.Namespace, "DaemonSets", d.Object.Spec.Template.Labels)...)
}

// Unheeded returns what bounds the pods of the Rollout and is not looked at.
func (r *ArgoRollout) Unheeded() []string {
	return r.limits.unheeded(r.Object.Namespace, "Rollouts", r.Object.Spec.Template.Labels)
}

// Unheeded returns what bounds the pods of the workload of the Rollout and is not looked at,
// less disruption budgets.
func (r *Rollout) Unheeded() []string {
	return r.limits.unheeded(r.Namespace, "workloads of Rollouts", nil)
}
