// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"
	"time"
)

// A Pass is one pass of a controller: a plan together with the snapshot, the time and the options
// that it was made with. Make it with [NewPass] or [Tracker.Pass], carry out Plan, and end the pass
// with [Pass.Finish]. A Pass shares the memory of its snapshot: do not change the snapshot before.
// A Pass has no JSON.
type Pass struct {
	// Plan is the plan to carry out. Shorten Plan.Actions to carry out only the first ones, or put
	// a plan of your own for the same snapshot in its place.
	Plan Plan

	snapshot Snapshot // of a Tracker with the ReplicaSets of readBy
	now      time.Time
	options  Options
}

// NewPass returns the pass whose plan is Reconcile(s, now, opts). The error is the error of
// [Reconcile].
func NewPass(s Snapshot, now time.Time, opts Options) (Pass, error) {
	p, err := Reconcile(s, now, opts)
	if err != nil {
		return Pass{}, err
	}
	return Pass{Plan: p, snapshot: s, now: now, options: opts}, nil
}

// Pass returns NewPass(t.Snapshot(), now, opts). It takes the time of [Tracker.Plan]. If the plan has
// actions it also copies the ReplicaSets that plans read, or the whole snapshot if the plan adopts or
// releases ReplicaSets. Later changes of the Tracker do not affect the Pass.
func (t *Tracker) Pass(now time.Time, opts Options) (Pass, error) {
	p, err := t.Plan(now, opts)
	if err != nil {
		return Pass{}, err
	}
	return Pass{Plan: p, snapshot: t.readBy(p.Actions), now: now, options: opts}, nil
}

// readBy returns the parts of the snapshot that the end of a pass with these actions reads.
func (t *Tracker) readBy(actions Actions) Snapshot {
	s := t.rest
	if len(actions) == 0 {
		return s
	}
	if slices.ContainsFunc(actions, isClaim) {
		return t.Snapshot()
	}
	for i := range t.relevant.Len() {
		s.ReplicaSets = append(s.ReplicaSets, *t.relevantAt(i))
	}
	for _, a := range actions {
		if a, ok := a.(CreateReplicaSet); ok {
			if i := t.sets.Find(a.Name); i >= 0 && t.places.At(i) == 0 { // no plan has read it
				s.ReplicaSets = append(s.ReplicaSets, *t.sets.At(i))
			}
		}
	}
	return s
}

func isClaim(a Action) bool {
	switch a.(type) {
	case AdoptReplicaSet, ReleaseReplicaSet:
		return true
	}
	return false
}
