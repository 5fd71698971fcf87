// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/rollout"
)

// MarshalJSON encodes the plan and its Deployment. Actions and holds are never left out.
func (p Plan) MarshalJSON() ([]byte, error) {
	type plan deploy.Plan // without methods
	return marshal(struct {
		head
		Policies []string       `json:"policies,omitempty"`
		Actions  deploy.Actions `json:"actions"`
		Holds    []kplan.Hold   `json:"holds"`
		plan
		ReplicaSets []PodPlan `json:"replicaSets"`
	}{headOf(deployment(p.Namespace, p.Snapshot.Deployment.Name)), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan), notNil(p.Pods)})
}

// An explained hold is a hold with its words.
type explained[H any] struct {
	Hold  H
	Text  string
	Means string
	Ends  string
	Stuck bool // it does not end by itself
}

// MarshalJSON encodes the hold and its words as one object.
func (e explained[H]) MarshalJSON() ([]byte, error) {
	hold, err := marshal(e.Hold)
	if err != nil {
		return nil, err
	}
	words, err := marshal(struct {
		Text  string `json:"text"`
		Means string `json:"means"`
		Ends  string `json:"ends"`
		Stuck bool   `json:"stuck"`
	}{e.Text, e.Means, e.Ends, e.Stuck})
	hold = bytes.TrimSuffix(bytes.TrimSpace(hold), []byte("}"))
	return append(append(hold, ','), words[1:]...), err
}

type explainedBudget struct {
	rollout.Budget
	bounds
	Wanted    int32 `json:"wanted"`
	Available int32 `json:"available"`
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e Explanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	holds := make([]explained[kplan.Hold], len(e.Plan.Plan.Holds))
	for i, h := range e.Plan.Plan.Holds {
		a := adviceOn(h)
		holds[i] = explained[kplan.Hold]{h, whyNot(h), a.Means, a.Ends, a.Stuck}
	}
	b := e.Plan.Plan.Budget
	return marshal(struct {
		head
		Policies    []string                `json:"policies,omitempty"`
		State       State                   `json:"state"`
		Why         string                  `json:"why"`
		Report      Report                  `json:"rolloutStatus"`
		Budget      explainedBudget         `json:"budget"`
		Actions     deploy.Actions          `json:"actions"`
		Holds       []explained[kplan.Hold] `json:"holds"`
		ReplicaSets []Set                   `json:"replicaSets"`
		Pods        []Pod                   `json:"pods"` // pods that do not serve
		Instants    []Instant               `json:"instants"`
		Ties        []tieOfSet              `json:"ties,omitempty"`
		Refused     []Refused               `json:"refused,omitempty"`
		Caveats     []Caveat                `json:"caveats,omitempty"`
	}{
		headOf(deployment(e.Namespace, e.Snapshot.Deployment.Name)), e.Policies, state, why, e.Report,
		explainedBudget{b, bounds{b.MaxTotal(), b.MinAvailable()}, e.wanted(), e.Plan.Plan.Status.AvailableReplicas},
		e.Plan.Plan.Actions, holds, notNil(e.Sets), notNil(e.Idle), notNil(e.Instants), tiesOf(e.Plan.Pods), e.Refused, e.Caveats,
	})
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
		headOf(daemonSet(p.Namespace, p.Snapshot.DaemonSet.Name, p.Advanced)), p.Policies, p.Plan.Actions, notNil(p.Plan.Holds), plan(p.Plan),
		notNil(p.Nodes), p.Assumed,
	})
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e DaemonExplanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	holds := make([]explained[kplan.Hold], len(e.Plan.Holds))
	for i, h := range e.Plan.Holds {
		a := e.advice(h)
		holds[i] = explained[kplan.Hold]{h, daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit), a.Means, a.Ends, a.Stuck}
	}
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
		headOf(daemonSet(e.Namespace, e.Snapshot.DaemonSet.Name, e.Advanced)), e.Policies, state, why, e.Report, e.Plan.Budget, e.Plan.Status,
		e.Plan.Actions, holds, notNil(e.Nodes), notNil(e.Idle), notNil(e.Instants), e.Refused, e.Caveats, e.Assumed,
	})
}

type bounds struct {
	MaxTotal     int32 `json:"maxTotal"`
	MinAvailable int32 `json:"minAvailable"`
}
