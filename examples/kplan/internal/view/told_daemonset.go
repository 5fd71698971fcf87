// SPDX-License-Identifier: Apache-2.0

package view

import (
	"cmp"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// DaemonSets is the [Telling] of a DaemonSet.
type DaemonSets struct {
	Advanced bool // a DaemonSet of OpenKruise
	Nodes    int
}

var _ Telling = DaemonSets{}

func (d DaemonSets) subject(namespace, name string) Subject {
	return daemonSet(namespace, name, d.Advanced)
}

func (d DaemonSets) original() string { return originalOf(d.Advanced) }

// plan returns the plan of a step as for kplan plan.
func (d DaemonSets) plan(p *record.Step) *DaemonPlan {
	plan := &DaemonPlan{Plan: p.Plan.(daemonset.Plan)}
	if o, ok := p.Object.(*daemonset.DaemonSet); ok {
		plan.Snapshot.DaemonSet = *o
	}
	plan.Snapshot.Nodes = make([]daemonset.Node, d.Nodes)
	return plan
}

func (d DaemonSets) head(s *Simulation) string { return d.plan(s.end()).bounds() }

func (DaemonSets) legend(w *terminal.Writer, _ *Simulation) {
	w.Printf("OLD and NEW: pods ready/there.\n")
}

// limits returns the number of nodes that keep an available pod during the update, unless pods
// fail.
func (DaemonSets) limits(s *Simulation) (most, least *int32) {
	b := s.end().Plan.(daemonset.Plan).Budget
	if b.Surge > 0 {
		return nil, &b.Desired
	}
	return nil, new(max(0, b.Desired-b.Unavailable))
}

func (DaemonSets) columns(*Simulation) []column { return oldAndNew() }

func (d DaemonSets) does(_ *Simulation, p *record.Step) (lines []timeline.Occurrence) {
	for _, g := range d.plan(p).actionGroups() {
		lines = append(lines, timeline.Occurrence{What: g.what, Why: daemonSetActions.why(g.reason)})
	}
	return lines
}

func (d DaemonSets) waits(s *Simulation, p *record.Step) (lines []timeline.Occurrence) {
	for _, h := range d.plan(p).foldedHolds() {
		lines = append(lines, timeline.Occurrence{
			What: h.of(s.Name) + ": waits", Why: daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit), More: help(daemonSetHolds.advice(h.Reason)),
		})
	}
	return lines
}

func (DaemonSets) stage(*record.Sizes) string { return "" }

func (DaemonSets) rests(s *Simulation) string {
	for _, h := range s.end().Plan.(daemonset.Plan).Holds {
		switch h.Reason {
		case reason.Paused, reason.OnDelete, reason.Partition, reason.NotSelected:
			return "the update rests: " + daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit)
		}
	}
	return ""
}

// Most returns the largest number of pods at once, unless pods fail.
func (DaemonSets) Most(s *Simulation) int32 {
	b := s.end().Plan.(daemonset.Plan).Budget
	return b.Desired + b.Surge
}

// A DaemonUpdate is an update of a DaemonSet on unknown nodes. Only the nodes decide where it runs,
// on how many nodes, and for how long.
type DaemonUpdate struct {
	DaemonSet daemonset.DaemonSet
	New       bool // it has no pods yet
	Rolls     bool // to another template
}

// Verdict returns the result for the DaemonSet.
func (u DaemonUpdate) Verdict() Verdict {
	switch {
	case u.New:
		return Starts
	case u.Unfinished() != "":
		return Fails
	case u.Rolls:
		return Rolls
	}
	return Stays
}

// Unfinished returns the reason why the update will not be completed, or "".
func (u DaemonUpdate) Unfinished() string {
	d := &u.DaemonSet
	switch {
	case u.New || !u.Rolls:
		return ""
	case d.Strategy == daemonset.OnDelete:
		return "the update rests: old pods go when somebody deletes them"
	case d.Paused:
		return "the update rests: it is paused"
	case d.Partition != rollout.IntOrPercent{} && d.Partition != rollout.Int(0):
		return "the update rests: the partition keeps " + d.Partition.String() + " of the nodes as they are"
	case d.NodeSelector != nil:
		return "the update rests: it is for some nodes alone"
	}
	return ""
}

// How describes where the DaemonSet rolls, and how much of it at once.
func (u DaemonUpdate) How() string {
	const text = "each node that it matches"
	d := &u.DaemonSet
	surge := d.MaxSurge
	if surge == (rollout.IntOrPercent{}) && d.RollingType == daemonset.Surging {
		surge = rollout.Int(1)
	}
	switch v := u.Verdict(); {
	case v != Rolls && v != Starts:
		return ""
	case v == Starts:
		return text
	case surge != rollout.IntOrPercent{} && surge != rollout.Int(0) && surge != rollout.Percent(0):
		return text + ", at most " + surge.String() + " with a second pod"
	}
	return text + ", at most " + cmp.Or(d.MaxUnavailable, rollout.Int(1)).String() + " without a pod"
}
