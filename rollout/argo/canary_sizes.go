// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// canarySizes scales the stable ReplicaSet, else the new one, else the others. It also
// reports whether pods come or go, which decides whether the pause of a step may begin.
func (c *counts) canarySizes(aborted bool, weights *TrafficWeights, s *services) (z sizes, moves bool, w waiting) {
	if c.halted() {
		return sizes{}, false, held(reason.Paused, 0, 0)
	}
	delays := c.delaysAbort(aborted)
	z = c.wanted(delays)
	if z.stable.set != nil { // the new one may be to come, if template and size have changed at once
		if z.stable = z.stable.resized(c.stableSize(weights), reason.Weight, delays); z.stable.moves() {
			return z, true, w
		}
	}
	if c.fresh != nil {
		if z.fresh, w = c.freshScaled(z.fresh, c.freshSize(weights), reason.Weight, delays); z.fresh.moves() {
			return z, true, w
		}
	}
	others, moves, at := c.canaryOthers(delays, s)
	z.others = others
	return z, moves, w.and(at)
}

// stableSize returns the size of the stable ReplicaSet. It follows the weights of the
// previous pass, so that pods go only after their requests.
func (c *counts) stableSize(weights *TrafficWeights) int32 {
	n := c.with(c.read.Weights).Counts().Stable
	if c.repair.Has(quirk.StableGoesBeforeRequests) {
		n = max(n, c.with(weights).Counts().Stable)
	}
	return n
}

// canaryOthers removes pods of other templates: unavailable ones without any limit, then as
// many as may be unavailable.
func (c *counts) canaryOthers(delaysAbort bool, s *services) (list []size, moves bool, w waiting) {
	unready := int64(0)
	for _, set := range c.between() {
		if set.AvailableReplicas > set.Replicas && !c.repair.Has(quirk.OvercountedKeepsOthers) {
			return list, false, w // upstream gives up
		}
		z := kept(set)
		if missing := int64(set.Replicas) - int64(set.AvailableReplicas); missing > 0 {
			z, unready = z.resized(set.AvailableReplicas, reason.OtherTemplate, delaysAbort), unready+missing
		}
		list = append(list, z)
	}
	slices.SortStableFunc(list, func(a, b size) int { return newest(a.set, b.set) })
	b := Budget(c.replicas(), c.r.MaxSurge, c.r.MaxUnavailable)
	room := int64(c.available) - int64(b.MinAvailable())
	removed := int64(0)
	switch {
	case len(list) == 0 || room <= 0:
		return list, unready > 0 && c.paused(PauseStep) == nil && c.repair.Has(quirk.PauseBeginsWhilePodsGo), w
	case c.r.Routing != nil:
		list, removed, w = c.routedOthers(list, room, delaysAbort, s)
	default:
		list, removed = removedAtOnce(list, room, delaysAbort)
	}
	return list, unready+removed > 0, w
}

// removedAtOnce returns the sizes with up to room pods less, and how many pods go.
func removedAtOnce(list []size, room int64, delaysAbort bool) (next []size, removed int64) {
	for _, z := range list {
		if n := min(room-removed, int64(z.to)); n > 0 {
			z, removed = z.resized(z.to-int32(n), reason.OtherTemplate, delaysAbort), removed+n
		}
		next = append(next, z)
	}
	return next, removed
}

// routedOthers removes ReplicaSets that get no request: formerly stable ones after a delay,
// others at once. It also returns how many pods go.
func (c *counts) routedOthers(list []size, room int64, delaysAbort bool, s *services) (next []size, removed int64, w waiting) {
	waits := int32(0)
	for _, z := range list {
		if room-removed > 0 && z.to != 0 && !c.referenced(z.set.Hash, s) {
			to, why := int32(0), reason.OtherTemplate
			if wasStable := c.read.StableRS == c.read.CurrentPodHash || !z.until.IsZero(); wasStable && !c.r.Routing.DynamicStableScale {
				d := c.delayed(z, waits, z.to)
				to, why, z.until, w = d.to, reason.ScaleDownDelay, d.until, w.and(until(d.at))
				if d.counts {
					waits++
				}
			}
			if n := int64(z.to) - int64(to); n != 0 {
				z, removed = z.resized(to, why, delaysAbort), removed+n
			}
		}
		next = append(next, z)
	}
	return next, removed, w
}
