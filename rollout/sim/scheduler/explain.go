// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// An Explanation is the number of nodes that a pod fits, and the reasons of the other nodes.
type Explanation struct {
	Nodes    int       `json:"nodes"` // in all
	Fit      int       `json:"fit"`   // of these
	Refusals []Refusal `json:"refusals,omitempty"`
}

// A Refusal is the number of nodes that refuse a pod for a reason.
type Refusal struct {
	Reason   Reason `json:"reason"`
	Resource int    `json:"resource,omitzero"` // of Insufficient
	Nodes    int    `json:"nodes"`
}

// Explain asks all nodes. The first filter of a node that refuses the pod counts; if that is the
// one for room, each resource does that is short, so that a node may count more than once. The
// reasons of most nodes come first.
func (n *Nodes) Explain(p Pod) Explanation {
	a := answers{}
	for i, q := 0, n.ask(p); i < n.Len(); i++ {
		a.note(&q, i)
	}
	return a.explanation()
}

// ExplainPinned asks nodes, by name, each about the pod of a DaemonSet that is to go there, as
// [Nodes.FitsPinned] does. Those that are not known count as Unplaceable.
func (n *Nodes) ExplainPinned(to map[string]Pod) Explanation {
	a := answers{}
	for name, p := range to {
		q, i := n.ask(p), -1
		if known, ok := n.Index(name); ok {
			i = known
		}
		q.pinned = true
		a.note(&q, i)
	}
	return a.explanation()
}

// answers counts the answers of nodes; the empty Reason counts nodes that fit.
type answers struct {
	nodes int
	count map[Refusal]int
}

// note asks a node.
func (a *answers) note(q *question, i int) {
	if a.nodes++; a.count == nil {
		a.count = map[Refusal]int{}
	}
	why := q.why(i)
	if why != Insufficient {
		a.count[Refusal{Reason: why}]++
		return
	}
	for _, r := range q.nodes.Short(i, q.Pod) {
		a.count[Refusal{Reason: why, Resource: r}]++
	}
}

func (a *answers) explanation() Explanation {
	e := Explanation{Nodes: a.nodes, Fit: a.count[Refusal{}]}
	delete(a.count, Refusal{})
	for r, nodes := range a.count {
		r.Nodes = nodes
		e.Refusals = append(e.Refusals, r)
	}
	slices.SortFunc(e.Refusals, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Resource, b.Resource))
	})
	return e
}

// Text returns the explanation for people, near the message of the scheduler, such as
//
//	0/5 nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated taint(s).
func (e Explanation) Text(resources []string) string {
	var parts []string
	for _, r := range e.Refusals {
		parts = append(parts, fmt.Sprintf("%d %s", r.Nodes, r.text(resources)))
	}
	head := fmt.Sprintf("%d/%d nodes are available", e.Fit, e.Nodes)
	if len(parts) == 0 {
		return head + "."
	}
	return head + ": " + strings.Join(parts, ", ") + "."
}

func (r Refusal) text(resources []string) string {
	switch r.Reason {
	case Unschedulable:
		return "node(s) were unschedulable"
	case NotReady:
		return "node(s) were not ready"
	case TaintNotTolerated:
		return "node(s) had untolerated taint(s)"
	case NodeAffinity:
		return "node(s) didn't match Pod's node affinity/selector"
	case HostPort:
		return "node(s) didn't have free ports for the requested pod ports"
	case Insufficient:
		if r.Resource < 0 || r.Resource >= len(resources) {
			return fmt.Sprintf("Insufficient resource %d", r.Resource)
		}
		return "Insufficient " + resources[r.Resource]
	case VolumeInUse:
		return "node(s) unavailable due to PersistentVolumeClaim already in-use by another pod"
	case TopologySpread:
		return "node(s) didn't match pod topology spread constraints"
	case PodAffinity:
		return "node(s) didn't match pod affinity rules"
	case PodAntiAffinity:
		return "node(s) didn't match pod anti-affinity rules"
	}
	return "node(s) are not for the pod"
}
