// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

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
	return append(notes, o.unheededBudgets(namespace, kind, template)...)
}

// unheededBudgets returns which disruption budgets are for pods of a template, in a line each.
func (o *limitObjects) unheededBudgets(namespace, kind string, template map[string]string) (notes []string) {
	for _, s := range o.budgets {
		selector, err := metav1.LabelSelectorAsSelector(s.object.Spec.Selector)
		if err == nil && sameNamespace(s.object.Namespace, namespace) && selector.Matches(labels.Set(template)) {
			notes = append(notes, fmt.Sprintf("PodDisruptionBudget %s is not looked at for %s, which do not heed it either: no pod may be evicted", s.object.Name, kind))
		}
	}
	return notes
}

// Unheeded returns what bounds the pods of the workload of the Rollout and is not looked at,
// less disruption budgets.
func (r *Rollout) Unheeded() []string {
	return r.limits.unheeded(r.Namespace, "workloads of Rollouts", nil)
}
