// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A ReplicaPlan is the next plan for a ReplicaSet or ReplicationController on its own.
type ReplicaPlan struct {
	Kind       string
	Namespace  string
	Controller string // such as Deployment web, or ""
	PodPlan
	Policies  []string // flags that make it differ from Kubernetes
	Unapplied bool     // a manifest that was not applied yet
}

// Subject returns the ReplicaSet or ReplicationController.
func (p ReplicaPlan) Subject() Subject { return replicaSet(p.Kind, p.Namespace, p.Name) }

// Verdict returns the verdict on the ReplicaSet.
func (p ReplicaPlan) Verdict() Verdict {
	return verdictOf(&ReplicaExplanation{ReplicaPlan: p}, p.Unapplied)
}

func (p *ReplicaPlan) name() string { return p.Kind + " " + p.Subject().label() }

// there returns the words for the current pods.
func (p *ReplicaPlan) there() string {
	s := &p.Plan.Status
	text := "none"
	if s.Replicas > 0 {
		text = fmt.Sprintf("%d, of which %d ready and %d available", s.Replicas, s.ReadyReplicas, s.AvailableReplicas)
	}
	if n := s.TerminatingReplicas; n != nil && *n > 0 {
		text += fmt.Sprintf("; %d more are being deleted", *n)
	}
	return text
}

// withoutHolds returns the plan without its holds.
func (p *ReplicaPlan) withoutHolds() PodPlan {
	plan := p.PodPlan
	plan.Plan.Holds = nil
	return plan
}

// complete reports whether all pods exist and are available.
func (p *ReplicaPlan) complete() bool {
	s := &p.Plan.Status
	return len(p.Plan.Actions) == 0 && s.Replicas == p.Wanted && s.AvailableReplicas == p.Wanted
}

// Text writes the plan as text.
func (p ReplicaPlan) Text(w *terminal.Writer) {
	w.Printf("%s: wants %s, has %s\n\n", p.name(), plural(p.Wanted, "pod"), p.there())
	writePolicies(w, p.Policies, ofKubernetes)
	switch {
	case p.complete():
		w.Printf("Nothing to do: all pods are available.\n\n")
	case len(p.Plan.Actions) == 0:
		w.Printf("Nothing to do at the moment.\n\n")
	}
	podActions(w, []PodPlan{p.withoutHolds()})
	if len(p.Plan.Holds) > 0 {
		t := terminal.NewTable("HELD BACK", "REASON", "WHY")
		for _, h := range p.Plan.Holds {
			t.Row(p.Name, string(h.Reason), replicaSetHolds.whyNot(h.Reason, h.Have, h.Limit))
		}
		t.WriteTo(w)
		w.Printf("\n")
	}
	w.Printf("Status:   %v%s\n", p.Plan.Status, terminating(p.Plan.Status.TerminatingReplicas))
	writeRecheck(w, "Recheck:  ", p.Plan.RecheckAt, p.Now)
}

// MarshalJSON encodes the plan. Actions and holds are never left out.
func (p ReplicaPlan) MarshalJSON() ([]byte, error) {
	type plan replicaset.Plan // without methods
	actions, err := p.Tie.actions(p.Plan.Actions)
	if err != nil {
		return nil, err
	}
	return marshal(struct {
		head
		Controller string          `json:"controller,omitempty"`
		Policies   []string        `json:"policies,omitempty"`
		Wanted     int32           `json:"wanted"`
		Actions    json.RawMessage `json:"actions"`
		Holds      []kplan.Hold    `json:"holds"`
		plan
		Reasons []podorder.Explanation `json:"reasons,omitempty"`
		Tie     *Tie                   `json:"tie,omitempty"`
	}{
		headOf(p.Subject()), p.Controller, p.Policies, p.Wanted, actions, notNil(p.Plan.Holds), plan(p.Plan), p.Reasons, p.Tie,
	})
}

// A ReplicaExplanation explains why a ReplicaSet or ReplicationController makes progress or not.
type ReplicaExplanation struct {
	ReplicaPlan
	Failure  string    // message of its condition ReplicaFailure, or ""
	Idle     []Pod     // pods that do not serve
	Instants []Instant // times of changes without events
	Caveats  []Caveat
}

// Verdict returns the verdict on the ReplicaSet.
func (e ReplicaExplanation) Verdict() Verdict { return verdictOf(&e, e.Unapplied) }

// State returns the state of the ReplicaSet, and one sentence that explains it.
func (e *ReplicaExplanation) State() (State, string) {
	state, why := e.planned()
	return withCaveats(state, why, e.Caveats)
}

// planned is State without caveats.
func (e *ReplicaExplanation) planned() (State, string) {
	actions := e.Plan.Actions
	state, why := StateWaiting, "Nothing will happen, and the planner does not say why."
	switch {
	case e.complete():
		return StateComplete, e.completeText() + endings(e.Idle, e.Now, e.Plan.Status.TerminatingReplicas)
	case e.Failure != "" && len(actions) > 0:
		return StateStuck, refusedIn(e.failed().Means, e.Failure)
	case len(actions) == 1:
		return StateProgressing, "The controller will act at once: " + e.row(actions[0])[0] + "."
	case len(actions) > 1:
		return StateProgressing, fmt.Sprintf("The controller will act at once, in %d writes.", len(actions))
	}
	for i, h := range e.Plan.Holds {
		if a := replicaSetHolds.advice(h.Reason); i == 0 || a.Stuck {
			why = a.Means
			if a.Stuck {
				state = StateStuck
			}
		}
	}
	return state, causes(e.Idle, e.Now, e.Plan.Status.TerminatingReplicas, why)
}

// failed returns the advice for a ReplicaSet that cannot create or delete pods.
func (e *ReplicaExplanation) failed() Advice {
	a := deploymentHolds.advice(reason.ReplicaFailure)
	a.Means = strings.ReplaceAll(a.Means, replicaset.Kind, e.Kind)
	a.Text = formatted(a.Text, []any{e.Plan.Status.Replicas, e.Wanted})
	return a
}

func (e *ReplicaExplanation) completeText() string {
	switch e.Wanted {
	case 0:
		return "No pod is wanted, and none is left."
	case 1:
		return "The pod is available."
	}
	return fmt.Sprintf("All %d pods are available.", e.Wanted)
}

// Text writes the explanation as text.
func (e ReplicaExplanation) Text(w *terminal.Writer) {
	state, why := e.State()
	writeState(w, e.name(), e.Unapplied, state, why)
	writePolicies(w, e.Policies, ofKubernetes)
	if e.Controller != "" {
		w.Printf("Controller:              %s, which may change the size\n", e.Controller)
	}
	w.Printf("Pods:                    wants %d, has %s\n", e.Wanted, e.there())
	writeInstants(w, e.Instants, e.Now)
	writeIdle(w, e.Idle)
	if e.Tie != nil {
		w.Printf("\nGoes: %s.\nIt is %s.\n", e.Tie.text(), tieWhy)
	}
	if len(e.Plan.Actions) > 0 {
		w.Printf("\n")
		e.actions().WriteTo(w)
	}
	for i, h := range e.held() {
		if i == 0 {
			w.Printf("\nHeld back:\n")
		}
		writeAdvice(w, e.Name, h.Text, h.reason, h.Advice, h.says)
	}
	writeCaveats(w, e.Caveats)
}

// actions returns a table of the actions on pods.
func (e *ReplicaExplanation) actions() *terminal.Table {
	plan := e.withoutHolds()
	t := terminal.NewTable("POD ACTION", "REASON", "WHY")
	for _, row := range plan.rows() {
		t.Row(row...)
	}
	return t
}

// A replicaHold is a hold in words.
type replicaHold struct {
	reason kplan.Reason
	Advice
	says string
}

func (e *ReplicaExplanation) held() (list []replicaHold) {
	if e.Failure != "" {
		list = append(list, replicaHold{reason.ReplicaFailure, e.failed(), e.Failure})
	}
	for _, h := range e.Plan.Holds {
		a := replicaSetHolds.advice(h.Reason)
		a.Text = replicaSetHolds.whyNot(h.Reason, h.Have, h.Limit)
		list = append(list, replicaHold{h.Reason, a, ""})
	}
	return list
}

// MarshalJSON encodes the explanation. Lists are never left out.
func (e ReplicaExplanation) MarshalJSON() ([]byte, error) {
	state, why := e.State()
	actions, err := e.Tie.actions(e.Plan.Actions)
	if err != nil {
		return nil, err
	}
	holds := explain(e.Plan.Holds, func(h kplan.Hold) Advice { return replicaSetHolds.advice(h.Reason) })
	return marshal(struct {
		head
		Controller string                  `json:"controller,omitempty"`
		Policies   []string                `json:"policies,omitempty"`
		State      State                   `json:"state"`
		Why        string                  `json:"why"`
		Wanted     int32                   `json:"wanted"`
		Status     replicaset.Status       `json:"status"`
		Actions    json.RawMessage         `json:"actions"`
		Holds      []explained[kplan.Hold] `json:"holds"`
		Failure    string                  `json:"failure,omitempty"`
		Pods       []Pod                   `json:"pods"` // pods that do not serve
		Instants   []Instant               `json:"instants"`
		Tie        *Tie                    `json:"tie,omitempty"`
		Caveats    []Caveat                `json:"caveats,omitempty"`
	}{
		headOf(e.Subject()), e.Controller, e.Policies, state, why, e.Wanted, e.Plan.Status, actions, holds, e.Failure,
		notNil(e.Idle), notNil(e.Instants), e.Tie, e.Caveats,
	})
}
