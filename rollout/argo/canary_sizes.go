// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// canarySizes scales the stable ReplicaSet, else the new one, else the others. moves is true if
// this prevents the pause of a step from beginning.
func (c *counts) canarySizes(aborted bool, weights *TrafficWeights, s *services) (z sizes, moves bool, w waiting) {
	if c.halted() {
		return sizes{}, false, held(reason.Paused, 0, 0)
	}
	delays := c.delaysAbort(aborted)
	z = c.wanted(delays)
	if z.stable.set != nil { // nil also if the stable one is the new one
		if z.stable = z.stable.resized(c.stableSize(weights), reason.Weight, delays); z.stable.moves() {
			return z, true, w
		}
	}
	if c.fresh != nil { // nil if template and size have changed at once
		if z.fresh, w = c.freshScaled(z.fresh, c.freshSize(weights), reason.Weight, delays); z.fresh.moves() {
			return z, true, w
		}
	}
	others, moves, at := c.canaryOthers(delays, s)
	z.others = others
	return z, moves, w.and(at)
}

// stableSize returns the size of the stable ReplicaSet. It follows the weights of the previous
// pass: pods go only after their requests. When requests come back, pods go before the requests
// do, unless [quirk.StableGoesBeforeRequests] is repaired: then the larger size counts.
func (c *counts) stableSize(weights *TrafficWeights) int32 {
	n := c.with(c.read.Weights).Counts().Stable
	if c.repair.Has(quirk.StableGoesBeforeRequests) {
		n = max(n, c.with(weights).Counts().Stable)
	}
	return n
}

// canaryOthers removes pods of other templates: unavailable ones without any limit, then available
// ones down to the minimum of available pods. With traffic routing whole ReplicaSets go, as long as
// more pods are available than the minimum. Unavailable pods alone do not keep a pause from
// beginning, unless [quirk.PauseBeginsWhilePodsGo] is repaired and no pause has begun.
func (c *counts) canaryOthers(delaysAbort bool, s *services) (list []size, moves bool, w waiting) {
	unready := int64(0)
	for _, set := range c.between() {
		if set.AvailableReplicas > set.Replicas && !c.repair.Has(quirk.OvercountedKeepsOthers) {
			return list, false, w // upstream returns: the list so far is scaled, the rest keeps its pods
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

// routedOthers removes ReplicaSets that get no request. After the promotion, or if a ReplicaSet has
// a deadline already, it goes after a delay, otherwise at once; with dynamicStableScale always at
// once. routedOthers also returns how many pods go.
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
