package argo

import (
	"maps"
	"math"
	"time"
)

// blueGreen is a whole pass of a blue-green update.
func (st *pass) blueGreen() {
	st.create()
	if st.preview != nil && !st.halted() {
		st.preview = st.selectPods(st.preview, st.newRS.Hash, ReasonPreview)
	}
	if !st.changed() {
		st.blueGreenSets()
		st.blueGreenPause()
		st.switchActive()
		st.blueGreenRuns()
	}
	st.blueGreenStatus()
}

// selectPods lets a Service select the pods of a hash.
func (st *pass) selectPods(s *Service, hash string, reason Reason) *Service {
	if s.Selector[HashLabel] == hash {
		return s
	}
	st.p.Actions = append(st.p.Actions, SelectPods{Service: s.Name, Key: HashLabel, Value: hash, Reason: reason})
	selector := maps.Clone(s.Selector)
	if selector == nil {
		selector = map[string]string{}
	}
	selector[HashLabel] = hash
	return &Service{Name: s.Name, Selector: selector, Managed: true}
}

// activeHash returns the hash that gets the traffic, "" if all pods do.
func (st *pass) activeHash() string { return st.active.Selector[HashLabel] }

// blueGreenSets gives the stable ReplicaSet all pods, the new one those of the preview,
// and the others a delay.
func (st *pass) blueGreenSets() {
	st.removeDeadlines()
	if st.stableRS != nil && st.stableRS != st.newRS {
		st.scale(st.stableRS, st.replicas(), ReasonStable)
	}
	if st.newRS != nil {
		st.scaleFresh(ReasonPreview)
	}
	if st.paused(PauseInconclusive) == nil {
		st.scaleOthers()
	}
}

// scaleFresh gives the new ReplicaSet its size, and reports whether that changes. After an
// abort it keeps its pods for a while, once the stable ones are all there.
func (st *pass) scaleFresh(reason Reason) bool {
	switch {
	case !st.delaysAbort():
		return st.scale(st.newRS, st.newSize(), reason)
	case st.newRS.ScaleDownAt.After(st.now):
		st.hold(ReasonScaleDownDelay, 0, 0)
		st.recheck(st.newRS.ScaleDownAt)
	case !st.newRS.ScaleDownAt.IsZero():
		return st.scale(st.newRS, 0, ReasonAborted)
	case st.stableRS.AvailableReplicas >= st.replicas():
		delay, _ := st.abortDelay()
		st.newRS.ScaleDownAt = st.deadlineIn(*delay)
	}
	return false
}

// abortDelay is [AbortDelay] of the Rollout.
func (st *pass) abortDelay() (seconds *int32, explicit bool) {
	switch {
	case st.r.BlueGreen != nil:
		return AbortDelay(StyleBlueGreen, st.r.BlueGreen.AbortScaleDownDelaySeconds)
	case st.r.Routing != nil:
		return AbortDelay(StyleRouted, st.r.Routing.AbortScaleDownDelaySeconds)
	}
	return AbortDelay(StyleCanary, nil)
}

// deadlineIn returns the instant so many seconds ahead, as it is annotated.
func (st *pass) deadlineIn(seconds int32) time.Time {
	return st.now.Add(time.Duration(seconds) * time.Second).Truncate(time.Second)
}

// delaysAbort reports whether an aborted update keeps the pods of the new ReplicaSet for
// a while.
func (st *pass) delaysAbort() bool {
	if !st.aborted() || st.stableRS == nil || st.r.BlueGreen == nil && st.r.Routing == nil {
		return false
	}
	delay, explicit := st.abortDelay()
	dynamic := st.r.Routing != nil && st.r.Routing.DynamicStableScale
	return delay != nil && (explicit || !dynamic)
}

// removeDeadlines keeps the ReplicaSets that are wanted.
func (st *pass) removeDeadlines() {
	if st.newRS != nil && !st.delaysAbort() {
		st.newRS.ScaleDownAt = time.Time{}
	}
	if st.stableRS != nil && (st.stableRS != st.newRS || !st.delaysAbort()) {
		st.stableRS.ScaleDownAt = time.Time{}
	}
}

// scaleOthers removes old ReplicaSets when their delay is over. They serve as long as
// nobody knows whether the new pods do.
func (st *pass) scaleOthers() {
	b := st.r.BlueGreen
	if b.PostPromotionAnalysis && b.ScaleDownDelaySeconds == nil && st.judgesPromotion() && st.runs.PostPromotion.Phase != RunSuccessful {
		return
	}
	waiting := int32(0)
	for _, set := range st.others() {
		if st.referenced(set.Hash) {
			continue
		}
		if to := st.delayed(set, &waiting, st.replicas()); to != set.Replicas {
			st.scale(set, to, ReasonScaleDownDelay)
		}
	}
}

// judgesPromotion reports whether the analysis behind the promotion is looked at.
func (st *pass) judgesPromotion() bool {
	fresh := st.newRS.Hash
	return st.read.StableRS != fresh && st.read.ActiveSelector == fresh && (st.runs.PostPromotion.Phase != "" || st.saturated(st.newRS))
}

// delayed returns the size of an old ReplicaSet that is to be removed: what it has when
// its delay begins, keep until that is over. It counts those that wait.
func (st *pass) delayed(set *set, waiting *int32, keep int32) int32 {
	limit := int32(math.MaxInt32)
	if n := st.revisionLimit(); n != nil {
		limit = *n
	}
	at := set.ScaleDownAt
	switch {
	case at.IsZero() && *waiting < limit:
		*waiting++
		st.delay(set)
		return set.to
	case at.IsZero():
		return 0
	}
	*waiting++
	if *waiting > limit || !at.After(st.now) {
		return 0
	}
	st.recheck(at)
	return keep
}

// revisionLimit returns how many old ReplicaSets wait at once, nil for all.
func (st *pass) revisionLimit() *int32 {
	if st.r.BlueGreen != nil {
		return st.r.BlueGreen.ScaleDownDelayRevisionLimit
	}
	return st.r.Routing.ScaleDownDelayRevisionLimit
}

// delay lets an old ReplicaSet keep its pods for a while.
func (st *pass) delay(set *set) {
	var seconds int32
	if b := st.r.BlueGreen; b != nil {
		seconds = ScaleDownDelay(StyleBlueGreen, b.ScaleDownDelaySeconds)
	} else {
		seconds = ScaleDownDelay(StyleRouted, st.r.Routing.ScaleDownDelaySeconds)
	}
	if seconds > 0 {
		set.ScaleDownAt = st.deadlineIn(seconds)
		st.recheck(st.now.Add(time.Duration(seconds) * time.Second))
	}
}

// referenced reports whether a Service or the status names a hash.
func (st *pass) referenced(hash string) bool {
	for _, s := range []*Service{st.active, st.preview, st.stable, st.canaries} {
		if s != nil && s.Selector[HashLabel] == hash {
			return true
		}
	}
	s := st.read
	return hash == s.StableRS || hash == s.CurrentPodHash || hash == s.ActiveSelector || hash == s.PreviewSelector || s.Weights.names(hash)
}

// readyForPause reports whether the preview is complete.
func (st *pass) readyForPause() bool {
	size := st.newSize()
	return st.newRS.Replicas == size && st.newRS.AvailableReplicas == size
}

// fastTracked reports whether no pause is needed: the pods are about to be removed and
// still there, or are active already, or a person is in a hurry.
func (st *pass) fastTracked() bool {
	return !st.asRead(st.newRS.Hash).IsZero() || st.read.PromoteFull || st.activeHash() == "" || st.activeHash() == st.newRS.Hash
}

// manages reports whether the update pauses before it is promoted.
func (p *BlueGreen) manages() bool {
	return p.AutoPromotionEnabled != nil && !*p.AutoPromotionEnabled || p.AutoPromotionSeconds > 0
}

// blueGreenPause begins the pause before the promotion, or ends it.
func (st *pass) blueGreenPause() {
	c := st.paused(PauseBlueGreen)
	switch {
	case st.read.Abort || !st.readyForPause() || st.halted():
	case st.fastTracked() || st.read.ScaleUpPreviewCheckPoint || !st.r.BlueGreen.manages():
		st.removePause = PauseBlueGreen
	case !st.analyzed():
	case c == nil && !st.read.ControllerPause:
		st.pauseFor(PauseBlueGreen)
	case c != nil && st.pauseOver():
		st.removePause = PauseBlueGreen
	case c != nil && st.r.BlueGreen.AutoPromotionSeconds > 0:
		if at := st.promotionAt(c); at.After(st.now) {
			st.recheck(at)
		}
	}
}

// analyzed reports whether the analysis before the promotion has succeeded, if there is
// one.
func (st *pass) analyzed() bool {
	return !st.r.BlueGreen.PrePromotionAnalysis || st.read.Runs.PrePromotion.Phase == RunSuccessful
}

// blueGreenRuns takes the analyses before and behind the promotion into account.
func (st *pass) blueGreenRuns() {
	b, fresh, active := st.r.BlueGreen, st.newRS.Hash, st.read.ActiveSelector
	if st.unjudged() || st.paused(PauseInconclusive) != nil {
		return
	}
	if b.PrePromotionAnalysis && active != "" && active != fresh {
		st.judge(&st.runs.PrePromotion, "Blue/green pre-promotion analysis phase error/failed")
	}
	if b.PostPromotionAnalysis && active == fresh {
		st.judge(&st.runs.PostPromotion, "Blue/green post-promotion analysis phase error/failed")
	}
}

func (st *pass) promotionAt(c *PauseCondition) time.Time {
	return c.StartTime.Add(time.Duration(st.r.BlueGreen.AutoPromotionSeconds) * time.Second)
}

// pauseOver reports whether the pause before the promotion is over, or none is needed.
func (st *pass) pauseOver() bool {
	b, c := st.r.BlueGreen, st.paused(PauseBlueGreen)
	switch {
	case len(st.addPauses) > 0:
		return false
	case st.read.ScaleUpPreviewCheckPoint || !b.manages():
		return true
	case b.AutoPromotionEnabled != nil && !*b.AutoPromotionEnabled:
		return st.read.ControllerPause && c == nil
	}
	return c != nil && st.now.After(st.promotionAt(c))
}

// switchActive leads the traffic to the new ReplicaSet once it is complete and nothing
// pauses, and back to the stable one after an abort.
func (st *pass) switchActive() {
	if st.halted() {
		st.hold(ReasonPaused, 0, 0)
		return
	}
	if !st.readyForPause() || !st.saturated(st.newRS) {
		st.hold(ReasonBatchNotReady, int64(st.newRS.AvailableReplicas), int64(st.newSize()))
		return
	}
	to := st.activeHash()
	if st.fastTracked() || st.pauseOver() && st.analyzed() {
		to = st.newRS.Hash
	}
	if st.read.Abort {
		to = st.read.StableRS
		if st.aborted() {
			st.hold(ReasonAborted, 0, 0)
		}
	} else if to != st.newRS.Hash {
		st.holdPromotion()
	}
	st.active = st.selectPods(st.active, to, ReasonPromotion)
}

// holdPromotion says what the promotion waits for.
func (st *pass) holdPromotion() {
	b, c := st.r.BlueGreen, st.paused(PauseBlueGreen)
	if !st.analyzed() {
		st.hold(ReasonAnalysis, 0, 0)
		return
	}
	if b.AutoPromotionSeconds == 0 || b.AutoPromotionEnabled != nil && !*b.AutoPromotionEnabled {
		st.hold(ReasonApproval, 0, 0)
		return
	}
	have := time.Duration(0)
	if c != nil {
		have = st.now.Sub(c.StartTime)
	}
	st.hold(ReasonPause, int64(have.Seconds()), int64(b.AutoPromotionSeconds))
}

// saturated reports whether a ReplicaSet has all pods, and they are available.
func (st *pass) saturated(set *set) bool {
	n := st.replicas()
	return set != nil && set.DesiredReplicas != nil && *set.DesiredReplicas == n && set.Replicas == n && set.AvailableReplicas == n
}

// blueGreenStatus completes the status of a blue-green update.
func (st *pass) blueGreenStatus() {
	status := st.base()
	if st.changed() {
		st.reset(&status)
	}
	if st.read.PromoteFull || st.withinWindow() {
		st.clearPauses, st.removeAbort = true, true
	}
	if st.preview != nil {
		status.PreviewSelector = st.preview.Selector[HashLabel]
	}
	status.ActiveSelector = st.activeHash()
	switch {
	case st.promotable(&status):
		st.promote(&status)
	default:
		status.ScaleUpPreviewCheckPoint = st.checkpoint()
	}
	if active := st.named(status.ActiveSelector); active != nil {
		status.AvailableReplicas, status.ReadyReplicas = active.AvailableReplicas, active.ReadyReplicas
	}
	st.persist(st.conditions(status))
}

// promotable reports whether the new ReplicaSet becomes the stable one.
func (st *pass) promotable(status *Status) bool {
	switch {
	case st.stableRS == nil || status.ActiveSelector == "":
		return true
	case status.ActiveSelector != status.CurrentPodHash:
		return false
	}
	if st.read.PromoteFull || st.withinWindow() {
		return true
	}
	if analyzed := !st.r.BlueGreen.PostPromotionAnalysis || st.runs.PostPromotion.Phase == RunSuccessful; !analyzed {
		st.hold(ReasonAnalysis, 0, 0)
		return false
	}
	return !st.aborted()
}

// checkpoint reports whether the preview was complete and the pause is over, so that it
// grows to its full size.
func (st *pass) checkpoint() bool {
	n := st.r.BlueGreen.PreviewReplicaCount
	switch {
	case n == nil:
		return false
	case st.read.ScaleUpPreviewCheckPoint:
		return true
	}
	return st.analyzed() && st.pauseOver() && st.newRS.AvailableReplicas == *n
}
