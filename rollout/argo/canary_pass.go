package argo

import "time"

// counts returns what the sizes of the canary depend on, with the weights by which
// requests are led.
func (st *pass) counts(weights *TrafficWeights) Canary {
	r := Canary{
		Replicas: st.r.Replicas, MaxSurge: st.r.MaxSurge, MaxUnavailable: st.r.MaxUnavailable, Steps: st.r.Steps, ProgressThreshold: st.r.ProgressThreshold,
		CurrentStepIndex: st.index(), CurrentPodHash: st.read.CurrentPodHash, StableRS: st.read.StableRS, Abort: st.read.Abort, PromoteFull: st.read.PromoteFull,
		StableIsCanary: st.newRS != nil && st.newRS == st.stableRS, Weights: weights.weights(),
	}
	if t := st.r.Routing; t != nil {
		r.TrafficRouting, r.MaxTrafficWeight, r.DynamicStableScale = true, t.MaxTrafficWeight, t.DynamicStableScale
		r.MinPodsPerReplicaSet, r.AbortScaleDownDelaySeconds = t.MinPodsPerReplicaSet, t.AbortScaleDownDelaySeconds
	}
	if st.newRS != nil {
		r.Canary = &st.newRS.Size
	}
	if st.stableRS != nil {
		r.Stable = &st.stableRS.Size
	}
	for _, set := range st.sets {
		if set != st.newRS && set != st.stableRS {
			r.Others = append(r.Others, set.Size)
		}
	}
	return r
}

// stepsChanged reports whether the status was written for other steps.
func (st *pass) stepsChanged() bool {
	return st.read.CurrentStepHash != "" && st.read.CurrentStepHash != st.r.StepHash
}

// index returns the current step: 0 if none is known, nil without steps.
func (st *pass) index() *int32 {
	var i int32
	switch {
	case len(st.r.Steps) == 0:
		return nil
	case st.read.CurrentStepIndex != nil:
		i = *st.read.CurrentStepIndex
	}
	return &i
}

// step returns the current step, nil if there is none.
func (st *pass) step() *Step {
	if i := st.index(); i != nil && *i >= 0 && int(*i) < len(st.r.Steps) {
		return &st.r.Steps[*i]
	}
	return nil
}

// canary is a whole pass of a canary.
func (st *pass) canary() {
	st.restarted = st.stepsChanged()
	if !st.restarted && !st.changed() {
		st.create()
		st.canaryServices()
		st.leadRequests()
		st.canaryRuns()
		if len(st.addPauses) == 0 && !st.canarySets() {
			st.canaryPause()
		}
	}
	st.canaryStatus()
}

// canaryServices lets the Services of a canary select its pods, once these are there.
func (st *pass) canaryServices() {
	st.stable = st.follow(st.stable, st.stableRS, true)
	switch t := st.r.Routing; {
	case st.aborted() && t == nil:
		st.canaries = st.follow(st.canaries, st.stableRS, true)
	case st.aborted() && !st.read.promoted() && (!t.DynamicStableScale || st.counts(st.read.Weights).TrafficWeight() == 0):
		st.canaries = st.follow(st.canaries, st.stableRS, false) // no request is led to it
	case !st.returns():
		st.canaries = st.follow(st.canaries, st.newRS, true)
	}
}

// follow lets a Service select the pods of a ReplicaSet, if one of them is available.
func (st *pass) follow(s *Service, to *set, checked bool) *Service {
	if s == nil || to == nil || s.Selector[HashLabel] == to.Hash {
		return s
	}
	n := to.AvailableReplicas
	if checked && (n <= 0 || !s.Managed && (to.Replicas == 0 || n < to.Replicas)) {
		return s
	}
	return st.selectPods(s, to.Hash, ReasonTraffic)
}

// returns reports whether the update was interrupted by going back to the stable
// template, with dynamicStableScale, and the stable pods cannot serve all requests yet.
func (st *pass) returns() bool {
	w := st.read.Weights
	return st.read.StableRS == st.read.CurrentPodHash && st.r.Routing != nil && st.r.Routing.DynamicStableScale && w != nil &&
		st.newRS != nil && w.Canary.Hash != st.newRS.Hash && st.newRS.AvailableReplicas < st.replicas()
}

// leadRequests sets the weight by which requests are led to the new pods.
func (st *pass) leadRequests() {
	if st.r.Routing == nil {
		st.weights = nil
		return
	}
	r := st.counts(st.read.Weights)
	weight, to := r.TrafficWeight(), WeightDestination{Hash: st.newRS.Hash}
	if st.returns() {
		weight, to.Hash = r.weightBack(), st.read.Weights.Canary.Hash
	}
	if enough, needed := r.StableServes(weight); !enough {
		if st.stableRS != nil {
			st.hold(ReasonStableNotReady, int64(st.stableRS.AvailableReplicas), int64(needed))
		}
		return
	}
	next := &TrafficWeights{Canary: to, Stable: WeightDestination{Weight: r.MaxWeight() - weight, Hash: st.stableRS.Hash}, Verified: st.s.WeightVerified}
	next.Canary.Weight = weight
	if st.canaries != nil {
		next.Canary.Service = st.canaries.Name
	}
	if st.stable != nil {
		next.Stable.Service = st.stable.Name
	}
	st.setWeights(next)
}

// setWeights notes the weights, and sets them if they are others.
func (st *pass) setWeights(next *TrafficWeights) {
	was := st.read.Weights
	if was == nil || was.Canary != next.Canary || was.Stable != next.Stable {
		st.p.Actions = append(st.p.Actions, SetWeight{Canary: next.Canary, Stable: next.Stable, Reason: ReasonTraffic})
		if next.Verified != nil {
			next.Verified = new(false) // the answer was about the weights before
		}
	}
	st.weights = next
	if st.unverified() {
		st.recheck(st.now.Add(verifyAgain))
	}
}

// verifyAgain is the time after which it is verified again how requests are led.
const verifyAgain = 10 * time.Second

// unverified reports whether requests are known not to be led by the weights yet.
func (st *pass) unverified() bool {
	return st.weights != nil && st.weights.Verified != nil && !*st.weights.Verified
}

// canaryRuns takes the analyses of the step and of the background into account.
func (st *pass) canaryRuns() {
	if st.unjudged() {
		st.runs = Runs{}
		return
	}
	if step := st.step(); step == nil || step.Other == "" {
		st.runs.Step = Run{}
	} else if len(st.read.PauseConditions) == 0 {
		st.judge(&st.runs.Step, "Step-based analysis phase error/failed")
	}
	if st.paused(PauseInconclusive) == nil {
		st.judge(&st.runs.Background, "Background analysis phase error/failed")
	}
}

// canarySets scales the stable ReplicaSet, else the new one, else the others. It
// reports whether any changes.
func (st *pass) canarySets() bool {
	if st.halted() {
		st.hold(ReasonPaused, 0, 0)
		return false
	}
	st.removeDeadlines()
	// The stable pods follow the weights of the pass before, so that they go only when
	// requests have gone.
	stable := st.counts(st.read.Weights).Counts().Stable
	if st.stableRS != nil && st.stableRS != st.newRS && st.newRS != nil && st.scale(st.stableRS, stable, ReasonWeight) {
		return true
	}
	if st.newRS != nil && st.scaleFresh(ReasonWeight) {
		return true
	}
	return st.canaryOthers()
}

// canaryOthers removes pods of templates in between: those that are not available
// without any limit, then as many as may be unavailable.
func (st *pass) canaryOthers() bool {
	others := st.others()
	if len(others) == 0 {
		return false
	}
	removed, unready := false, int64(0)
	for _, set := range others {
		if set.AvailableReplicas > set.Replicas {
			return removed // upstream gives up
		}
		if set.AvailableReplicas < set.Replicas {
			unready += int64(set.Replicas) - int64(set.AvailableReplicas)
			removed = st.scale(set, set.AvailableReplicas, ReasonOtherTemplate)
		}
	}
	b := Budget(st.replicas(), st.r.MaxSurge, st.r.MaxUnavailable)
	room := int64(st.available()) - int64(b.MinAvailable())
	if room <= 0 {
		return false
	}
	if st.r.Routing != nil {
		return st.routedOthers(others, room)+unready > 0
	}
	for _, set := range others {
		if n := min(room, int64(set.to)); n > 0 {
			room -= n
			removed = st.scale(set, set.to-int32(n), ReasonOtherTemplate)
		}
	}
	return removed
}

// routedOthers removes ReplicaSets to which no request is led, what was stable after a
// delay, what is neither at once, and returns how many pods go.
func (st *pass) routedOthers(others []*set, room int64) (removed int64) {
	waiting := int32(0)
	for _, set := range others {
		if room <= 0 {
			break
		}
		if set.to == 0 || st.referenced(set.Hash) {
			continue
		}
		to, reason := int32(0), ReasonOtherTemplate
		if wasStable := st.read.StableRS == st.read.CurrentPodHash || !set.ScaleDownAt.IsZero(); wasStable && !st.r.Routing.DynamicStableScale {
			to, reason = st.delayed(set, &waiting, set.to), ReasonScaleDownDelay
		}
		if n := int64(set.to) - int64(to); n != 0 {
			st.scale(set, to, reason)
			room, removed = room-n, removed+n
		}
	}
	return removed
}

// canaryPause begins the pause of a step, or waits for its end.
func (st *pass) canaryPause() {
	step := st.step()
	if st.r.Paused || st.read.PromoteFull || step == nil || step.Pause == nil {
		return
	}
	c := st.paused(PauseStep)
	switch {
	case c == nil && !st.read.ControllerPause:
		st.pauseFor(PauseStep)
	case c != nil && step.Pause.Duration != nil:
		if _, at := step.Pause.completed(Progress{PausedAt: c.StartTime}, st.now); !at.IsZero() {
			st.recheck(at)
		}
	}
}

// canaryStatus completes the status of a canary.
func (st *pass) canaryStatus() {
	status, index := st.base(), st.index()
	status.CurrentStepHash = st.r.StepHash
	end := index
	if index != nil {
		n := int32(len(st.r.Steps))
		end = &n
	}
	switch {
	case st.stepsChanged() || st.changed():
		st.reset(&status)
		if index != nil && st.newRS != nil && (st.newRS == st.stableRS || st.withinWindow() && st.newRS.Replicas > 0) {
			status.CurrentStepIndex = end
		}
		st.persist(st.conditions(status))
		return
	case st.read.PromoteFull || st.withinWindow():
		st.clearPauses, st.removeAbort, index = true, true, end
	}
	switch {
	case st.promoted(&status):
		st.promote(&status)
		status.CurrentStepIndex = end
	case st.aborted():
		st.hold(ReasonAborted, 0, 0)
		status.CurrentStepIndex = index
		if index != nil {
			zero := int32(0)
			status.CurrentStepIndex = &zero
			if status.StableRS == status.CurrentPodHash {
				status.CurrentStepIndex = end
			}
		}
	default:
		status.CurrentStepIndex = st.advance(index)
	}
	st.persist(st.conditions(status))
}

// promoted reports whether the new ReplicaSet of a canary becomes the stable one.
func (st *pass) promoted(status *Status) bool {
	r := st.counts(st.weights)
	r.Abort, r.CurrentPodHash, r.StableRS = st.aborted(), status.CurrentPodHash, status.StableRS
	r.PromoteFull = st.read.PromoteFull || st.withinWindow()
	if st.stableRS == nil {
		r.StableRS = ""
	}
	return r.Promoted()
}

// advance returns the index of the step to take next, which is the one behind the
// current one if that is over. As upstream, a step that is over in the pass that skips
// all others, for a full promotion or a rollback within the window, leads one past the
// end; the next pass goes back to the end.
func (st *pass) advance(index *int32) *int32 {
	step := st.step()
	if st.r.Paused || step == nil || index == nil {
		return index
	}
	p := Progress{
		AtDesired: st.counts(st.weights).AtDesired(), Unverified: st.unverified(), ControllerPause: st.read.ControllerPause, OtherDone: step.done(st.runs.Step),
	}
	if c := st.paused(PauseStep); c != nil {
		p.PausedAt = c.StartTime
	}
	done, _ := step.Completed(p, st.now)
	if !done {
		st.waits(step, p)
		return index
	}
	next := *index + 1
	st.removePause, st.runs.Step = PauseStep, Run{}
	return &next
}

// waits says what the current step waits for.
func (st *pass) waits(step *Step, p Progress) {
	switch {
	case step.Other != "" && step.SetCanaryScale == nil:
		st.hold(ReasonAnalysis, int64(*st.index())+1, int64(len(st.r.Steps)))
	case step.Pause == nil && p.AtDesired:
		st.hold(ReasonUnverified, int64(st.weights.Canary.Weight), int64(st.weights.Canary.Weight)+int64(st.weights.Stable.Weight))
	case step.Pause == nil:
		st.hold(ReasonBatchNotReady, int64(st.newRS.AvailableReplicas), int64(st.counts(st.weights).Counts().Canary))
	case step.Pause.Duration == nil || p.PausedAt.IsZero():
		st.hold(ReasonApproval, int64(*st.index())+1, int64(len(st.r.Steps)))
	default:
		st.hold(ReasonPause, int64(st.now.Sub(p.PausedAt).Seconds()), int64(*step.Pause.Duration))
	}
}
