// SPDX-License-Identifier: Apache-2.0

// Package layer is a planner of Rollouts of Argo that calls the planner of package argo, and may
// add a bug before or after the call.
package layer

import (
	"time"

	"github.com/kplan-go/kplan/rollout/argo"
)

// A Bug is a possible mistake in such a planner.
type Bug string

// The bugs.
const (
	None          Bug = ""
	Surges        Bug = "each size is one more"
	Local         Bug = "the hour decides"
	ForgetsOwner  Bug = "pods of another are scaled"
	Silent        Bug = "holds lose their reasons"
	SkipsStep     Bug = "a step is skipped"
	HandsOut      Bug = "the step of the cache is handed out"
	FirstIsOldest Bug = "the first of the list is taken for the oldest"
	WritesAlways  Bug = "a deadline is written again and again"
	Ahead         Bug = "the clock is an hour ahead"
)

// Bugs returns all of them.
func Bugs() []Bug {
	return []Bug{Surges, Local, ForgetsOwner, Silent, SkipsStep, HandsOut, FirstIsOldest, WritesAlways, Ahead}
}

// Plan returns the planner with a bug.
func Plan(b Bug) func(argo.Snapshot, time.Time, argo.Options) (argo.Plan, error) {
	return func(s argo.Snapshot, now time.Time, o argo.Options) (argo.Plan, error) {
		if b == Ahead {
			now = now.Add(time.Hour)
		}
		p, err := argo.Reconcile(s, now, o)
		if err != nil {
			return p, err
		}
		switch b {
		case Local:
			p.Status.Message = now.Format("15h")
		case Silent:
			for i := range p.Holds {
				p.Holds[i].Reason = ""
			}
		case HandsOut:
			p.Status.CurrentStepIndex = s.Rollout.Status.CurrentStepIndex
		case FirstIsOldest:
			if len(s.Sets) > 0 {
				p.Status.Message = s.Sets[0].Name
			}
		}
		for i, a := range p.Actions {
			if a, is := a.(argo.ScaleReplicaSet); is {
				p.Actions[i] = b.scaled(a)
			}
		}
		return b.added(s, p), nil
	}
}

func (b Bug) scaled(a argo.ScaleReplicaSet) argo.ScaleReplicaSet {
	switch b {
	case Surges:
		a.To += 5
	case ForgetsOwner:
		a.Name, a.Hash = "another", "another"
	}
	return a
}

func (b Bug) added(s argo.Snapshot, p argo.Plan) argo.Plan {
	was, is := s.Rollout.Status.CurrentStepIndex, p.Status.CurrentStepIndex
	switch b {
	case SkipsStep:
		if was != nil && is != nil && *is > *was {
			next := *is + 1
			p.Status.CurrentStepIndex = &next
		}
	case WritesAlways:
		for _, rs := range s.Sets {
			p.Actions = append(p.Actions, argo.DelayReplicaSet{Name: rs.Name, Hash: rs.Hash, Until: rs.ScaleDownAt})
		}
	}
	return p
}
