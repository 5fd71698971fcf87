// SPDX-License-Identifier: Apache-2.0

package sim

import "fmt"

// passes is how many steps may be made without time passing, and a tenth as many more for each
// object that there is: so many writes there may be, and they may undo each other for ever.
const passes = 10_000

// rushSteps is how many steps of a rush each object may cause that there was when it began, and
// rushPods how many each pod that there was, or that is wanted.
const (
	rushSteps = passes / 100
	rushPods  = 10
)

// rushes begins a rush, if none is under way.
func (f *Fleet) rushes() {
	if f.rush.under {
		return
	}
	s := f.w.store
	f.rush = rush{under: true, created: f.created(), objects: f.objects(), pods: s.pods.size() + s.daemons.size()}
}

// stepped counts a step, and ends the fleet if that was one too many.
func (f *Fleet) stepped() {
	w := f.w
	if w.now.After(f.stood) { // requests take time, too
		f.stood, w.still = w.now, 0
		f.rush.under = false
	}
	if n := f.created(); n == f.rush.created {
		f.rush.steps++
	} else {
		f.rush.created = n
	}
	if w.still++; f.restless() {
		w.fail(fmt.Errorf("%w at %v", errNoRest, w.now))
	}
}

// restless reports whether controllers have gone on without time passing for too long.
func (f *Fleet) restless() bool {
	w, s := f.w, f.w.store
	if w.still <= passes {
		return false
	}
	if f.hurried() {
		return true
	}
	return w.still > passes+passes/10*(f.objects()+s.pods.size()+s.daemons.size())
}

// hurried reports whether controllers have gone on without anything else happening for too long.
func (f *Fleet) hurried() bool {
	r := &f.rush
	if r.steps > passes && r.limit == 0 {
		r.limit = passes + rushSteps*r.objects + rushPods*(r.pods+f.wanted())
	}
	return r.limit > 0 && r.steps > r.limit
}

// objects is how many objects there are that controllers work on, but pods.
func (f *Fleet) objects() int {
	s := f.w.store
	return s.replicaSets.size() + s.deployments.size() + s.daemonSets.size() + s.sets.size() + s.things.size() +
		s.nodes.size() + s.rollouts.size() + s.argos.size()
}

// created is how many pods there have ever been.
func (f *Fleet) created() int { return len(f.w.store.pods.places) + len(f.w.store.daemons.places) }

// wanted is how many pods all workloads want together, those of Deployments counted twice.
func (f *Fleet) wanted() (n int) {
	s := f.w.store
	for _, d := range s.deployments.all() {
		n += wantedBy(d.Replicas)
	}
	for _, rs := range s.replicaSets.all() {
		n += wantedBy(rs.Replicas)
	}
	for _, o := range s.sets.all() {
		n += wantedBy(o.Replicas)
	}
	for _, o := range s.argos.all() {
		n += wantedBy(o.Replicas)
	}
	return n + s.daemonSets.size()*s.nodes.size()
}

func wantedBy(replicas *int32) int {
	if replicas == nil {
		return 1
	}
	return max(0, int(*replicas))
}
