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
	return &Service{Name: s.Name, Selector: selector}
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
		st.scaleFresh()
	}
	if st.paused(PauseInconclusive) == nil {
		st.scaleOthers()
	}
}

// scaleFresh gives the new ReplicaSet its size. After an abort it keeps its pods for a
// while, once the stable ones are all there.
func (st *pass) scaleFresh() {
	delay, _ := AbortDelay(StyleBlueGreen, st.r.BlueGreen.AbortScaleDownDelaySeconds)
	switch {
	case !st.delaysAbort():
		st.scale(st.newRS, st.newSize(), ReasonPreview)
	case st.newRS.ScaleDownAt.After(st.now):
		st.hold(ReasonScaleDownDelay, 0, 0)
		st.recheck(st.newRS.ScaleDownAt)
	case !st.newRS.ScaleDownAt.IsZero():
		st.scale(st.newRS, 0, ReasonAborted)
	case st.stableRS.AvailableReplicas >= st.replicas():
		st.newRS.ScaleDownAt = st.deadlineIn(*delay)
	}
}

// deadlineIn returns the instant so many seconds ahead, as it is annotated.
func (st *pass) deadlineIn(seconds int32) time.Time {
	return st.now.Add(time.Duration(seconds) * time.Second).Truncate(time.Second)
}

// delaysAbort reports whether an aborted update keeps the pods of the new ReplicaSet for
// a while.
func (st *pass) delaysAbort() bool {
	if !st.aborted() || st.stableRS == nil || st.r.BlueGreen == nil {
		return false
	}
	delay, _ := AbortDelay(StyleBlueGreen, st.r.BlueGreen.AbortScaleDownDelaySeconds)
	return delay != nil
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

// scaleOthers removes old ReplicaSets when their delay is over.
func (st *pass) scaleOthers() {
	limit, waiting := int32(math.MaxInt32), int32(0)
	if n := st.r.BlueGreen.ScaleDownDelayRevisionLimit; n != nil {
		limit = *n
	}
	for _, set := range st.others() {
		if st.referenced(set.Hash) {
			continue
		}
		to := int32(0)
		switch at := set.ScaleDownAt; {
		case at.IsZero() && waiting < limit:
			waiting++
			to = set.Replicas
			st.delay(set)
		case at.IsZero():
		case waiting >= limit:
			waiting++
		default:
			waiting++
			if at.After(st.now) {
				to = st.replicas()
				st.recheck(at)
			}
		}
		if to != set.Replicas {
			st.scale(set, to, ReasonScaleDownDelay)
		}
	}
}

// delay lets an old ReplicaSet keep its pods for a while.
func (st *pass) delay(set *set) {
	seconds := ScaleDownDelay(StyleBlueGreen, st.r.BlueGreen.ScaleDownDelaySeconds)
	if seconds > 0 {
		set.ScaleDownAt = st.deadlineIn(seconds)
		st.recheck(st.now.Add(time.Duration(seconds) * time.Second))
	}
}

// referenced reports whether a Service or the status names a hash.
func (st *pass) referenced(hash string) bool {
	for _, s := range []*Service{st.active, st.preview} {
		if s != nil && s.Selector[HashLabel] == hash {
			return true
		}
	}
	s := st.read
	return hash == s.StableRS || hash == s.CurrentPodHash || hash == s.ActiveSelector || hash == s.PreviewSelector
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
	case c == nil && !st.read.ControllerPause:
		st.addPause = PauseBlueGreen
	case c != nil && st.pauseOver():
		st.removePause = PauseBlueGreen
	case c != nil && st.r.BlueGreen.AutoPromotionSeconds > 0:
		if at := st.promotionAt(c); at.After(st.now) {
			st.recheck(at)
		}
	}
}

func (st *pass) promotionAt(c *PauseCondition) time.Time {
	return c.StartTime.Add(time.Duration(st.r.BlueGreen.AutoPromotionSeconds) * time.Second)
}

// pauseOver reports whether the pause before the promotion is over, or none is needed.
func (st *pass) pauseOver() bool {
	b, c := st.r.BlueGreen, st.paused(PauseBlueGreen)
	switch {
	case st.addPause != "":
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
	if st.fastTracked() || st.pauseOver() {
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
	return st.read.PromoteFull || st.withinWindow() || !st.aborted()
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
	return st.pauseOver() && st.newRS.AvailableReplicas == *n
}
