// SPDX-License-Identifier: Apache-2.0

package gen

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/selector"
)

// Selector draws a selector with one or two expressions, most of which select key=value.
func Selector(t random.Source, key, value string) *metav1.LabelSelector {
	s := &metav1.LabelSelector{}
	if random.OneIn(t, "match labels", 3) {
		s.MatchLabels = map[string]string{key: value}
	}
	add := func(key string, op metav1.LabelSelectorOperator, values ...string) {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: values})
	}
	switch random.Weighted(t, "expression", 40, 20, 20, 10, 10) {
	case 0:
		add(key, metav1.LabelSelectorOpIn, value, "other")
	case 1:
		add(key, metav1.LabelSelectorOpExists)
	case 2:
		add(key, metav1.LabelSelectorOpNotIn, "former", "other")
	case 3:
		add("canary", metav1.LabelSelectorOpDoesNotExist)
	case 4:
		add(key, metav1.LabelSelectorOpIn, "other")
	}
	if random.OneIn(t, "second expression", 3) {
		add("tier", random.OneOf(t, "tier", metav1.LabelSelectorOpDoesNotExist, metav1.LabelSelectorOpExists))
	}
	return s
}

// oddSelector draws a selector that selects everything, an invalid one, or none.
func oddSelector(t random.Source) *metav1.LabelSelector {
	expression := func(key string, op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: op, Values: values}}}
	}
	return random.OneOf(t, "odd selector",
		&metav1.LabelSelector{},
		&metav1.LabelSelector{MatchLabels: map[string]string{}},
		&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{}},
		expression("app", metav1.LabelSelectorOpIn),
		expression("app", "Is", "web"),
		expression("", metav1.LabelSelectorOpExists),
		&metav1.LabelSelector{MatchLabels: map[string]string{"app": "not a value"}},
		nil,
	)
}

// LabelSelector draws a selector with package random.
func LabelSelector(t random.Source) *metav1.LabelSelector {
	return kube.ToLabelSelector(random.LabelSelector(t))
}

// NodeSelector draws a node selector with package random.
func NodeSelector(t random.Source) *corev1.NodeSelector {
	return kube.ToNodeSelector(random.NodeSelector(t))
}

// NodeTerm draws a term of a node selector with package random.
func NodeTerm(t random.Source) corev1.NodeSelectorTerm {
	return kube.ToNodeSelector(&selector.NodeSelector{Terms: []selector.NodeSelectorTerm{random.NodeTerm(t)}}).NodeSelectorTerms[0]
}
