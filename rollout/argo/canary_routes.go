package argo

import "slices"

// routes returns the routes that are there when the pass is over. They go when no request
// is to be led to the new pods any more, or none of these is available, and come with
// the step that sets them, once the stable pods can serve the weight that is left to them.
func (c *counts) routes(stableServes bool) []Route {
	t, next := c.turn(), c.s.Routes
	switch {
	case c.returns():
	case c.read.StableRS == c.read.CurrentPodHash, c.aborted(&t), c.fresh.AvailableReplicas == 0, c.read.PromoteFull:
		next = nil
	}
	if step := c.step(); step != nil && stableServes && c.revision() > 1 {
		for _, set := range step.Routes {
			next = slices.DeleteFunc(slices.Clone(next), func(r Route) bool { return r.Name == set.Name })
			if !set.none() {
				next = append(next, set)
			}
		}
	}
	return next
}
