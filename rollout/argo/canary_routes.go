// SPDX-License-Identifier: Apache-2.0

package argo

import "slices"

// routes returns the routes that are there when the pass is over. They go when no request
// is to be led to the new pods any more, or none of these is available, and come with
// the step that sets them, once the stable pods can serve the weight that is left to them.
func (c *counts) routes(stableServes bool) []Route {
	t, next, steps := c.turn(), c.s.Routes, c.stepsSoFar()
	switch {
	case c.returns():
		steps = nil
	case c.read.StableRS == c.read.CurrentPodHash, c.aborted(&t), c.fresh.AvailableReplicas == 0, c.read.PromoteFull:
		next, steps = nil, nil
	}
	if c.repair.Has(RoutesLost) && stableServes && c.revision() > 1 {
		for i := range steps {
			next = withRoutes(next, steps[i].Routes)
		}
		return next
	}
	if step := c.step(); step != nil && stableServes && c.revision() > 1 {
		next = withRoutes(next, step.Routes)
	}
	return next
}

// withRoutes returns a list of routes with those that a step sets, and without those that
// it removes.
func withRoutes(list, step []Route) []Route {
	for _, set := range step {
		list = slices.DeleteFunc(slices.Clone(list), func(r Route) bool { return r.Name == set.Name })
		if !set.none() {
			list = append(list, set)
		}
	}
	return list
}
