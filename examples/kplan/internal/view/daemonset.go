// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
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

// Text writes the plan as text.
func (p DaemonPlan) Text(w *terminal.Writer) {
	w.Printf("DaemonSet %s: %s\n\n", p.name(), p.bounds())
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
	if at := p.Plan.RecheckAt; !at.IsZero() {
		w.Printf("Recheck:     %s, in %s\n", at.Format(time.RFC3339), clock(at.Sub(p.Now)))
	}
}

func (p *DaemonPlan) name() string {
	if p.Namespace != "" {
		return p.Namespace + "/" + p.Snapshot.DaemonSet.Name
	}
	return p.Snapshot.DaemonSet.Name
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
