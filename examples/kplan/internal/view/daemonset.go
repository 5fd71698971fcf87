// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A DaemonPlan is the next plan for a DaemonSet.
type DaemonPlan struct {
	Namespace string
	Snapshot  daemonset.Snapshot
	Now       time.Time
	Plan      daemonset.Plan
	Nodes     []daemonset.NodeReport
	Policies  []string // flags that make it differ from the original
	Advanced  bool     // a DaemonSet of OpenKruise
	Unapplied bool     // a manifest that was not applied yet
	Assumed   []string
}

// Subject returns the DaemonSet.
func (p DaemonPlan) Subject() Subject {
	return daemonSet(p.Namespace, p.Snapshot.DaemonSet.Name, p.Advanced)
}

// Verdict returns the verdict on the DaemonSet.
func (p DaemonPlan) Verdict() Verdict {
	return verdictOf(&DaemonExplanation{DaemonPlan: p}, p.Unapplied)
}

// Text writes the plan as text.
func (p DaemonPlan) Text(w *terminal.Writer) {
	w.Printf("DaemonSet %s: %s\n\n", p.Subject().label(), p.bounds())
	writePolicies(w, p.Policies, p.original())
	writeAssumed(w, p.Assumed)
	switch {
	case !p.Plan.Empty():
		p.actions().WriteTo(w)
		w.Printf("\n")
	case p.complete():
		w.Printf("Nothing to do: the rollout is complete.\n\n")
	default:
		w.Printf("Nothing to do at the moment.\n\n")
	}
	p.holds(w)
	p.nodes(w)
	w.Printf("\nStatus:      %v\n", p.Plan.Status)
	writeRecheck(w, "Recheck:     ", p.Plan.RecheckAt, p.Now)
}

// original returns the name of the project with the original controller.
func (p *DaemonPlan) original() string { return originalOf(p.Advanced) }

// originalOf returns the project of a DaemonSet, advanced or not.
func originalOf(advanced bool) string {
	if advanced {
		return ofOpenKruise
	}
	return ofKubernetes
}

// bounds returns the words for the limits of an update.
func (p *DaemonPlan) bounds() string {
	b := p.Plan.Budget
	text := fmt.Sprintf("%s of %d should run a pod", plural(b.Desired, "node"), len(p.Snapshot.Nodes))
	switch {
	case p.Snapshot.DaemonSet.Strategy == daemonset.OnDelete:
		return text + ", and old pods go when somebody deletes them"
	case b.Surge > 0:
		return fmt.Sprintf("%s, at most %d a second one during an update", text, b.Surge)
	}
	return fmt.Sprintf("%s, at most %d may be without during an update", text, b.Unavailable)
}

// complete reports whether all desired nodes have a new and available pod.
func (p *DaemonPlan) complete() bool {
	s := &p.Plan.Status
	return s.UpdatedNumberScheduled >= s.DesiredNumberScheduled && s.NumberAvailable >= s.DesiredNumberScheduled &&
		s.ObservedGeneration >= p.Snapshot.DaemonSet.Generation
}

// A daemonGroup is a group of actions of the same kind and reason.
type daemonGroup struct {
	what   string
	reason kplan.Reason
}

// actionGroups groups actions of the same kind and reason.
func (p *DaemonPlan) actionGroups() []daemonGroup {
	var groups []daemonGroup
	var phrases []daemonPhrase
	var objects [][]string
	index := map[daemonGroup]int{}
	for _, a := range p.Plan.Actions {
		d := daemonPhraseOf(a)
		g := daemonGroup{d.more, reasonOf(a)}
		i, ok := index[g]
		if !ok {
			i = len(groups)
			index[g] = i
			groups, phrases, objects = append(groups, g), append(phrases, d), append(objects, nil)
		}
		objects[i] = append(objects[i], d.object)
	}
	for i := range groups {
		verb := phrases[i].one
		if len(objects[i]) > 1 {
			verb = phrases[i].more
		}
		groups[i].what = verb + " " + Folded(objects[i])
	}
	return groups
}

func (p *DaemonPlan) actions() *terminal.Table {
	t := terminal.NewTable("ACTION", "REASON", "WHY")
	for _, g := range p.actionGroups() {
		t.Row(g.what, string(g.reason), daemonSetActions.why(g.reason))
	}
	return t
}

// A daemonHold is a hold, or several holds of nodes with the same reason.
type daemonHold struct {
	kplan.Hold
	nodes []string
}

// of returns the words for the held object or nodes.
func (h *daemonHold) of(name string) string {
	switch len(h.nodes) {
	case 0:
		return "daemon set " + name
	case 1:
		return "node " + h.nodes[0]
	}
	return fmt.Sprintf("%d nodes: %s", len(h.nodes), Folded(h.nodes))
}

// foldedHolds combines the holds of nodes with the same reason.
func (p *DaemonPlan) foldedHolds() []daemonHold {
	var list []daemonHold
	index := map[kplan.Reason]int{}
	for _, h := range p.Plan.Holds {
		if h.Node == "" {
			list = append(list, daemonHold{Hold: h})
			continue
		}
		i, ok := index[h.Reason]
		if !ok {
			i = len(list)
			index[h.Reason] = i
			list = append(list, daemonHold{Hold: h})
		}
		list[i].nodes = append(list[i].nodes, h.Node)
	}
	return list
}

func (p *DaemonPlan) holds(w *terminal.Writer) {
	holds := p.foldedHolds()
	if len(holds) == 0 {
		return
	}
	t := terminal.NewTable("HELD BACK", "REASON", "WHY")
	for i := range holds {
		h := &holds[i]
		t.Row(h.of(p.Snapshot.DaemonSet.Name), string(h.Reason), daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit))
	}
	t.WriteTo(w)
	w.Printf("\n")
}

// A nodeGroup is a group of nodes in the same state.
type nodeGroup struct {
	belongs, pods, acts, uses, waits string
	names                            []string
}

// groups groups the nodes, in the order of the first node of each group.
func (p *DaemonPlan) groups() []*nodeGroup {
	var list []*nodeGroup
	index := map[nodeGroupKey]*nodeGroup{}
	for i := range p.Nodes {
		r := &p.Nodes[i]
		key := nodeGroupKey{placementText(r), podsText(r), string(r.Acts), string(r.Uses), string(r.Waits)}
		g := index[key]
		if g == nil {
			g = &nodeGroup{belongs: key[0], pods: key[1], acts: dash(key[2]), uses: dash(key[3]), waits: dash(key[4])}
			index[key] = g
			list = append(list, g)
		}
		g.names = append(g.names, r.Node)
	}
	return list
}

type nodeGroupKey [5]string

// podsText returns the words for the pods of a node.
func podsText(r *daemonset.NodeReport) string {
	switch {
	case r.Pods == 0:
		return "none"
	case r.New != "" && r.Old != "":
		return "new and old"
	case r.New != "":
		return "new"
	case r.Old != "":
		return "old"
	}
	return count(r.Pods, "pod", "pods")
}

// nodes writes the nodes as a table with a row for each group.
func (p *DaemonPlan) nodes(w *terminal.Writer) {
	t := terminal.NewTable("NODES", "NAMES", "SHOULD RUN A POD", "HAS", "ACTS", "USES THE BUDGET", "OLD POD WAITS FOR")
	for _, g := range p.groups() {
		t.Row(fmt.Sprint(len(g.names)), Folded(g.names), g.belongs, g.pods, g.acts, g.uses, g.waits)
	}
	t.WriteTo(w)
}

// MarshalJSON encodes the plan and the nodes. Actions and holds are never left out.
func (p DaemonPlan) MarshalJSON() ([]byte, error) {
	type plan daemonset.Plan // without methods
	return marshal(struct {
		head
		Policies []string          `json:"policies,omitempty"`
		Actions  daemonset.Actions `json:"actions"`
		Holds    []kplan.Hold      `json:"holds"`
		plan
		Nodes   []daemonset.NodeReport `json:"nodes"`
		Assumed []string               `json:"assumed,omitempty"`
	}{
		headOf(p.Subject()), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan),
		notNil(p.Nodes), p.Assumed,
	})
}

// A DaemonExplanation explains why a DaemonSet makes progress or not.
type DaemonExplanation struct {
	DaemonPlan
	Report   Report
	Idle     []Pod // pods that do not serve
	Instants []Instant
	Refused  []Refused // failures that events report
	Caveats  []Caveat
}

// State returns the state of the DaemonSet, and one sentence that explains it.
func (e *DaemonExplanation) State() (State, string) {
	state, why := e.planned()
	return withCaveats(state, why, e.Caveats)
}

// planned is State without caveats.
func (e *DaemonExplanation) planned() (State, string) {
	switch n := len(e.Plan.Actions); {
	case n == 0 && e.complete():
		if e.Plan.Status.DesiredNumberScheduled == 0 {
			return StateComplete, "No node should run a pod, and none does." + endings(e.Idle, e.Now, nil)
		}
		return StateComplete, fmt.Sprintf("%s a new and available pod.", count(int(e.Plan.Status.DesiredNumberScheduled), "node has", "nodes have")) + endings(e.Idle, e.Now, nil)
	case n > 0:
		return StateProgressing, fmt.Sprintf("The controller will act at once, in %s.", plural(int32(n), "write"))
	}
	state, why := StateWaiting, "Nothing will happen, and the planner does not say why."
	for i, h := range e.Plan.Holds {
		a := daemonSetHolds.advice(h.Reason)
		if i == 0 {
			why = a.Means
		}
		if a.Stuck {
			state, why = StateStuck, a.Means
			break
		}
	}
	if blockers := e.blockers(); len(blockers) > 0 {
		why += fmt.Sprintf(" %s: %s.", count(len(blockers), "node blocks the update", "nodes block the update"), Folded(blockers))
	}
	return state, causes(e.Idle, e.Now, nil, why)
}

// blockers returns the nodes that use up the budget while other nodes wait for it.
func (e *DaemonExplanation) blockers() []string {
	waits := false
	var names []string
	for i := range e.Nodes {
		r := &e.Nodes[i]
		waits = waits || r.Waits == reason.MaxUnavailable || r.Waits == reason.MaxSurge
		if r.Uses != "" {
			names = append(names, r.Node)
		}
	}
	if !waits {
		return nil
	}
	return names
}

// Text writes the explanation as text.
func (e DaemonExplanation) Text(w *terminal.Writer) {
	state, why := e.State()
	writeState(w, "DaemonSet "+e.Subject().label(), e.Unapplied, state, why)
	writePolicies(w, e.Policies, e.original())
	writeAssumed(w, e.Assumed)
	w.Printf("kubectl rollout status:  %s\n", e.Report.line())
	w.Printf("Budget:                  %s\n", e.bounds())
	w.Printf("                         %v\n", e.Plan.Status)
	writeInstants(w, e.Instants, e.Now)
	w.Printf("\n")
	e.nodes(w)
	writeIdle(w, e.Idle)
	if !e.Plan.Empty() {
		w.Printf("\n")
		e.actions().WriteTo(w)
	}
	for i, h := range e.foldedHolds() {
		if i == 0 {
			w.Printf("\nHeld back:\n")
		}
		a := e.advice(h.Hold)
		writeAdvice(w, h.of(e.Snapshot.DaemonSet.Name), daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit), h.Reason, a, "")
	}
	writeCaveats(w, e.Caveats)
	writeRefused(w, e.Refused)
}

// advice returns the meaning of a hold. A hold on pods that can never start ends as the caveat
// says.
func (e *DaemonExplanation) advice(h kplan.Hold) Advice {
	a := daemonSetHolds.advice(h.Reason)
	for _, c := range e.Caveats {
		if c.Nodes != nil && (h.Reason == reason.MaxSurge || h.Reason == reason.NotReady && slices.Contains(c.Nodes, h.Node)) {
			a.Ends, a.Stuck = c.Ends, c.Stuck
		}
	}
	return a
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e DaemonExplanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	return marshal(struct {
		head
		Policies []string                `json:"policies,omitempty"`
		State    State                   `json:"state"`
		Why      string                  `json:"why"`
		Report   Report                  `json:"rolloutStatus"`
		Budget   daemonset.Budget        `json:"budget"`
		Status   daemonset.Status        `json:"status"`
		Actions  daemonset.Actions       `json:"actions"`
		Holds    []explained[kplan.Hold] `json:"holds"`
		Nodes    []daemonset.NodeReport  `json:"nodes"`
		Pods     []Pod                   `json:"pods"` // pods that do not serve
		Instants []Instant               `json:"instants"`
		Refused  []Refused               `json:"refused,omitempty"`
		Caveats  []Caveat                `json:"caveats,omitempty"`
		Assumed  []string                `json:"assumed,omitempty"`
	}{
		headOf(e.Subject()), e.Policies, state, why, e.Report, e.Plan.Budget, e.Plan.Status,
		e.Plan.Actions, explain(e.Plan.Holds, e.advice), notNil(e.Nodes), notNil(e.Idle), notNil(e.Instants), e.Refused, e.Caveats, e.Assumed,
	})
}
