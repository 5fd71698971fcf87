// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/selector"
)

// LabelSelector returns the snapshot of s. It shares the maps and the values with s.
func LabelSelector(s *metav1.LabelSelector) *selector.LabelSelector {
	if s == nil {
		return nil
	}
	ls := &selector.LabelSelector{MatchLabels: s.MatchLabels}
	if s.MatchExpressions != nil { // an empty list is not an empty selector for upstream
		ls.MatchExpressions = make([]selector.Expression, len(s.MatchExpressions))
	}
	for i, e := range s.MatchExpressions {
		ls.MatchExpressions[i] = selector.Expression{Key: e.Key, Operator: selector.Operator(e.Operator), Values: e.Values}
	}
	return ls
}

// ToLabelSelector returns s as the API has it. It shares nothing with s.
func ToLabelSelector(s *selector.LabelSelector) *metav1.LabelSelector {
	if s == nil {
		return nil
	}
	ls := &metav1.LabelSelector{MatchLabels: maps.Clone(s.MatchLabels)}
	if s.MatchExpressions != nil {
		ls.MatchExpressions = make([]metav1.LabelSelectorRequirement, 0, len(s.MatchExpressions))
	}
	for _, e := range s.MatchExpressions {
		ls.MatchExpressions = append(ls.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: slices.Clone(e.Values),
		})
	}
	return ls
}

// Selector returns the snapshot of a compiled selector. It shares nothing with s. A nil
// selector and the selector of labels.Nothing select nothing. The text of the latter is empty,
// and would be parsed as the selector of everything.
//
// The error is a [kplan.FieldError], and is about requirements that package labels cannot have
// made: a zero requirement, or another implementation of the interface.
func Selector(s labels.Selector) (selector.Selector, error) {
	if s == nil {
		return selector.Nothing(), nil
	}
	list, selectable := s.Requirements()
	if !selectable {
		return selector.Nothing(), nil
	}
	requirements := make([]selector.Requirement, 0, len(list))
	for i := range list {
		r, err := requirement(&list[i])
		if err != nil {
			return selector.Nothing(), &kplan.FieldError{
				Path: kplan.ElementPath("requirements", strconv.Itoa(i)), Value: list[i].String(), Detail: "must be a valid requirement", Err: err,
			}
		}
		requirements = append(requirements, r)
	}
	return selector.Of(requirements...), nil
}

func requirement(r *labels.Requirement) (selector.Requirement, error) {
	op, values := selector.Op(r.Operator()), r.ValuesUnsorted()
	if op == selector.OpEquals && len(values) == 1 {
		// The selector of a label set does not validate its keys and values.
		return selector.FromMap(map[string]string{r.Key(): values[0]}).Requirements()[0], nil
	}
	return selector.NewRequirement(r.Key(), op, values)
}

// ToSelector returns s as package labels has it. It shares nothing with s. If a
// requirement is zero, which matches nothing, the result selects nothing.
func ToSelector(s selector.Selector) labels.Selector {
	if s.IsNothing() {
		return labels.Nothing()
	}
	converted := labels.Everything()
	for _, r := range s.Requirements() {
		if r.Op() == selector.OpEquals {
			equal, _ := labels.SelectorFromValidatedSet(labels.Set{r.Key(): r.Values()[0]}).Requirements()
			converted = converted.Add(equal...)
			continue
		}
		made, err := labels.NewRequirement(r.Key(), selection.Operator(r.Op()), r.Values())
		if err != nil {
			return labels.Nothing()
		}
		converted = converted.Add(*made)
	}
	return converted
}

// NodeSelector returns the snapshot of ns, such as a required node affinity or the
// affinity of a persistent volume. It shares the values with ns. A nil selector stays
// nil and selects all nodes; a selector without terms selects none.
func NodeSelector(ns *corev1.NodeSelector) *selector.NodeSelector {
	if ns == nil {
		return nil
	}
	terms := make([]selector.NodeSelectorTerm, len(ns.NodeSelectorTerms))
	for i, t := range ns.NodeSelectorTerms {
		terms[i] = selector.NodeSelectorTerm{
			MatchExpressions: each(t.MatchExpressions, nodeExpression),
			MatchFields:      each(t.MatchFields, nodeExpression),
		}
	}
	return &selector.NodeSelector{Terms: terms}
}

func nodeExpression(r corev1.NodeSelectorRequirement) selector.Expression {
	return selector.Expression{Key: r.Key, Operator: selector.Operator(r.Operator), Values: r.Values}
}

// ToNodeSelector returns ns as the API has it. It shares nothing with ns.
func ToNodeSelector(ns *selector.NodeSelector) *corev1.NodeSelector {
	if ns == nil {
		return nil
	}
	terms := make([]corev1.NodeSelectorTerm, len(ns.Terms))
	for i, t := range ns.Terms {
		terms[i] = corev1.NodeSelectorTerm{
			MatchExpressions: each(t.MatchExpressions, nodeRequirement),
			MatchFields:      each(t.MatchFields, nodeRequirement),
		}
	}
	return &corev1.NodeSelector{NodeSelectorTerms: terms}
}

func nodeRequirement(e selector.Expression) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: e.Key, Operator: corev1.NodeSelectorOperator(e.Operator), Values: slices.Clone(e.Values)}
}

// Tolerations returns the snapshots of a list. It shares the pointers to seconds with it.
func Tolerations(list []corev1.Toleration) []daemonset.Toleration {
	return each(list, func(t corev1.Toleration) daemonset.Toleration {
		return daemonset.Toleration{
			Key: t.Key, Operator: daemonset.TolerationOperator(t.Operator), Value: t.Value,
			Effect: daemonset.Effect(t.Effect), Seconds: t.TolerationSeconds,
		}
	})
}

// ToTolerations returns tolerations as the API has them. It shares nothing with list.
func ToTolerations(list []daemonset.Toleration) []corev1.Toleration {
	return each(list, func(t daemonset.Toleration) corev1.Toleration {
		converted := corev1.Toleration{
			Key: t.Key, Operator: corev1.TolerationOperator(t.Operator), Value: t.Value, Effect: corev1.TaintEffect(t.Effect),
		}
		if t.Seconds != nil {
			converted.TolerationSeconds = ptr.To(*t.Seconds)
		}
		return converted
	})
}
