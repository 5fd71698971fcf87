// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"fmt"
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/reason"
	"slices"
	"strings"
	"time"
)

// A NodeReport is the state of a node in the plan of its DaemonSet.
type NodeReport struct {
	Node      string    `json:"node"`
	Missing   bool      `json:"missing,omitzero"` // there is no such node, only pods that belong to it
	Placement Placement `json:"placement"`
	Pods      int       `json:"pods,omitzero"` // number of all pods that belong to it
	New       string    `json:"new,omitzero"`  // its new pod, "" if it has none or several
	Old       string    `json:"old,omitzero"`  // its old pod, "" if it has none or several
	// Acts is why the plan creates, deletes or updates a pod here, "" if it does not.
	Acts kplan.Reason `json:"acts,omitzero"`
	// Uses is why the node uses up the budget of the update, "" if it does not.
	Uses kplan.Reason `json:"uses,omitzero"`
	// Waits is the reason why the plan does nothing about an old pod or several pods of a node. It
	// is "" if Acts is set, or if there is nothing to replace.
	Waits kplan.Reason `json:"waits,omitzero"`
}

// String returns one line such as "n1: desired, old pod web-1, waits (MaxUnavailable)".
func (r NodeReport) String() string {
	text := r.Node + ":"
	switch {
	case r.Missing:
		text += " no such node"
	case !r.Placement.ShouldRun:
		text += fmt.Sprintf(" not desired (%s)", r.Placement.Reason)
	default:
		text += " desired"
	}
	if r.New != "" {
		text += ", new pod " + r.New
	}
	if r.Old != "" {
		text += ", old pod " + r.Old
	}
	if r.Acts != "" {
		text += fmt.Sprintf(", acts (%s)", r.Acts)
	}
	if r.Uses != "" {
		text += fmt.Sprintf(", uses the budget (%s)", r.Uses)
	}
	if r.Waits != "" {
		text += fmt.Sprintf(", waits (%s)", r.Waits)
	}
	return text
}

// Explain returns a report for each node, by name: whether a pod belongs there and why not,
// the action of [Reconcile] there, whether the node uses up the budget of the update, and the
// reason why an old pod waits. The error is the error of Reconcile.
func Explain(s Snapshot, now time.Time, opts Options) ([]NodeReport, error) {
	in, h, err := read(&s, podList(s.Pods), now, opts)
	if err != nil {
		return nil, err
	}
	st := count(in, h, omittedNodes{})
	var d decision
	switch hold := in.stopHold(); {
	case hold.Reason != "":
		d.waits = hold.Reason
	case h.collision != nil: // the pass ends before the nodes
		d.waits = reason.Collision
	default:
		d = st.decide()
	}
	budget := Resolve(st.strategy, st.surge, st.maxUnavailable, st.desired)
	x := explainer{state: st, decision: &d, withSurge: budget.Surge > 0, acts: d.actionReasons(st), selected: map[int32]bool{}, dead: map[int32]bool{}}
	for _, i := range st.selectNodes().keys {
		x.selected[i] = true
	}
	for _, u := range d.update.leftOut {
		x.dead[u.key] = u.reason == reason.DeadNode
	}
	reports := make([]NodeReport, len(st.keys))
	for i := range st.keys {
		reports[i] = x.report(int32(i))
	}
	slices.SortFunc(reports, func(a, b NodeReport) int { return strings.Compare(a.Node, b.Node) })
	return reports, nil
}

// An explainer is a decision, with look-ups for each node.
type explainer struct {
	*state
	*decision
	withSurge bool
	acts      map[string]kplan.Reason // the reasons of the actions on nodes, by name
	selected  map[int32]bool          // nodes that the update looks at
	dead      map[int32]bool          // nodes that SkipDeadNodes leaves out
}

// actionReasons returns the reasons of the actions on nodes, by name: for each node the reason of
// the last step that acts on it.
func (d *decision) actionReasons(st *state) map[string]kplan.Reason {
	acts := map[string]kplan.Reason{}
	put := func(pod *Pod, why kplan.Reason) {
		if node := pod.target(); node != "" {
			acts[node] = why
		}
	}
	step := func(c *changes, why kplan.Reason) {
		for _, m := range c.marks {
			if !m.Pod.preparing() {
				put(m.Pod, reason.PreDelete)
			}
		}
		for _, key := range c.create {
			acts[st.keys[key].name] = why
		}
		for _, r := range c.remove {
			put(r.Pod, r.Reason)
		}
	}
	step(&d.manage.changes, reason.Missing)
	for _, r := range d.refreshes {
		if r.reason != reason.InPlace { // an update under way, which needs no action
			put(r.pod, r.reason)
		}
	}
	for _, u := range d.update.inPlace {
		put(u.Pod, u.Reason)
	}
	step(&d.update.changes, reason.Rollout)
	return acts
}

// report returns the report about a node.
func (x *explainer) report(key int32) NodeReport {
	k := &x.keys[key]
	r := NodeReport{Node: k.name, Missing: k.node < 0, Pods: int(k.count), Acts: x.acts[k.name]}
	if k.node >= 0 {
		r.Placement = x.placer.Place(&x.nodes[k.node])
	}
	pods := x.classify(k)
	if pods.new.exists() {
		r.New = x.name(pods.new.number - 1)
	}
	if pods.old.exists() {
		r.Old = x.name(pods.old.number - 1)
	}
	if x.selected[key] {
		r.Uses = x.budgetReason(key)
	}
	if pods.ok && !pods.old.exists() || r.Acts != "" {
		return r
	}
	if r.Waits = x.waits; r.Waits == "" {
		r.Waits = x.waitReason(key)
	}
	return r
}

// budgetReason returns the reason why a node uses up the budget of the update, "" if it does not.
func (x *explainer) budgetReason(key int32) kplan.Reason {
	if x.withSurge {
		if u := x.surgeUseOf(key); u.step == surgeBlocked {
			return u.reason
		}
		return ""
	}
	if u := x.useOf(key); u.used > 0 {
		return u.blockers[0].reason
	}
	return ""
}

// waitReason returns the reason that keeps the old pod of a node.
func (x *explainer) waitReason(key int32) kplan.Reason {
	k, selected := &x.keys[key], x.selected[key]
	switch {
	case k.node < 0 && !selected:
		return reason.MissingNode
	case !selected && x.ds.NodeSelector != nil && !x.nodeSelector.Matches(x.nodes[k.node].Labels):
		return reason.NotSelected
	case !selected && x.opts.Prune && !k.run:
		return reason.NotDesired
	case !selected:
		return reason.Partition
	case x.dead[key]:
		return reason.DeadNode
	case x.withSurge:
		return reason.MaxSurge
	}
	return reason.MaxUnavailable
}
