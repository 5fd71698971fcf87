// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/selector"
)

// Placed is a naive truth table of placement: whether a node should run a daemon pod, and whether
// an existing one may stay.
func Placed(t *daemonset.Template, n *daemonset.Node, o daemonset.Options) (run, cont bool) {
	if t.NodeName != "" && t.NodeName != n.Name {
		return false, false
	}
	if !says(&selector.LabelSelector{MatchLabels: t.NodeSelector}, n.Labels) {
		return false, false
	}
	if t.Affinity != nil && !slices.ContainsFunc(t.Affinity.Terms, func(term selector.NodeSelectorTerm) bool { return holdsOn(&term, n) }) {
		return false, false
	}
	run = true
	for _, taint := range n.Taints {
		tolerated, forever := tolerated(t, taint)
		switch {
		case taint.Effect == daemonset.NoExecute && !tolerated:
			return false, false
		case taint.Effect == daemonset.NoSchedule && !tolerated:
			run = false
		case taint.Effect == daemonset.NoExecute && o.FiniteTolerationMeansNo && !forever:
			run = false
		}
	}
	return run, true
}

// holdsOn evaluates a term of a required node affinity. A term without expressions, or with an
// invalid one, never matches.
func holdsOn(term *selector.NodeSelectorTerm, n *daemonset.Node) bool {
	if len(term.MatchExpressions)+len(term.MatchFields) == 0 || !says(&selector.LabelSelector{MatchExpressions: term.MatchExpressions}, n.Labels) {
		return false
	}
	for _, e := range term.MatchFields {
		got := ""
		if e.Key == selector.FieldName {
			got = n.Name
		}
		one := len(e.Values) == 1 && (e.Operator == selector.In || e.Operator == selector.NotIn)
		if !one || (got == e.Values[0]) != (e.Operator == selector.In) {
			return false
		}
	}
	return true
}

// tolerated reports whether a daemon pod tolerates a taint, and whether forever.
func tolerated(t *daemonset.Template, taint daemonset.Taint) (ok, forever bool) {
	always := map[string]daemonset.Effect{
		daemonset.TaintNotReady: daemonset.NoExecute, daemonset.TaintUnreachable: daemonset.NoExecute,
		"node.kubernetes.io/disk-pressure": daemonset.NoSchedule, "node.kubernetes.io/memory-pressure": daemonset.NoSchedule,
		"node.kubernetes.io/pid-pressure": daemonset.NoSchedule, "node.kubernetes.io/unschedulable": daemonset.NoSchedule,
	}
	if t.HostNetwork {
		always["node.kubernetes.io/network-unavailable"] = daemonset.NoSchedule
	}
	if effect, known := always[taint.Key]; known && effect == taint.Effect {
		ok, forever = true, true
	}
	for _, t := range t.Tolerations {
		covers := (t.Effect == "" || t.Effect == taint.Effect) && (t.Key == "" || t.Key == taint.Key)
		equal := (t.Operator == "" || t.Operator == daemonset.TolerationEqual) && t.Value == taint.Value
		if covers && (equal || t.Operator == daemonset.TolerationExists) {
			ok, forever = true, forever || t.Seconds == nil
		}
	}
	return ok, forever
}
