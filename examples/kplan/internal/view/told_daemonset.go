// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
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
