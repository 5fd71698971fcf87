package argo

// counts returns what the sizes of the canary depend on.
func (st *pass) counts() Canary {
	r := Canary{
		Replicas: st.r.Replicas, MaxSurge: st.r.MaxSurge, MaxUnavailable: st.r.MaxUnavailable, Steps: st.r.Steps, ProgressThreshold: st.r.ProgressThreshold,
		CurrentStepIndex: st.index(), CurrentPodHash: st.read.CurrentPodHash, StableRS: st.read.StableRS, Abort: st.read.Abort, PromoteFull: st.read.PromoteFull,
		StableIsCanary: st.newRS != nil && st.newRS == st.stableRS,
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

// canary is a whole pass of a canary without traffic routing.
func (st *pass) canary() {
	st.restarted = st.stepsChanged()
	if !st.restarted && !st.changed() {
		st.create()
		if !st.canarySets() {
			st.canaryPause()
		}
	}
	st.canaryStatus()
}

// canarySets scales the stable ReplicaSet, else the new one, else the others. It
// reports whether any changes.
func (st *pass) canarySets() bool {
	if st.halted() {
		st.hold(ReasonPaused, 0, 0)
		return false
	}
	st.removeDeadlines()
	want := st.counts().Basic()
	if st.stableRS != nil && st.stableRS != st.newRS && st.newRS != nil && st.scale(st.stableRS, want.Stable, ReasonWeight) {
		return true
	}
	if st.newRS != nil && st.scale(st.newRS, want.Canary, ReasonWeight) {
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
	removed := false
	for _, set := range others {
		if set.AvailableReplicas > set.Replicas {
			return removed // upstream gives up
		}
		if set.AvailableReplicas < set.Replicas {
			removed = st.scale(set, set.AvailableReplicas, ReasonOtherTemplate)
		}
	}
	b := Budget(st.replicas(), st.r.MaxSurge, st.r.MaxUnavailable)
	room := int64(st.available()) - int64(b.MinAvailable())
	if room <= 0 {
		return false
	}
	for _, set := range others {
		if n := min(room, int64(set.to)); n > 0 {
			room -= n
			removed = st.scale(set, set.to-int32(n), ReasonOtherTemplate)
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
		st.addPause = PauseStep
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
	r := st.counts()
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
	p := Progress{AtDesired: st.counts().AtDesired(), ControllerPause: st.read.ControllerPause}
	if c := st.paused(PauseStep); c != nil {
		p.PausedAt = c.StartTime
	}
	done, _ := step.Completed(p, st.now)
	if !done {
		st.waits(step, p)
		return index
	}
	next := *index + 1
	st.removePause = PauseStep
	return &next
}

// waits says what the current step waits for.
func (st *pass) waits(step *Step, p Progress) {
	switch {
	case step.Pause == nil:
		st.hold(ReasonBatchNotReady, int64(st.newRS.AvailableReplicas), int64(st.counts().Counts().Canary))
	case step.Pause.Duration == nil || p.PausedAt.IsZero():
		st.hold(ReasonApproval, int64(*st.index())+1, int64(len(st.r.Steps)))
	default:
		st.hold(ReasonPause, int64(st.now.Sub(p.PausedAt).Seconds()), int64(*step.Pause.Duration))
	}
}
