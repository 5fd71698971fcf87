// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// A Step is a plan that writes something, with the sizes after other controllers have reacted, or
// the last plan.
type Step struct {
	Sizes              // from the time of the plan on
	By    string       // the controller of the plan, as in a sim.Plan
	Plan  fmt.Stringer // as in a sim.Plan
	// Idle is the first plan without writes for the workload before the next step, or nil.
	Idle fmt.Stringer
	// Created and Deleted are the numbers of pods created, and marked as deleted, since the last step.
	Created, Deleted int32
	// PeakSkew is the largest difference between zones in pods since the last step, in any state that
	// has lasted.
	PeakSkew int32
}

// Steps are the steps of workloads: Deployments, DaemonSets, CloneSets and StatefulSets, Rollouts
// of Argo, ReplicaSets and ReplicationControllers without an owner, and Rollouts of OpenKruise,
// which include the steps of their workloads.
//
//	changes of objects and pods --observe--> runs with their parts --described--> Sizes
//	plans                       --planned--> the next step, which the plan after it ends
type Steps struct {
	runs  map[key]*run
	of    map[string]*run   // by UID of a workload or ReplicaSet, present or former
	sets  map[string]*part  // ReplicaSets by UID
	pods  map[string]place  // by UID: of DaemonSets and sets, and all that run in a zone
	zones podorder.Domains  // of nodes
	names map[string]bool   // of zones
	now   time.Time         // of the last change
	dirty map[*run]struct{} // runs that have changed at that instant

	revisions map[string]*revision.ControllerRevision // of DaemonSets, by UID
	services  map[string]*traffic.Service
	routes    map[string]*traffic.Route
	ingresses map[string]*traffic.Ingress
}

type key struct {
	kind sim.Kind
	name string
}

// A run is the steps of one workload.
type run struct {
	key
	uid    string
	object any    // as it was last
	leader *run   // the Rollout that releases it, or nil
	former *run   // the last that did so before
	led    []*run // the workloads that a Rollout releases
	made   bool   // whether a BatchRelease has made it
	batch  bool   // whether a Rollout has a BatchRelease
	parts  []*part

	steps    []Step
	sizes    []Sizes // of instants at which they have changed
	next     Step    // its plan, and pods since the last step
	last     Step    // the last plan for the workload itself
	seen     Sizes   // of a Rollout, at the last plan
	zoned    time.Time
	complete time.Time
	written  bool      // whether the workload, or a part of it, since the last plan
	acted    bool      // whether the maker of the last plan has written something of it
	moved    bool      // whether a Rollout has come to another step or phase since the last plan
	again    time.Time // when the same plan was made last, which had no effect before
}

// NewSteps returns the steps of the world that will be made of a configuration.
func NewSteps(c *sim.Config) *Steps {
	s := &Steps{
		runs: map[key]*run{}, of: map[string]*run{}, sets: map[string]*part{}, pods: map[string]place{},
		zones: podorder.Domains{}, names: map[string]bool{}, dirty: map[*run]struct{}{},
		revisions: map[string]*revision.ControllerRevision{}, services: map[string]*traffic.Service{},
		routes: map[string]*traffic.Route{}, ingresses: map[string]*traffic.Ingress{},
	}
	c.Observe, c.Planned = beside(s.observe, c.Observe), beside(s.planned, c.Planned)
	return s
}

// beside returns a function that calls f and g. g may be nil.
func beside[T any](f, g func(T)) func(T) {
	return func(x T) {
		f(x)
		if g != nil {
			g(x)
		}
	}
}

// planned makes a step of the last plan. By now all controllers have reacted to it.
func (s *Steps) planned(p sim.Plan) {
	kind, own := p.Kind, true
	if kind == batchRelease {
		kind, own = sim.KindRollout, false
	}
	r := s.runs[key{kind, p.Name}]
	if r == nil {
		return
	}
	own = own && r.leader == nil
	r = r.top()
	if len(r.sizes) == 0 {
		r.sizes = []Sizes{s.measured(r, p.Time)}
	}
	switch {
	case !own && !acts(p.Plan), !r.complete.IsZero() && p.Time.After(r.complete) && !acts(p.Plan):
		return
	case !r.acted && same(r.next.Plan, p.Plan) && (!r.written || s.rests(r)):
		r.again = p.Time
		return
	}
	if plan, ok := p.Plan.(replicaset.Plan); ok { // it counts pods before the status that it writes does
		for _, of := range r.parts {
			of.Ready, of.Available, of.there = plan.Status.ReadyReplicas, plan.Status.AvailableReplicas, plan.Status.Replicas
		}
	}
	s.lasted(r, p.Time)
	if n := len(r.steps); n > 0 && r.steps[n-1].Idle == nil && r.next.Plan != nil && r.next.By == r.last.By && !r.moved && !acts(r.next.Plan) {
		r.steps[n-1].Idle = r.next.Plan
	}
	s.finish(r)
	r.next.Time, r.next.By, r.next.Plan = p.Time, p.By, p.Plan
	if own {
		r.last = r.next
	}
	if r.kind == sim.KindRollout {
		r.seen = s.measured(r, p.Time)
	}
	r.written, r.acted, r.moved, r.again = false, false, false, p.Time
}

// rests reports whether the sizes of a Rollout are unchanged since its last plan. Statuses of its
// workloads may have changed, for instance after a progress deadline.
func (s *Steps) rests(r *run) bool {
	if r.kind != sim.KindRollout || r.moved {
		return false
	}
	z := s.measured(r, r.seen.Time)
	return z.equal(&r.seen)
}

// acts notes a write of the last plan. A plan with requests that were refused for some time counts
// from its last repetition.
func (r *run) acts(e sim.Change) {
	if e.By == r.next.By && e.Why != "" && !r.acted {
		r.next.Time, r.acted = r.again, true
	}
}

// finish makes a step of the last plan, if that has written something.
func (s *Steps) finish(r *run) {
	if r.next.Plan == nil || !r.moved && !(r.acted && acts(r.next.Plan)) {
		return
	}
	r.steps = append(r.steps, s.described(r))
	r.next = Step{}
}

// described returns the next step with the current sizes.
func (s *Steps) described(r *run) Step {
	step := r.next
	step.Sizes = s.measured(r, step.Time)
	return step
}

// Workload returns the steps of a workload: at least one, if it was planned for and no Rollout
// releases it. The last step is its last plan, from the time at which that plan first differed. It
// also returns the time since which the workload is complete, if it is: the steps end there.
func (s *Steps) Workload(k sim.Kind, name string) (steps []Step, complete time.Time) {
	r := s.runs[key{k, name}]
	if r == nil || r.last.Plan == nil {
		return nil, time.Time{}
	}
	s.lasted(r, r.zoned.Add(1)) // the last state lasts
	s.finish(r)
	last := s.described(r)
	n := len(r.steps)
	if last.Plan == nil { // the last plan acted
		last.Time = r.steps[n-1].Time
	}
	last.Plan, last.By = r.last.Plan, r.last.By
	if !r.complete.IsZero() && r.complete.Before(last.Time) {
		if last.Time = r.complete; n > 0 && r.steps[n-1].Time.After(last.Time) {
			last.Time = r.steps[n-1].Time
		}
	}
	return append(r.steps[:n:n], last), r.complete
}

// Sizes returns the sizes of a workload before its first plan, and at each instant at which they
// have changed.
func (s *Steps) Sizes(k sim.Kind, name string) []Sizes {
	s.flush()
	if r := s.runs[key{k, name}]; r != nil {
		return r.sizes
	}
	return nil
}

// Owns reports whether a UID belongs to a workload, or to a ReplicaSet or another workload that is
// or was a part of it.
func (s *Steps) Owns(k sim.Kind, name, uid string) bool {
	r, of := s.runs[key{k, name}], s.of[uid]
	return r != nil && of != nil && (of.top() == r || of.former == r)
}
