// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// ArgoRollouts is the [Telling] of a Rollout of Argo.
type ArgoRollouts struct {
	Rollout argo.Rollout
}

var _ Telling = ArgoRollouts{}

func (ArgoRollouts) subject(namespace, name string) Subject { return argoRollout(namespace, name) }

func (ArgoRollouts) original() string { return ofArgo }

func (a ArgoRollouts) head(*Simulation) string {
	p := ArgoPlan{Snapshot: argo.Snapshot{Rollout: a.Rollout}}
	return fmt.Sprintf("of Argo, %s, %s", argoStyle(&a.Rollout), plural(p.replicas(), "replica"))
}

func (ArgoRollouts) legend(w *terminal.Writer, _ *Simulation) {
	w.Printf("OLD and NEW: pods ready/wanted.\n")
}

// limits returns nil: each step sets other limits.
func (ArgoRollouts) limits(*Simulation) (most, least *int32) { return nil, nil }

func (ArgoRollouts) columns(*Simulation) []column { return oldAndNew() }

func (ArgoRollouts) does(_ *Simulation, p *record.Step) (list []timeline.Occurrence) {
	for _, a := range p.Plan.(argo.Plan).Actions {
		list = append(list, timeline.Occurrence{What: argoPhrase(a), Why: argoActions.why(reasonOf(a)), Detail: true})
	}
	return list
}

func (ArgoRollouts) waits(_ *Simulation, p *record.Step) (list []timeline.Occurrence) {
	for _, h := range p.Plan.(argo.Plan).Holds {
		if h.Reason == reason.Pause { // time passes after the plan
			h.Have = min(h.Limit, pausedFor(&p.Sizes))
		}
		list = append(list, timeline.Occurrence{What: "waits", Why: argoWaits(h), More: help(argoAdvice(h)), Detail: true})
	}
	return list
}

// stage returns the current step of a canary and the phase.
func (a ArgoRollouts) stage(z *record.Sizes) string {
	texts := []string{z.Phase}
	if i := int(z.Step) - 1; i >= 0 && i < len(a.Rollout.Steps) && z.Phase != string(argo.PhaseHealthy) {
		texts = []string{fmt.Sprintf("%d: %s", z.Step, argoStep(&a.Rollout.Steps[i]))}
		if z.Phase != string(argo.PhaseProgressing) {
			texts = append(texts, z.Phase)
		}
	}
	if z.Message != "" && z.Phase != string(argo.PhaseProgressing) {
		texts = append(texts, z.Message)
	}
	if z.State != "" {
		texts = append(texts, "new pods are those of "+z.State)
	}
	return strings.Join(texts, ", ")
}

func (a ArgoRollouts) rests(s *Simulation) string {
	text := "the update has not finished" + s.whyEnded()
	if s.end().Message != "" {
		text += ": " + s.end().Message
	}
	for _, line := range a.waits(s, s.end()) {
		return text + ": " + line.Why
	}
	return text
}

// pausedFor returns for how many seconds a Rollout has been paused.
func pausedFor(z *record.Sizes) int64 {
	r, is := z.Object.(*cluster.ArgoRollout)
	if !is || len(r.Status.PauseConditions) == 0 {
		return 0
	}
	return int64(z.Time.Sub(r.Status.PauseConditions[0].StartTime).Seconds())
}
