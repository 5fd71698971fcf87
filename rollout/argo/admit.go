// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"strconv"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/quirkset"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// input is a snapshot that can be planned for, as of now. Nothing writes to it.
type input struct {
	s    *Snapshot
	r    *Rollout
	read *Status // as it was read
	now  time.Time
	// repair lists the quirks that the plan does not have.
	repair quirk.Set
}

// admit checks a snapshot.
func admit(s *Snapshot, now time.Time, opts Options) (input, error) {
	var es kplan.FieldErrors
	quirkset.Check(&es, uint64(opts.Repair), uint64(quirk.All))
	if now.IsZero() {
		es.Add("now", now, "must be set")
	}
	if s.Rollout.TemplateHash == "" {
		es.Add("Rollout.TemplateHash", "", "must be set")
	}
	if s.Rollout.Replicas != nil {
		es.NotNegative("Rollout.Replicas", *s.Rollout.Replicas)
	}
	if s.Rollout.BlueGreen != nil && s.Active == nil {
		es.Add("Active", nil, "must be set for a blue-green update")
	}
	if (s.Ping == nil) != (s.Pong == nil) {
		es.Add("Ping", s.Ping != nil, "must be set with Pong, and Pong with it")
	}
	seen := make(map[string]bool, len(s.Sets))
	for i := range s.Sets {
		set := &s.Sets[i]
		path := func() string { return "Sets[" + strconv.Itoa(i) + "]" }
		if set.Replicas < 0 {
			es.NotNegative(path()+".Replicas", set.Replicas)
		}
		if seen[set.Hash] {
			es.Add(path()+".Hash", set.Hash, "must be unique")
		}
		seen[set.Hash] = true
	}
	seen = make(map[string]bool, len(s.Pods))
	for i := range s.Pods {
		if name := s.Pods[i].Name; seen[name] {
			es.Add("Pods["+strconv.Itoa(i)+"].Name", name, "must be unique")
		}
		seen[s.Pods[i].Name] = true
	}
	for i := range s.Routes {
		if name := s.Routes[i].Name; route(s.Routes[:i], name) != nil {
			es.Add("Routes["+strconv.Itoa(i)+"].Name", name, "must be unique")
		}
	}
	return input{s: s, r: &s.Rollout, read: &s.Rollout.Status, now: now.Round(0).UTC(), repair: opts.Repair}, es.Join()
}

// replicas returns the size of the Rollout.
func (in *input) replicas() int32 {
	if in.r.Replicas == nil {
		return 1
	}
	return *in.r.Replicas
}

// changed reports whether the template differs from the one in the status.
func (in *input) changed() bool {
	return in.read.CurrentPodHash != "" && in.read.CurrentPodHash != in.r.TemplateHash
}

// stepsChanged reports whether the status was written for other steps.
func (in *input) stepsChanged() bool {
	return in.read.CurrentStepHash != "" && in.read.CurrentStepHash != in.r.StepHash
}

// paused returns the pause condition with a reason, nil if there is no such condition.
func (in *input) paused(reason string) *PauseCondition {
	for i := range in.read.PauseConditions {
		if in.read.PauseConditions[i].Reason == reason {
			return &in.read.PauseConditions[i]
		}
	}
	return nil
}

// halted reports whether nothing may progress: a user has paused the Rollout, or an
// analysis was inconclusive.
func (in *input) halted() bool {
	return in.r.Paused || in.paused(PauseInconclusive) != nil
}

// empty reports whether an update of 0 replicas starts no pod.
func (in *input) empty() bool {
	return in.replicas() == 0 && in.repair.Has(quirk.ZeroReplicasTakeSteps)
}

// index returns the current step: 0 if the status has none, nil without steps.
func (in *input) index() *int32 {
	switch {
	case len(in.r.Steps) == 0:
		return nil
	case in.read.CurrentStepIndex != nil:
		return in.read.CurrentStepIndex
	}
	return ptr.To(int32(0))
}

// stepsSoFar returns the steps up to the current one.
func (in *input) stepsSoFar() []Step {
	i := in.index()
	if i == nil || *i < 0 {
		return nil
	}
	return in.r.Steps[:min(int64(*i)+1, int64(len(in.r.Steps)))]
}

// step returns the current step, nil without steps or after the last one.
func (in *input) step() *Step {
	if i := in.index(); i != nil && *i >= 0 && int(*i) < len(in.r.Steps) {
		return &in.r.Steps[*i]
	}
	return nil
}

// style returns the style of the Rollout.
func (in *input) style() Style {
	switch {
	case in.r.BlueGreen != nil:
		return StyleBlueGreen
	case in.r.Routing != nil:
		return StyleRouted
	}
	return StyleCanary
}

// turns returns the Services that take turns, the stable one first; nil without such
// Services.
func (in *input) turns() (stable, canary *Service) {
	if in.read.StablePingPong == Ping {
		return in.s.Ping, in.s.Pong
	}
	return in.s.Pong, in.s.Ping
}

// promoted reports whether the template is the stable one.
func (s *Status) promoted() bool { return s.StableRS != "" && s.StableRS == s.CurrentPodHash }
