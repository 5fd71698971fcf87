// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// ReplicaSets is the [Telling] of a ReplicaSet or ReplicationController on its own.
type ReplicaSets struct {
	Kind   string
	Wanted int32
	Plans  map[time.Time]PodPlan // plans with actions, which explain the deletions
}

var _ Telling = ReplicaSets{}

func (r ReplicaSets) subject(namespace, name string) Subject {
	return replicaSet(r.Kind, namespace, name)
}

func (ReplicaSets) original() string { return ofKubernetes }

func (r ReplicaSets) head(*Simulation) string { return plural(r.Wanted, "replica") }

func (ReplicaSets) legend(w *terminal.Writer, _ *Simulation) { w.Printf("PODS: ready/wanted.\n") }

func (ReplicaSets) limits(*Simulation) (most, least *int32) { return nil, nil }

func (ReplicaSets) columns(*Simulation) []column {
	return []column{{"pods", func(*record.Part) bool { return true }}}
}

// plan returns the plan of a step, with the reasons for deletions if known.
func (r ReplicaSets) plan(p *record.Step) ReplicaPlan {
	plan, known := r.Plans[p.Time]
	if !known {
		plan.Plan = p.Plan.(replicaset.Plan)
	}
	return ReplicaPlan{PodPlan: plan}
}

func (r ReplicaSets) does(_ *Simulation, p *record.Step) (lines []timeline.Occurrence) {
	plan := r.plan(p)
	acts := plan.withoutHolds()
	for _, row := range acts.rows() {
		lines = append(lines, timeline.Occurrence{What: row[0], Why: row[2]})
	}
	return lines
}

func (r ReplicaSets) waits(_ *Simulation, p *record.Step) (lines []timeline.Occurrence) {
	for _, h := range p.Plan.(replicaset.Plan).Holds {
		lines = append(lines, timeline.Occurrence{
			What: "waits", Why: replicaSetHolds.whyNot(h.Reason, h.Have, h.Limit), More: help(replicaSetHolds.advice(h.Reason)),
		})
	}
	if there := p.Plan.(replicaset.Plan).Status.Replicas; len(lines) == 0 && there != r.Wanted {
		lines = []timeline.Occurrence{{What: "waits", Why: fmt.Sprintf("has %d, wants %d, and no more can be created", there, r.Wanted)}}
	}
	return lines
}

func (ReplicaSets) stage(*record.Sizes) string { return "" }

func (r ReplicaSets) rests(s *Simulation) string {
	return fmt.Sprintf("%d of %d pods are available", s.end().Available, r.Wanted) + s.whyEnded()
}

// actions returns the actions of a step in JSON, with marks on uncertain ones, and the tie. It
// returns nil if [ReplicaSets.Plans] has no actions for the step.
func (r ReplicaSets) actions(p *record.Step) (json.RawMessage, *Tie) {
	plan := r.Plans[p.Time]
	text, err := plan.Tie.actions(plan.Plan.Actions)
	if err != nil || len(plan.Plan.Actions) == 0 {
		return nil, nil
	}
	return text, plan.Tie
}
