// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/argo/quirk"
)

// routes returns the routes at the end of the pass. They are removed when the new pods
// should get no more requests, or none of them is available. A step sets its routes once
// the stable pods can serve the rest of the weight.
func (c *counts) routes(stableServes bool) []Route {
	t, next, steps := c.turn(), c.s.Routes, c.stepsSoFar()
	switch {
	case c.returns():
		steps = nil
	case c.read.StableRS == c.read.CurrentPodHash, c.aborted(&t), c.fresh.AvailableReplicas == 0, c.read.PromoteFull:
		next, steps = nil, nil
	}
	if c.repair.Has(quirk.RoutesLost) && stableServes && c.revision() > 1 {
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

// withRoutes returns a list of routes after a step has set and removed some.
func withRoutes(list, step []Route) []Route {
	for _, set := range step {
		list = slices.DeleteFunc(slices.Clone(list), func(r Route) bool { return r.Name == set.Name })
		if !set.none() {
			list = append(list, set)
		}
	}
	return list
}
