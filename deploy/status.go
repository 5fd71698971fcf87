package deploy

import "github.com/kplan-go/kplan/selector"

// reportCounts sets the plan's status for a pass that does not drive the rollout:
// the counts and the condition Available.
func (st *state) reportCounts() {
	if st.aborted {
		st.keepStatus()
		return
	}
	st.plan.Status = st.counts()
	if st.opts.Repair.Has(ReplicaFailureNotRefreshed) {
		st.reportFailure()
	}
	st.finishStatus()
}

// counts returns the status with everything but progress and failures. Like
// upstream it counts the ReplicaSets as they were before the plan, so that the
// number of unavailable pods lags by one pass.
//
// It mirrors calculateStatus of the deployment controller of Kubernetes 1.36.3.
func (st *state) counts() Status {
	s := Status{ObservedGeneration: st.d.Generation, TerminatingReplicas: st.terminating()}
	if n := st.d.Status.CollisionCount; n != nil {
		s.CollisionCount = new(*n)
	}
	var wanted, replicas, ready, available int64
	for i := range st.sets {
		set := &st.sets[i]
		wanted += int64(st.counted(set))
		replicas += int64(set.status().Replicas)
		ready += int64(set.status().ReadyReplicas)
		available += int64(set.status().AvailableReplicas)
	}
	s.Replicas, s.ReadyReplicas, s.AvailableReplicas = st.clampInt32(replicas), st.clampInt32(ready), st.clampInt32(available)
	if n := st.newSet(); n != nil {
		s.UpdatedReplicas = n.status().Replicas
	}
	s.UnavailableReplicas = max(0, st.clampInt32(wanted)-s.AvailableReplicas)
	if s.AvailableReplicas >= st.reportedMinAvailable() {
		st.setCondition(ConditionAvailable, selector.ConditionTrue, availableEnough, "Deployment has minimum availability.")
	} else {
		st.setCondition(ConditionAvailable, selector.ConditionFalse, availableTooFew, "Deployment does not have minimum availability.")
	}
	return s
}

// counted returns the size of a set that unavailable pods are reckoned from: that
// before the plan, by default: see [UnavailableReplicasLag].
func (st *state) counted(s *set) int32 {
	if st.opts.Repair.Has(UnavailableReplicasLag) {
		return s.spec
	}
	return s.from - s.cleaned
}

// reportedMinAvailable returns how many pods the condition Available asks for.
func (st *state) reportedMinAvailable() int32 {
	n := st.replicas - st.budget.Unavailable
	if st.opts.StrictAvailable && st.replicas > 0 {
		return max(1, n)
	}
	return n
}

// terminating returns the number of terminating pods, or nil if a ReplicaSet that
// has been synced does not report it.
func (st *state) terminating() *int32 {
	sum := int64(0)
	for i := range st.sets {
		switch status := st.sets[i].status(); {
		case status.TerminatingReplicas != nil:
			sum += int64(*status.TerminatingReplicas)
		case status.ObservedGeneration != 0:
			return nil
		}
	}
	return new(st.clampInt32(sum))
}

// finishStatus moves the conditions into the plan.
func (st *state) finishStatus() {
	if c := findCondition(st.conditions, ConditionProgressing); st.found && c.Reason == progressFound {
		c.Message = found(st.newSet()) // which most passes replace, so that it is made here
	}
	if len(st.conditions) > 0 {
		st.plan.Status.Conditions = st.conditions
	}
}

// keepStatus leaves the status as it was stored, but for the conditions that the
// pass has already set: for a pass that ends before it has counted.
func (st *state) keepStatus() {
	status := st.d.Status
	status.Conditions = nil
	if status.CollisionCount != nil {
		status.CollisionCount = new(*status.CollisionCount)
	}
	if status.TerminatingReplicas != nil {
		status.TerminatingReplicas = new(*status.TerminatingReplicas)
	}
	st.plan.Status = status
	st.finishStatus()
}
