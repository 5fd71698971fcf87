// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/preview"
)

// MarshalJSON encodes the plan, the plan of the BatchRelease, if any, and all steps. Actions and
// holds are never left out.
func (p RolloutPlan) MarshalJSON() ([]byte, error) {
	type plan kruise.Plan // without methods
	return marshal(struct {
		head
		Policies []string       `json:"policies,omitempty"`
		Actions  kruise.Actions `json:"actions"`
		Holds    []kplan.Hold   `json:"holds"`
		plan
		BatchRelease *batchrelease.Plan `json:"batchRelease,omitempty"`
		Steps        []preview.Step     `json:"steps"`
		Warnings     []preview.Warning  `json:"warnings,omitempty"`
	}{
		headOf(kruiseRollout(p.Namespace, p.Snapshot.Rollout.Name)), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan),
		p.Batch, notNil(p.Preview.Steps), p.Preview.Warnings,
	})
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e RolloutExplanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	holds := []explained[rolloutHold]{}
	for _, h := range e.allHolds() {
		a := rolloutHolds.advice(h.Reason)
		holds = append(holds, explained[rolloutHold]{h, rolloutHolds.whyNot(h.Reason, h.Have, h.Limit), a.Means, a.Ends, a.Stuck})
	}
	return marshal(struct {
		head
		Policies     []string                 `json:"policies,omitempty"`
		State        State                    `json:"state"`
		Why          string                   `json:"why"`
		Status       kruise.Status            `json:"status"` // as it was read
		Actions      kruise.Actions           `json:"actions"`
		Holds        []explained[rolloutHold] `json:"holds"`
		BatchRelease *batchrelease.Plan       `json:"batchRelease,omitempty"`
		Steps        []preview.Step           `json:"steps"`
		Pods         []Pod                    `json:"pods"` // pods that do not serve
		Instants     []Instant                `json:"instants"`
	}{
		headOf(kruiseRollout(e.Namespace, e.Snapshot.Rollout.Name)), e.Policies, state, why, e.Snapshot.Rollout.Status, e.Plan.Actions, holds,
		e.Batch, notNil(e.Preview.Steps), notNil(e.Idle), notNil(e.Instants),
	})
}
