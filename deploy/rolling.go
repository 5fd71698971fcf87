package deploy

import "github.com/kplan-go/kplan/rollout"

// roll makes one step of a rolling update: it creates the new ReplicaSet
// if there is none, grows it, or else shrinks the old ones, or else, when the
// rollout is complete, deletes what exceeds the history limit.
//
// It mirrors rolloutRolling of the deployment controller of Kubernetes 1.36.3.
func (st *state) roll() {
	if st.newest < 0 && !st.create() {
		return
	}
	if !st.growNew() && !st.shrinkOld() && st.complete(&st.d.Status) {
		st.cleanUpHistory()
	}
}

// growNew brings the new ReplicaSet closer to the Deployment's replicas and
// reports whether its size changes.
func (st *state) growNew() bool {
	s := st.newSet()
	if s.spec >= st.replicas {
		return st.setScale(st.newest, st.replicas, ReasonSurplus, false)
	}
	size := st.newSize()
	if size == s.spec {
		st.holdNew(s)
	}
	return st.setScale(st.newest, size, ReasonRolloutUp, false)
}

// shrinkOld removes pods of old templates and reports whether a size changes: see
// [rollout.Shrink].
//
// It mirrors reconcileOldReplicaSets of the deployment controller of Kubernetes
// 1.36.3.
func (st *state) shrinkOld() bool {
	if st.partitioned() {
		return st.shrinkToPartition()
	}
	old, places := st.countOld()
	shrinking := rollout.Shrink(st.budget, st.newSet().count(), old, st.policy())
	st.removeUnavailable(places, old, shrinking.Unavailable)
	st.removeAvailable(places, shrinking.Available)
	switch {
	case shrinking.Ahead >= 0:
		st.holdAhead(&st.sets[places[shrinking.Ahead]])
		return false
	case !shrinking.Idle:
		st.holdOld(shrinking.Have)
	}
	return shrinking.Removed > 0
}

// countOld returns the counts of the active old sets, oldest first, and their numbers.
func (st *state) countOld() (old []rollout.Set, places []int) {
	for i, s := range st.activeOld {
		old, places = append(old, s.count()), append(places, i)
	}
	return old, places
}

// minAvailable is how many pods must be available.
func (st *state) minAvailable() int64 { return st.policy().MinAvailable(st.budget) }

// activeOld yields the old sets that wanted pods before the plan, oldest first.
func (st *state) activeOld(yield func(int, *set) bool) {
	for i, s := range st.old {
		if s.from > 0 && !yield(i, s) {
			return
		}
	}
}

// removeUnavailable plans what sets lose of pods that are not available.
func (st *state) removeUnavailable(places []int, old []rollout.Set, lost []int32) {
	if lost == nil {
		return
	}
	for k, size := range rollout.Remaining(old, lost) {
		st.sets[places[k]].unhealthy += lost[k]
		st.setScale(places[k], size, ReasonUnhealthy, false)
	}
}

// removeAvailable plans what sets lose of further pods.
func (st *state) removeAvailable(places []int, lost []int32) {
	for k, n := range lost {
		i, reason := places[k], ReasonRolloutDown
		if i == st.newest {
			reason = ReasonTakenForOld
		}
		st.setScale(i, st.sets[i].spec-n, reason, false)
	}
}

// holdAhead says that a set which reports more available pods than it wants has ended
// the cleanup.
func (st *state) holdAhead(s *set) {
	st.hold(s.rs.Name, ReasonStatusAhead, s.status().AvailableReplicas, s.spec)
}

// holdOld says why the old sets keep the pods that they keep.
func (st *state) holdOld(available int64) {
	for _, s := range st.activeOld {
		if s.spec > 0 {
			st.hold64(s.rs.Name, ReasonMinAvailable, available, st.minAvailable())
		}
	}
}
