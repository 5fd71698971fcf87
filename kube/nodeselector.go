// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/selector"
)

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
