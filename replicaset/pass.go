// SPDX-License-Identifier: Apache-2.0

package replicaset

import "time"

// A Pass is one pass of a controller: a plan together with the snapshot, the time and the options
// that it was made with. Make it with [NewPass] or [Tracker.Pass], carry out Plan, and end the pass
// with [Pass.Finish]. A Pass shares the memory of its snapshot: do not change the snapshot before.
// A Pass has no JSON.
type Pass struct {
	// Plan is the plan to carry out. Shorten Plan.Actions to carry out only the first ones, or put
	// a plan of your own for the same snapshot in its place.
	Plan Plan

	snapshot Snapshot // without pods if the plan neither adopts nor releases any
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
// plan adopts or releases pods. Later changes of the Tracker do not affect the Pass.
func (t *Tracker) Pass(now time.Time, opts Options) (Pass, error) {
	p, err := t.Plan(now, opts)
	if err != nil {
		return Pass{}, err
	}
	s := t.rest
	if len(p.Actions) > 0 && isClaim(p.Actions[0]) {
		s.Pods = t.pods.List()
	}
	return Pass{Plan: p, snapshot: s, now: now, options: opts}, nil
}

// isClaim reports whether an action is an adoption or a release. These come first in a plan.
func isClaim(a Action) bool {
	switch a.(type) {
	case AdoptPod, ReleasePod:
		return true
	}
	return false
}
