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
	f.rush = rush{under: true, created: f.created(), objects: s.objects(), pods: s.podCount()}
}

// stepped counts a step, and ends the fleet if that was one too many.
func (f *Fleet) stepped() {
	w := f.w
	if w.now.After(f.stood) { // requests take time, too
		f.stood, w.still = w.now, patience{}
		f.rush.under = false
	}
	if n := f.created(); n == f.rush.created {
		f.rush.steps++
	} else {
		f.rush.created = n
	}
	if w.still.n++; f.restless() {
		w.fail(fmt.Errorf("%w at %v", errNoRest, w.now))
	}
}

// restless reports whether controllers have gone on without time passing for too long.
func (f *Fleet) restless() bool {
	n, s := int(f.w.still.n), f.w.store
	if n <= passes {
		return false
	}
	if f.hurried() {
		return true
	}
	return n > passes+passes/10*(s.objects()+s.podCount())
}

// hurried reports whether controllers have gone on without anything else happening for too long.
func (f *Fleet) hurried() bool {
	r := &f.rush
	if r.steps > passes && r.limit == 0 {
		r.limit = passes + rushSteps*r.objects + rushPods*(r.pods+f.w.store.wanted())
	}
	return r.limit > 0 && r.steps > r.limit
}

// created is how many pods there have ever been.
func (f *Fleet) created() int { return len(f.w.store.pods.places) + len(f.w.store.daemons.places) }
