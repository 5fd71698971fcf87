// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"reflect"

	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A simulatedStep is the JSON form of a step of any kind of workload.
type simulatedStep struct {
	Time      float64          `json:"time"`         // in seconds
	By        string           `json:"by,omitempty"` // the object of the plan
	Actions   any              `json:"actions"`
	Holds     any              `json:"holds,omitempty"`
	Pods      simulatedPods    `json:"pods"` // since the previous step
	Parts     []simulatedPart  `json:"parts"`
	Total     int32            `json:"total"`
	Available int32            `json:"available"`
	Traffic   *int32           `json:"traffic,omitempty"` // to new pods, in percent
	Zones     map[string]int32 `json:"zones,omitempty"`
	Phase     string           `json:"phase,omitempty"` // of a Rollout, like the following fields
	Step      int32            `json:"step,omitempty"`
	State     string           `json:"state,omitempty"`
	Message   string           `json:"message,omitempty"`
	Paused    bool             `json:"paused,omitempty"`
	Aborted   bool             `json:"aborted,omitempty"`
	Status    any              `json:"status,omitempty"` // in the plan
	Tie       *Tie             `json:"tie,omitempty"`    // between pods of which only some are deleted
}

type simulatedPods struct {
	Created int32 `json:"created"`
	Deleted int32 `json:"deleted"`
}

type simulatedPart struct {
	Name      string `json:"name"` // of a ReplicaSet, or the hash of a template
	Revision  int64  `json:"revision,omitempty"`
	New       bool   `json:"new,omitempty"`
	Replicas  int32  `json:"replicas"`
	Ready     int32  `json:"ready"`
	Available int32  `json:"available"`
}

type simulatedBounds struct {
	MaxTotal     *int32 `json:"maxTotal,omitempty"`
	MinAvailable *int32 `json:"minAvailable,omitempty"`
}

// MarshalJSON encodes the rollout. Times are seconds from its start.
func (s Simulation) MarshalJSON() ([]byte, error) {
	steps := make([]simulatedStep, len(s.Steps))
	for i := range s.Steps {
		steps[i] = s.encoded(i)
	}
	var peak *int32
	if len(s.zones()) > 0 {
		most, _ := s.peakSkew()
		peak = &most
	}
	var limits *simulatedBounds
	if most, least := s.Of.limits(&s); most != nil || least != nil {
		limits = &simulatedBounds{most, least}
	}
	return marshal(struct {
		head
		Policies []string         `json:"policies,omitempty"`
		Assumed  []string         `json:"assumed,omitempty"`
		Bounds   *simulatedBounds `json:"bounds,omitempty"`
		Done     bool             `json:"done"`
		Why      string           `json:"why,omitempty"`     // why it is not done
		Waiting  []string         `json:"waiting,omitempty"` // pods that wait for a node
		Caveats  []Caveat         `json:"caveats,omitempty"`
		PeakSkew *int32           `json:"peakSkew,omitempty"`
		Steps    []simulatedStep  `json:"steps"`
	}{headOf(s.Subject()), s.Policies, s.Assumed, limits, s.Done, s.Unfinished(), s.Waiting, s.Caveats, peak, steps})
}

// encoded returns the JSON form of a step. The last step has no actions.
func (s *Simulation) encoded(i int) simulatedStep {
	p := &s.Steps[i]
	plan := reflect.ValueOf(p.Plan)
	part := func(name string) any { return plan.FieldByName(name).Interface() }
	step := simulatedStep{
		Time: s.at(&p.Sizes).Seconds(), By: p.By, Actions: part("Actions"), Pods: simulatedPods{p.Created, p.Deleted}, Parts: parts(&p.Sizes),
		Total: total(&p.Sizes), Available: p.Available, Zones: p.Zones, Phase: p.Phase, Step: p.Step, State: p.State, Message: p.Message,
		Paused: p.Paused, Aborted: p.Aborted, Status: part("Status"),
	}
	if plan.FieldByName("Holds").Len() > 0 {
		step.Holds = part("Holds")
	}
	if p.Traffic >= 0 {
		step.Traffic = &p.Traffic
	}
	if i == len(s.Steps)-1 || plan.FieldByName("Actions").Len() == 0 {
		step.Actions = json.RawMessage("[]")
	} else if of, ok := s.Of.(interface {
		actions(*record.Step) (json.RawMessage, *Tie)
	}); ok {
		if text, tie := of.actions(p); text != nil {
			step.Actions, step.Tie = text, tie
		}
	}
	return step
}

func parts(z *record.Sizes) []simulatedPart {
	list := make([]simulatedPart, len(z.Parts))
	for i, p := range z.Parts {
		list[i] = simulatedPart{p.Name, p.Revision, p.New, p.Wanted, p.Ready, p.Available}
	}
	return list
}
