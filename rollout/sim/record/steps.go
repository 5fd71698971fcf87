// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A Step is a plan that writes something, with the sizes after other controllers have followed, or
// the last plan.
type Step struct {
	Time  time.Time
	Plan  fmt.Stringer // as in a sim.Plan
	Parts []Part       // in the order of creation
	// Created and Deleted are how many pods were created, and asked to end, since the step before.
	Created, Deleted int32
	// Zones are how many pods run in each zone and are not being deleted; nil if no node has had a zone.
	Zones map[string]int32
	// PeakSkew is by how many pods the zones have differed at most since the step before, in any state
	// that has lasted.
	PeakSkew int32
}

// A Part is a ReplicaSet, as a [Step] tells of it.
type Part struct {
	Name             string
	Revision         int64 // 0 if it has none
	Wanted           int32
	Ready, Available int32
}

// Steps are the steps of Deployments, and of ReplicaSets and ReplicationControllers without one.
type Steps struct {
	runs  map[key]*run
	sets  map[string]*set  // ReplicaSets by UID
	pods  map[string]place // that run in a zone, by UID
	zones podorder.Domains // of nodes
	names map[string]bool  // of zones
}

type key struct {
	kind sim.Kind
	name string
}

// A run is the steps of one workload.
type run struct {
	uid      string
	sets     []*set
	zoned    time.Time // when the zones of pods changed last
	steps    []Step
	next     Step // its plan, and pods since the last step
	complete time.Time
	written  bool      // whether the workload, or a part of it, since the last plan
	by       string    // the maker of the last plan
	acted    bool      // whether it has written something of it
	again    time.Time // when it made the same plan last, which had no effect before
}

type set struct {
	replicaset.ReplicaSet
	of    *run
	zones map[string]int32 // of its pods that run
}

// A place is where a pod runs.
type place struct {
	zone string
	of   *set
}

// NewSteps returns the steps of the world that will be made of a configuration.
func NewSteps(c *sim.Config) *Steps {
	s := &Steps{runs: map[key]*run{}, sets: map[string]*set{}, pods: map[string]place{}, zones: podorder.Domains{}, names: map[string]bool{}}
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

func (s *Steps) run(k sim.Kind, name string) *run {
	r := s.runs[key{k, name}]
	if r == nil {
		r = &run{}
		s.runs[key{k, name}] = r
	}
	return r
}

// planned makes a step of the last plan, which all controllers have followed by now.
func (s *Steps) planned(p sim.Plan) {
	r := s.runs[key{p.Kind, p.Name}]
	switch {
	case r == nil, !r.complete.IsZero() && p.Time.After(r.complete) && !acts(p.Plan):
		return
	case !r.written && !r.acted && same(r.next.Plan, p.Plan):
		r.again = p.Time
		return
	}
	s.lasted(r, p.Time)
	s.finish(r)
	r.next.Time, r.next.Plan = p.Time, p.Plan
	r.written, r.acted, r.by, r.again = false, false, p.By, p.Time
}

// lasted notes how uneven the zones have been, if no time is left of that state.
func (s *Steps) lasted(r *run, now time.Time) {
	if len(s.names) == 0 || !now.After(r.zoned) {
		return
	}
	least, most := int32(math.MaxInt32), int32(0)
	for zone := range s.names {
		n := r.zone(zone)
		least, most = min(least, n), max(most, n)
	}
	r.next.PeakSkew = max(r.next.PeakSkew, most-least)
}

// same reports whether a plan wants as many writes as the one before it, and holds the same back.
func same(before, now fmt.Stringer) bool {
	switch now := now.(type) {
	case deploy.Plan:
		b, ok := before.(deploy.Plan)
		return ok && len(b.Actions) == len(now.Actions) && slices.Equal(b.Holds, now.Holds)
	case replicaset.Plan:
		b, ok := before.(replicaset.Plan)
		return ok && len(b.Actions) == len(now.Actions) && slices.Equal(b.Holds, now.Holds)
	}
	return false
}

// zone is how many pods of a workload run in a zone.
func (r *run) zone(name string) (n int32) {
	for _, rs := range r.sets {
		n += rs.zones[name]
	}
	return n
}

// acts notes a write, if it is one of the last plan: what a plan that was refused for long does in the
// end, it does then.
func (r *run) acts(e sim.Change) {
	if e.By == r.by && e.Why != "" && !r.acted {
		r.next.Time, r.acted = r.again, true
	}
}

// finish makes a step of the last plan, if that has written something.
func (s *Steps) finish(r *run) {
	if r.next.Plan == nil || !acts(r.next.Plan) || !r.acted {
		return
	}
	r.steps = append(r.steps, s.described(r))
	r.next = Step{}
}

// acts reports whether a plan has actions.
func acts(p fmt.Stringer) bool {
	switch p := p.(type) {
	case deploy.Plan:
		return len(p.Actions) > 0
	case replicaset.Plan:
		return len(p.Actions) > 0
	}
	return false
}

// described returns the next step with the sizes of now.
func (s *Steps) described(r *run) Step {
	step := r.next
	for _, rs := range r.sets {
		number, _ := revision.Number(rs.Annotations)
		step.Parts = append(step.Parts, Part{
			Name: rs.Name, Revision: number, Wanted: orOne(rs.Replicas), Ready: rs.Status.ReadyReplicas, Available: rs.Status.AvailableReplicas,
		})
	}
	for zone := range s.names {
		if step.Zones == nil {
			step.Zones = map[string]int32{}
		}
		step.Zones[zone] = r.zone(zone)
	}
	return step
}

func (s *Steps) observe(e sim.Change) {
	switch o := e.Object.(type) {
	case *deploy.Deployment:
		r := s.run(sim.KindDeployment, o.Name)
		r.uid, r.written = o.UID, true
		r.acts(e)
		r.completed(e.Time, deploy.Complete(o.Status, orOne(o.Replicas), o.Generation))
	case *replicaset.ReplicaSet:
		s.changed(e, o)
	case *podorder.Pod:
		s.pod(e, o)
	case *cluster.Node:
		if s.zones[o.Name] = o.Zone; o.Zone != "" {
			s.names[o.Zone] = true
		}
	}
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// completed notes since when a workload is complete.
func (r *run) completed(now time.Time, is bool) {
	switch {
	case !is:
		r.complete = time.Time{}
	case r.complete.IsZero():
		r.complete = now
	}
}

// changed notes a ReplicaSet with its owner.
func (s *Steps) changed(e sim.Change, o *replicaset.ReplicaSet) {
	rs := s.sets[o.UID]
	if rs == nil {
		rs = &set{zones: map[string]int32{}}
		s.sets[o.UID] = rs
	}
	rs.ReplicaSet = *o
	owner, alone := s.ownerOf(e.Kind, o)
	owner.written = true
	owner.acts(e)
	if rs.of != owner {
		rs.leave()
		rs.of = owner
		owner.sets = append(owner.sets, rs)
	}
	if alone {
		st := &o.Status
		owner.completed(e.Time, st.ObservedGeneration >= o.Generation && st.Replicas == orOne(o.Replicas) && st.AvailableReplicas == st.Replicas)
	}
	if e.Verb == sim.Remove {
		rs.leave()
		delete(s.sets, o.UID)
	}
}

// leave takes a ReplicaSet from its owner.
func (rs *set) leave() {
	if rs.of != nil {
		rs.of.sets = slices.DeleteFunc(rs.of.sets, func(o *set) bool { return o == rs })
	}
}

// ownerOf returns the run that a ReplicaSet is a part of: of its Deployment or, if that is not there,
// one for it alone.
func (s *Steps) ownerOf(k sim.Kind, o *replicaset.ReplicaSet) (r *run, alone bool) {
	if o.ControllerKind == deploy.Kind {
		if r := s.runs[key{sim.KindDeployment, o.ControllerName}]; r != nil && r.uid == o.ControllerUID {
			return r, false
		}
	}
	return s.run(k, o.Name), true
}

// pod counts what becomes of a pod.
func (s *Steps) pod(e sim.Change, p *podorder.Pod) {
	before, known := s.pods[p.UID]
	rs := s.sets[p.ControllerUID]
	if rs != nil && e.By != "user" {
		rs.of.acts(e)
		switch {
		case e.Verb == sim.Create:
			rs.of.next.Created++
		case e.Verb == sim.Delete, e.Verb == sim.Evicted, e.Verb == sim.Remove && p.DeletionTimestamp.IsZero():
			rs.of.next.Deleted++
		}
	}
	if known {
		s.spread(before, -1, e.Time)
		delete(s.pods, p.UID)
	}
	if zone := s.zones[p.NodeName]; rs != nil && zone != "" && e.Verb != sim.Remove && p.Active() {
		s.pods[p.UID] = place{zone, rs}
		s.spread(s.pods[p.UID], 1, e.Time)
	}
}

// spread counts a pod in its zone, or no more.
func (s *Steps) spread(p place, n int32, now time.Time) {
	s.lasted(p.of.of, now)
	p.of.of.zoned = now
	p.of.zones[p.zone] += n
}

// Workload returns the steps of a workload: at least one, if it was planned for. The last one is its last plan,
// from the time on at which that said anything new. It reports since when the workload is complete, if it
// is: then the steps end there.
func (s *Steps) Workload(k sim.Kind, name string) (steps []Step, complete time.Time) {
	r := s.runs[key{k, name}]
	if r == nil || r.next.Plan == nil && len(r.steps) == 0 {
		return nil, time.Time{}
	}
	s.lasted(r, r.zoned.Add(1)) // the last state lasts
	s.finish(r)
	last := s.described(r)
	if n := len(r.steps); last.Plan == nil { // the last plan acted
		last.Plan, last.Time = r.steps[n-1].Plan, r.steps[n-1].Time
	}
	if n := len(r.steps); !r.complete.IsZero() && r.complete.Before(last.Time) {
		if last.Time = r.complete; n > 0 && r.steps[n-1].Time.After(last.Time) {
			last.Time = r.steps[n-1].Time
		}
	}
	return append(r.steps[:len(r.steps):len(r.steps)], last), r.complete
}
