// SPDX-License-Identifier: Apache-2.0

package daemonset

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

	snapshot Snapshot // of a Tracker without nodes and pods if the plan adopts nothing
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

// Pass returns NewPass(t.Snapshot(), now, opts). It takes the time of [Tracker.Plan], and O(N) if the
// plan adopts pods or revisions. Later changes of the Tracker do not affect the Pass.
func (t *Tracker) Pass(now time.Time, opts Options) (Pass, error) {
	p, err := t.Plan(now, opts)
	if err != nil {
		return Pass{}, err
	}
	s := t.rest
	if slices.ContainsFunc(p.Actions, adopts) { // Result.Again has all pods
		s = t.Snapshot()
	}
	return Pass{Plan: p, snapshot: s, now: now, options: opts}, nil
}

func adopts(a Action) bool {
	switch a.(type) {
	case AdoptPod, AdoptRevision:
		return true
	}
	return false
}
