package deploy

import "github.com/kplan-go/kplan/selector"

// explainWait says what a rollout waits for when sizes are final, and what has gone
// wrong with it.
func (st *state) explainWait() {
	if st.complete(&st.plan.Status) {
		return
	}
	if s := st.newSet(); s != nil && len(st.plan.Holds) == 0 && len(st.scaled) == 0 {
		st.explainNew(s)
		st.explainOld()
	}
	st.explainFailures()
	if c := findCondition(st.conditions, ConditionProgressing); c != nil && c.Reason == progressExceeded {
		st.plan.Holds = append(st.plan.Holds, Hold{
			Reason: ReasonDeadlineExceeded, Have: int64(st.now.Sub(c.LastUpdateTime).Seconds()), Limit: int64(st.deadline),
		})
	}
}

// explainNew says what the new ReplicaSet, of the right size, still lacks.
func (st *state) explainNew(s *set) {
	name, status := s.rs.Name, s.status()
	switch {
	case !s.rs.DeletionTimestamp.IsZero():
		st.hold(name, ReasonReplicaSetDeleting, 0, 0)
	case s.rs.Generation > status.ObservedGeneration && status.Replicas != s.spec:
		st.hold64(name, ReasonNotObserved, status.ObservedGeneration, s.rs.Generation)
	case status.Replicas != s.spec:
		st.hold(name, ReasonStatusBehind, status.Replicas, s.spec)
	case status.ReadyReplicas < s.spec && status.AvailableReplicas < s.spec:
		st.hold(name, ReasonNotReady, status.ReadyReplicas, s.spec)
	case status.AvailableReplicas < s.spec:
		st.hold(name, ReasonNotAvailable, status.AvailableReplicas, s.spec)
	case status.AvailableReplicas > s.spec:
		st.hold(name, ReasonStatusAhead, status.AvailableReplicas, s.spec)
	}
}

// explainOld says which old ReplicaSets, which want no pods, still have some.
func (st *state) explainOld() {
	for _, s := range st.old {
		switch status := s.status(); {
		case status.Replicas != 0:
			st.hold(s.rs.Name, ReasonOldPodsRemain, status.Replicas, 0)
		case status.AvailableReplicas != 0:
			st.hold(s.rs.Name, ReasonStatusAhead, status.AvailableReplicas, 0)
		}
	}
}

// explainFailures names the ReplicaSets that cannot create or delete pods.
func (st *state) explainFailures() {
	for _, s := range st.all {
		if c := failureOf(s); c != nil && c.Status == selector.ConditionTrue {
			st.hold(s.rs.Name, ReasonReplicaFailure, s.status().Replicas, s.from)
		}
	}
}

// explainPaused says what a paused Deployment would do next.
func (st *state) explainPaused() {
	switch {
	case len(st.sets) == 0:
		st.hold("", ReasonPausedNew, 0, st.replicas)
	case st.newest < 0:
		st.hold("", ReasonPausedTemplate, 0, st.replicas)
	default:
		st.hold("", ReasonPaused, 0, 0)
	}
}

// explainScaling says that a rollout waits until sizes are adapted.
func (st *state) explainScaling() {
	pending := st.newest < 0
	for range st.activeOld {
		pending = true
	}
	if pending {
		st.hold("", ReasonScalingFirst, 0, st.replicas)
	}
}

// explainName says that the name of the ReplicaSet to be created is taken, so that
// the API server will reject it: a collision of hashes, or a stranger.
func (st *state) explainName(name string) {
	if st.named(name) != nil {
		st.hold(name, ReasonNameTaken, 0, 0)
	}
}
