package deploy

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

// shrinkOld removes pods of old templates and reports whether a size changes. What may be removed is every pod wanted beyond the minimum that
// must be available, less the pods of the new ReplicaSet that are not available
// yet:
//
//	replicas 10, surge 3, 2 unavailable; old 10, new 3 of which 1 is available:
//	13 - 8 - (3 - 1) = 3 pods may go
//
// It mirrors reconcileOldReplicaSets of the deployment controller of Kubernetes
// 1.36.3.
func (st *state) shrinkOld() bool {
	if st.partitioned() {
		return st.shrinkToPartition()
	}
	n := st.newSet()
	wanted, sum := int64(0), st.available(n)
	for _, s := range st.activeOld {
		wanted += int64(s.spec)
		sum += st.available(s)
	}
	if st.asInt32Sum(wanted) == 0 {
		return false
	}
	available, serving := st.asInt32Sum(sum), st.serving()
	room := st.asInt32Sum(serving - st.minAvailable())
	if room <= 0 {
		st.holdOld(serving)
		return false
	}
	cleaned, ok := st.removeUnhealthy(room, StatusAheadStopsCleanup)
	if !ok {
		return false
	}
	down, spare := int64(0), st.removable(available)
	for i := range st.activeOld {
		down += st.removeHealthy(i, spare-down)
	}
	st.holdOld(available - down)
	return st.asInt32Sum(cleaned+down) > 0
}

// minAvailable is how many pods must be available.
func (st *state) minAvailable() int64 {
	return st.asInt32Sum(int64(st.replicas) - int64(st.budget.Unavailable))
}

// removable is how many available pods there are beyond the minimum. The difference may wrap
// around, so compare first.
func (st *state) removable(available int64) int64 {
	return st.asInt32Sum(max(available, st.minAvailable()) - st.minAvailable())
}

// serving is how many pods are wanted, but for those of the new ReplicaSet that are not
// available yet.
func (st *state) serving() int64 {
	n := st.newSet()
	return st.asInt32Sum(st.total() - int64(n.spec) + st.available(n))
}

// activeOld yields the old sets that wanted pods before the plan, oldest first.
func (st *state) activeOld(yield func(int, *set) bool) {
	for i, s := range st.old {
		if s.from > 0 && !yield(i, s) {
			return
		}
	}
}

// removeUnhealthy removes up to room pods of old sets that are not available, and
// returns how many. They serve nobody, and if they stayed, a rollout
// from a broken template would never leave room for a good one. It gives up, with
// ok false, at a set that reports more available pods than it wants; what it has
// planned by then stays planned. With the quirk repaired, such a set has what it wants.
func (st *state) removeUnhealthy(room int64, quirk Quirks) (cleaned int64, ok bool) {
	for i, s := range st.activeOld {
		if cleaned >= room {
			break
		}
		available := int64(s.status().AvailableReplicas)
		if st.opts.Repair.Has(quirk) {
			available = s.wantedAvailable()
		}
		n := min(room-cleaned, st.asInt32Sum(int64(s.spec)-available))
		if n < 0 {
			st.hold(s.rs.Name, ReasonStatusAhead, s.status().AvailableReplicas, s.spec)
			return cleaned, false
		}
		s.unhealthy += int32(n)
		st.setScale(i, s.spec-int32(n), ReasonUnhealthy, false)
		cleaned += n
	}
	return cleaned, true
}

// removeHealthy removes up to room further pods of a set and returns how many.
func (st *state) removeHealthy(i int, room int64) int64 {
	s := &st.sets[i]
	n := max(0, min(int64(s.spec), room))
	reason := ReasonRolloutDown
	if i == st.newest {
		reason = ReasonTakenForOld
	}
	st.setScale(i, s.spec-int32(n), reason, false)
	return n
}

// holdOld says why the old sets keep the pods that they keep.
func (st *state) holdOld(available int64) {
	for _, s := range st.activeOld {
		if s.spec > 0 {
			st.hold64(s.rs.Name, ReasonMinAvailable, available, st.minAvailable())
		}
	}
}
