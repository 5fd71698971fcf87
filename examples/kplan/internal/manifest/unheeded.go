// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// unheededBudgets returns a note on each disruption budget that selects the pods of a template.
func (o *limitObjects) unheededBudgets(namespace, kind string, template map[string]string) (notes []string) {
	for _, s := range o.budgets {
		selector, err := metav1.LabelSelectorAsSelector(s.object.Spec.Selector)
		if err == nil && sameNamespace(s.object.Namespace, namespace) && selector.Matches(labels.Set(template)) {
			notes = append(notes, fmt.Sprintf("PodDisruptionBudget %s is not looked at for %s, which do not heed it either: no pod may be evicted", s.object.Name, kind))
		}
	}
	return notes
}
