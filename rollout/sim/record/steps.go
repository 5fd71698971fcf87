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

// A Step is a plan that writes something, with the sizes after other controllers have followed, or
// the last plan.
type Step struct {
	Sizes              // from the time of the plan on
	By    string       // the controller whose plan it is, as in a sim.Plan
	Plan  fmt.Stringer // as in a sim.Plan
	// Idle is the first plan for the workload before the next step that writes nothing; nil if there was none.
	Idle fmt.Stringer
	// Created and Deleted are how many pods were created, and asked to end, since the step before.
	Created, Deleted int32
	// PeakSkew is by how many pods the zones have differed at most since the step before, in any state
	// that has lasted.
	PeakSkew int32
}

// Steps are the steps of workloads: Deployments, DaemonSets, CloneSets and StatefulSets, Rollouts of Argo,
// ReplicaSets and ReplicationControllers without one, and Rollouts of OpenKruise, to which the steps
// of what they release belong.
//
//	changes of objects and pods --observe--> runs with their parts --described--> Sizes
//	plans                       --planned--> the next step, which the plan after it ends
type Steps struct {
	runs  map[key]*run
	of    map[string]*run   // whose workloads and ReplicaSets are, or were, by UID
	sets  map[string]*part  // ReplicaSets by UID
	pods  map[string]place  // by UID: those of DaemonSets and sets, and those that run in a zone
	zones podorder.Domains  // of nodes
	names map[string]bool   // of zones
	now   time.Time         // of the last change
	dirty map[*run]struct{} // what has changed at that instant

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
	led    []*run // what a Rollout releases
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

// beside returns a function that calls two, of which the second may be nil.
func beside[T any](f, g func(T)) func(T) {
	return func(x T) {
		f(x)
		if g != nil {
			g(x)
		}
	}
}

// planned makes a step of the last plan, which all controllers have followed by now.
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

// rests reports whether nothing that sizes tell of has become of a Rollout since its last plan. Statuses of
// what it releases may have changed, such as with a progress deadline that is over.
func (s *Steps) rests(r *run) bool {
	if r.kind != sim.KindRollout || r.moved {
		return false
	}
	z := s.measured(r, r.seen.Time)
	return z.equal(&r.seen)
}

// acts notes a write, if it is one of the last plan: what a plan that was refused for long does in the
// end, it does then.
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

// described returns the next step with the sizes of now.
func (s *Steps) described(r *run) Step {
	step := r.next
	step.Sizes = s.measured(r, step.Time)
	return step
}

// Workload returns the steps of a workload: at least one, if it was planned for and no Rollout releases it. The
// last one is its last plan, from the time on at which that said anything new. It reports since when the workload
// is complete, if it is: then the steps end there.
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

// Sizes returns those of a workload before the first plan for it, and at each instant at which they have changed.
func (s *Steps) Sizes(k sim.Kind, name string) []Sizes {
	s.flush()
	if r := s.runs[key{k, name}]; r != nil {
		return r.sizes
	}
	return nil
}

// Owns reports whether an object with a UID is a workload, or a ReplicaSet or another workload that is or was
// a part of it.
func (s *Steps) Owns(k sim.Kind, name, uid string) bool {
	r, of := s.runs[key{k, name}], s.of[uid]
	return r != nil && of != nil && (of.top() == r || of.former == r)
}
