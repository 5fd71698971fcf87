// SPDX-License-Identifier: Apache-2.0

package argo

import (
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"slices"
	"time"
)

// decideBlueGreen decides a pass of a blue-green update.
func (c *counts) decideBlueGreen() decision {
	d := c.stays()
	if d.services.preview.Service != nil && !c.halted() {
		d.services.preview = d.services.preview.to(c.fresh.Hash)
	}
	t, runs, restarted := c.turn(), c.read.Runs, c.read.RestartedAt
	if !c.changed() {
		again := c.restart()
		d.evict, restarted = again.evict, again.done
		z, sized := c.blueGreenSizes(c.aborted(&t), &d.services)
		begin, end, at := c.blueGreenPause()
		t.begin, t.end = begin, end
		active, switched := c.switchActive(&t)
		d.services.active = d.services.active.to(active)
		v := c.blueGreenRuns()
		runs, t.begin, t.abort, t.why = v.runs, append(t.begin, v.pauses...), v.abort, v.why
		d.sizes, d.waiting = z, again.waiting.and(sized).and(until(at)).and(switched)
	}
	o := c.blueGreenOutcome(c.base(c.read.Weights, runs, restarted), t, &d.services)
	status, due := c.finish(o.status, &o.turn)
	d.status, d.waiting = status, d.waiting.and(o.waiting).and(due)
	return d
}

// blueGreenSizes gives the stable ReplicaSet all pods, the new one the pods of the preview,
// and the others a delay.
func (c *counts) blueGreenSizes(aborted bool, s *services) (z sizes, w waiting) {
	delays := c.delaysAbort(aborted)
	z = c.wanted(delays)
	if z.stable.set != nil {
		z.stable = z.stable.resized(c.replicas(), reason.Stable, delays)
	}
	if c.fresh != nil {
		z.fresh, w = c.freshScaled(z.fresh, c.previewSize(c.fresh.Hash), reason.Preview, delays)
	}
	if c.paused(PauseInconclusive) == nil {
		others, at := c.blueGreenOthers(delays, s)
		z.others, w = others, w.and(at)
	}
	return z, w
}

// blueGreenOthers removes old ReplicaSets when their delay is over. Without a delay in the
// spec they keep their pods until the analysis after the promotion succeeds.
func (c *counts) blueGreenOthers(delaysAbort bool, s *services) (list []size, w waiting) {
	b := c.r.BlueGreen
	if b.PostPromotionAnalysis && b.ScaleDownDelaySeconds == nil && c.judgesPromotion() && c.read.Runs.PostPromotion.Phase != RunSuccessful {
		return nil, w
	}
	waits, others := int32(0), c.between()
	slices.SortStableFunc(others, newest)
	for _, set := range others {
		if c.referenced(set.Hash, s) {
			continue
		}
		z := kept(set)
		d := c.delayed(z, waits, c.replicas())
		if d.counts {
			waits++
		}
		z.until, w = d.until, w.and(until(d.at))
		if d.to != set.Replicas {
			z = z.resized(d.to, reason.ScaleDownDelay, delaysAbort)
		}
		list = append(list, z)
	}
	return list, w
}

// judgesPromotion reports whether the pass reads the analysis after the promotion.
func (c *counts) judgesPromotion() bool {
	fresh := c.r.TemplateHash
	return c.read.StableRS != fresh && c.read.ActiveSelector == fresh && (c.read.Runs.PostPromotion.Phase != "" || c.saturated(c.fresh))
}

// readyForPause reports whether the preview is complete.
func (c *counts) readyForPause() bool {
	size := c.previewSize(c.fresh.Hash)
	return c.fresh.Replicas == size && c.fresh.AvailableReplicas == size
}

// fastTracked reports whether no pause is needed: for a rollback ([counts.goesBack]), a
// full promotion, an update of 0 replicas, or if the active Service selects no hash or the
// new one already.
func (c *counts) fastTracked() bool {
	active := c.s.Active.Selector[HashLabel]
	return c.goesBack() || c.read.PromoteFull || c.passes() || active == "" || active == c.fresh.Hash
}

// manages reports whether the update pauses before it is promoted.
func (p *BlueGreen) manages() bool {
	return p.AutoPromotionEnabled != nil && !*p.AutoPromotionEnabled || p.AutoPromotionSeconds > 0
}

// blueGreenPause begins the pause before the promotion, or ends it, or returns the time of its end.
func (c *counts) blueGreenPause() (begin []string, end string, at time.Time) {
	p := c.paused(PauseBlueGreen)
	switch {
	case c.read.Abort || !c.readyForPause() || c.halted():
	case c.fastTracked() || c.read.ScaleUpPreviewCheckPoint || !c.r.BlueGreen.manages():
		end = PauseBlueGreen
	case !c.analyzed():
	case p == nil && !c.read.ControllerPause:
		begin = []string{PauseBlueGreen}
	case p != nil && c.pauseOver(nil):
		end = PauseBlueGreen
	case p != nil && c.r.BlueGreen.AutoPromotionSeconds > 0:
		if due := c.promotionAt(p); due.After(c.now) {
			at = due
		}
	}
	return begin, end, at
}

// analyzed reports whether the analysis before the promotion has succeeded, if there is
// one.
func (in *input) analyzed() bool {
	return !in.r.BlueGreen.PrePromotionAnalysis || in.read.Runs.PrePromotion.Phase == RunSuccessful
}

// blueGreenRuns takes the analyses before and after the promotion into account.
func (c *counts) blueGreenRuns() judged {
	j := judged{runs: c.read.Runs}
	b, fresh, active := c.r.BlueGreen, c.fresh.Hash, c.read.ActiveSelector
	if c.unjudged() || c.paused(PauseInconclusive) != nil {
		return j
	}
	if b.PrePromotionAnalysis && active != "" && active != fresh {
		run, v := c.judge(j.runs.PrePromotion, "Blue/green pre-promotion analysis phase error/failed")
		j = j.and(v)
		j.runs.PrePromotion = run
	}
	if b.PostPromotionAnalysis && active == fresh {
		run, v := c.judge(j.runs.PostPromotion, "Blue/green post-promotion analysis phase error/failed")
		j = j.and(v)
		j.runs.PostPromotion = run
	}
	return j
}

func (in *input) promotionAt(p *PauseCondition) time.Time {
	return p.StartTime.Add(time.Duration(in.r.BlueGreen.AutoPromotionSeconds) * time.Second)
}

// pauseOver reports whether the pause before the promotion is over, or none is needed. The
// pauses that begin in this pass are not over.
func (in *input) pauseOver(begin []string) bool {
	b, p := in.r.BlueGreen, in.paused(PauseBlueGreen)
	switch {
	case len(begin) > 0:
		return false
	case in.read.ScaleUpPreviewCheckPoint || !b.manages():
		return true
	case b.AutoPromotionEnabled != nil && !*b.AutoPromotionEnabled:
		return in.read.ControllerPause && p == nil
	}
	return p != nil && in.now.After(in.promotionAt(p))
}

// switchActive points the active Service to the new ReplicaSet once it is complete and
// nothing pauses, and back to the stable one after an abort. It returns the hash that the
// Service selects, "" if it selects all pods.
func (c *counts) switchActive(t *turn) (active string, w waiting) {
	active = c.s.Active.Selector[HashLabel]
	switch {
	case c.halted():
		return active, held(reason.Paused, 0, 0)
	case !c.readyForPause() || !c.saturated(c.fresh):
		return active, c.incomplete(active, t)
	case c.read.Abort && c.aborted(t):
		return c.read.StableRS, held(reason.Aborted, 0, 0)
	case c.read.Abort:
		return c.read.StableRS, w
	case c.fastTracked() || c.pauseOver(t.begin) && c.analyzed():
		return c.fresh.Hash, w
	}
	return active, c.holdPromotion()
}

// incomplete returns the holds of an update with missing pods. A preview with fewer pods
// than the Rollout is complete before the promotion.
func (c *counts) incomplete(active string, t *turn) (w waiting) {
	aborted, n := c.read.Abort && c.aborted(t), c.previewSize(c.fresh.Hash)
	switch {
	case c.fresh == c.stable: // see unsettled
	case aborted && active == c.read.StableRS:
	case !c.readyForPause():
		w = short(c.fresh, reason.PreviewNotReady, c.fresh.AvailableReplicas, n)
	case !aborted:
		w = c.holdPromotion()
	}
	if aborted {
		return held(reason.Aborted, 0, 0).and(w)
	}
	return w
}

// holdPromotion returns the hold of the promotion. A smaller preview that needs no pause
// does not grow by itself: it waits for a user.
func (c *counts) holdPromotion() waiting {
	b, p := c.r.BlueGreen, c.paused(PauseBlueGreen)
	switch {
	case !c.analyzed():
		return held(reason.Analysis, 0, 0)
	case b.AutoPromotionSeconds == 0 || b.AutoPromotionEnabled != nil && !*b.AutoPromotionEnabled || c.fastTracked():
		return held(reason.Approval, 0, 0)
	case p == nil && len(c.read.PauseConditions) > 0: // left from the time as a canary
		return held(reason.Paused, 0, 0)
	}
	have := time.Duration(0)
	if p != nil {
		have = c.now.Sub(p.StartTime)
	}
	return held(reason.Pause, int64(have.Seconds()), int64(b.AutoPromotionSeconds))
}

// blueGreenOutcome decides how far a blue-green update has come.
func (c *counts) blueGreenOutcome(status Status, t turn, s *services) outcome {
	if c.changed() {
		status, t = c.anew(status)
	}
	if c.skipsSteps() {
		t.clear, t.resume = true, true
	}
	status.PreviewSelector, status.ActiveSelector = s.preview.hash, s.active.hash
	promotes, w := c.promotable(&status, &t)
	if promotes {
		status, t = c.promote(status, t)
	} else {
		status.ScaleUpPreviewCheckPoint = c.checkpoint(t.begin)
	}
	if active := c.named(status.ActiveSelector); active != nil {
		status.AvailableReplicas, status.ReadyReplicas = active.AvailableReplicas, active.ReadyReplicas
	}
	return outcome{status, t, w.and(c.unsettled(nil))}
}

// promotable reports whether the new ReplicaSet becomes the stable one, or the hold that
// prevents it.
func (c *counts) promotable(status *Status, t *turn) (bool, waiting) {
	switch {
	case c.stable == nil || status.ActiveSelector == "":
		return true, waiting{}
	case status.ActiveSelector != status.CurrentPodHash:
		return false, waiting{}
	case c.read.PromoteFull || c.goesBack() || c.passes():
		return true, waiting{}
	case c.r.BlueGreen.PostPromotionAnalysis && status.Runs.PostPromotion.Phase != RunSuccessful:
		return false, held(reason.Analysis, 0, 0)
	}
	return !c.aborted(t), waiting{}
}

// checkpoint reports whether the preview was complete and the pause is over, so that it
// grows to its full size.
func (c *counts) checkpoint(begin []string) bool {
	n := c.r.BlueGreen.PreviewReplicaCount
	switch {
	case n == nil:
		return false
	case c.read.ScaleUpPreviewCheckPoint:
		return true
	}
	return c.analyzed() && c.pauseOver(begin) && c.fresh.AvailableReplicas == *n
}
