// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"math"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// delaysAbort reports whether an aborted update keeps the pods of the new ReplicaSet for a
// while.
func (c *counts) delaysAbort(aborted bool) bool {
	if !aborted || c.stable == nil || c.style() == StyleCanary {
		return false
	}
	delay, explicit := c.abortDelay()
	dynamic := c.r.Routing != nil && c.r.Routing.DynamicStableScale
	return delay != nil && (explicit || !dynamic)
}

// abortDelay is [AbortDelay] of the Rollout.
func (in *input) abortDelay() (seconds *int32, explicit bool) {
	switch style := in.style(); style {
	case StyleBlueGreen:
		return AbortDelay(style, in.r.BlueGreen.AbortScaleDownDelaySeconds)
	case StyleRouted:
		return AbortDelay(style, in.r.Routing.AbortScaleDownDelaySeconds)
	default:
		return AbortDelay(style, nil)
	}
}

// deadlineIn returns the time so many seconds from now, in the precision of the annotation.
func (in *input) deadlineIn(seconds int32) time.Time {
	return in.now.Add(time.Duration(seconds) * time.Second).Truncate(time.Second)
}

// wanted returns the current sizes of the new and of the stable ReplicaSet, without
// deadlines.
func (c *counts) wanted(delaysAbort bool) (z sizes) {
	if c.stable != nil && c.stable != c.fresh {
		z.stable = kept(c.stable)
		z.stable.until = time.Time{}
	}
	if c.fresh != nil {
		z.fresh = kept(c.fresh)
		if !delaysAbort {
			z.fresh.until = time.Time{}
		}
	}
	return z
}

// freshScaled returns the new ReplicaSet with a size. After an abort it keeps its pods
// until the delay is over, which begins once all stable pods are available.
func (c *counts) freshScaled(z size, to int32, why kplan.Reason, delaysAbort bool) (size, waiting) {
	switch {
	case !delaysAbort:
		return z.resized(to, why, false), waiting{}
	case z.until.After(c.now):
		return z, heldBy(z.set, reason.ScaleDownDelay, 0, 0).and(until(z.until))
	case !z.until.IsZero():
		return z.resized(0, reason.Aborted, true), waiting{}
	case c.stable.AvailableReplicas < c.replicas():
		return z, heldBy(c.stable, reason.StableUnavailable, c.stable.AvailableReplicas, c.replicas())
	}
	delay, _ := c.abortDelay()
	z.until = c.deadlineIn(*delay)
	return z, waiting{}
}

// A delay is the next size and deadline of an old ReplicaSet that is to be removed.
type delay struct {
	to     int32
	until  time.Time // as annotated
	counts bool      // it counts against the limit of waiting ReplicaSets
	at     time.Time // of another look; zero if none is needed
}

// delayed returns the delay of an old ReplicaSet that is to be removed while some wait
// already: its current size when the delay begins, then keep until the delay is over, and
// 0 after that or beyond the limit.
func (in *input) delayed(z size, waits, keep int32) delay {
	limit := int32(math.MaxInt32)
	if n := in.revisionLimit(); n != nil {
		limit = *n
	}
	switch {
	case z.until.IsZero() && waits < limit:
		seconds := in.scaleDownDelay()
		switch {
		case seconds > 0:
			return delay{to: z.to, until: in.deadlineIn(seconds), counts: true, at: in.now.Add(time.Duration(seconds) * time.Second)}
		case in.repair.Has(quirk.ZeroDelayKeepsForEver):
			return delay{}
		}
		return delay{to: z.to, counts: true}
	case z.until.IsZero():
		return delay{}
	case waits+1 > limit || !z.until.After(in.now):
		return delay{until: z.until, counts: true}
	}
	return delay{to: keep, until: z.until, counts: true, at: z.until}
}

// revisionLimit returns how many old ReplicaSets wait at once, nil for all.
func (in *input) revisionLimit() *int32 {
	if in.r.BlueGreen != nil {
		return in.r.BlueGreen.ScaleDownDelayRevisionLimit
	}
	return in.r.Routing.ScaleDownDelayRevisionLimit
}

// scaleDownDelay is [ScaleDownDelay] for a blue-green update or a canary with traffic
// routing.
func (in *input) scaleDownDelay() int32 {
	if b := in.r.BlueGreen; b != nil {
		return ScaleDownDelay(StyleBlueGreen, b.ScaleDownDelaySeconds)
	}
	return ScaleDownDelay(StyleRouted, in.r.Routing.ScaleDownDelaySeconds)
}

// referenced reports whether a Service or the status names a hash.
func (in *input) referenced(hash string, s *services) bool {
	st := in.read
	return s.selects(hash) || hash == st.StableRS || hash == st.CurrentPodHash || hash == st.ActiveSelector || hash == st.PreviewSelector || st.Weights.names(hash)
}
