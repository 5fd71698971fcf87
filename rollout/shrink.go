// SPDX-License-Identifier: Apache-2.0

package rollout

// A Shrinking holds how many pods old sets lose in one step of a rolling update, and the two
// numbers that decide this.
type Shrinking struct {
	Unavailable []int32 `json:"unavailable,omitempty"` // the loss of each set in unavailable pods
	Available   []int32 `json:"available,omitempty"`   // the further loss of each set
	Removed     int64   `json:"removed,omitzero"`      // the sum of both
	// Have is the number of pods that stay available, and Limit the minimum. Without a loss in
	// Available, Have does not count the available pods of a set beyond the pods that it wants:
	// they are still to go. In the worst case, see [ShrinkWorstCase], all pods that may go do.
	Have  int64 `json:"have,omitzero"`
	Limit int64 `json:"limit,omitzero"`
	Ahead int   `json:"ahead"`         // the index of the set that ended the step, or -1: see [RemoveUnavailable]
	Idle  bool  `json:"idle,omitzero"` // old sets want no pods
}

// Shrink returns how many pods old sets lose: first up to room unavailable pods, then up to
// spare pods, which may be available. Both begin with the oldest set; old sets are given
// oldest first.
//
//	room  = Serving(newSet, old) - minAvailable
//	spare = available(newSet) + available(old) - minAvailable
//
// For example, with 10 replicas and 2 unavailable minAvailable is 8. If an old set wants 10
// pods and 1 pod of the new set is available, room = 10 + 1 - 8 = 3. No set shrinks below
// [Counting.Keeps]. Shrink mirrors reconcileOldReplicaSets of the deployment controller of
// Kubernetes.
//
//proof:requires p.ExactSums && 0 <= b.Unavailable && b.Unavailable <= b.Replicas && 0 <= newSet.Available
//proof:requires all(k, 0, len(old), 0 <= old[k].Wanted && 0 <= old[k].Available)
//proof:ensures len(result.Unavailable) == 0 || len(result.Unavailable) == len(old)
//proof:ensures len(result.Available) == 0 || len(result.Available) == len(old) && len(result.Unavailable) == len(old)
//proof:ensures all(k, 0, len(result.Unavailable), 0 <= result.Unavailable[k] && result.Unavailable[k] <= max(0, old[k].Wanted-old[k].Available))
//proof:ensures all(k, 0, len(result.Available), 0 <= result.Available[k] && result.Available[k] <= old[k].Wanted-result.Unavailable[k])
//proof:ensures sum(k, len(result.Unavailable), result.Unavailable[k]) <= max(0, p.of(newSet, false)+sum(k, len(old), old[k].Wanted)-p.MinAvailable(b))
//proof:ensures implies(p.of(newSet, false)+sum(k, len(old), old[k].Wanted) <= p.MinAvailable(b), result.Removed == 0 && len(result.Unavailable) == 0 && len(result.Available) == 0)
//proof:ensures result.Ahead < 0 || len(result.Available) == 0
//proof:ensures implies(all(k, 0, len(old), old[k].Available <= old[k].Wanted), result.Ahead == -1)
//proof:ensures len(result.Available) == 0 || result.Have == p.of(newSet, false)+sum(m, len(old), p.of(old[m], true))-sum(k, len(old), result.Available[k])
//proof:ensures all(k, 0, len(result.Unavailable), old[k].Wanted-result.Unavailable[k] >= p.least(old[k]))
//proof:ensures all(k, 0, len(result.Available), old[k].Wanted-result.Unavailable[k]-result.Available[k] >= p.least(old[k]))
//proof:ensures all(k, 0, len(result.Available)+1, sum(m, k, result.Available[m]) <= max(0, p.of(newSet, false)+sum(m, len(old), p.of(old[m], true))-p.MinAvailable(b)))
//proof:ensures implies(all(k, 0, len(old), old[k].Available == old[k].Wanted && p.least(old[k]) == 0) && sum(k, len(old), old[k].Wanted) > 0 && p.of(newSet, false)+sum(k, len(old), old[k].Wanted) > p.MinAvailable(b), result.Removed > 0)
//proof:ensures implies(all(k, 0, len(result.Unavailable), result.Unavailable[k] == 0) && all(k, 0, len(result.Available), result.Available[k] == 0), result.Removed == 0)
func Shrink(b Budget, newSet Set, old []Set, p Counting) Shrinking {
	wanted := int64(0)
	//proof:keeps wanted == sum(k, done, old[k].Wanted)
	//proof:keeps -2147483648*done <= wanted && wanted <= 2147483647*done
	for _, s := range old {
		wanted += int64(s.Wanted)
	}
	staying := p
	staying.CapOld = true
	r := Shrinking{Have: Available(newSet, old, staying), Limit: p.MinAvailable(b), Ahead: -1, Idle: p.Sum(wanted) == 0}
	room := p.Sum(Serving(newSet, wanted, p) - r.Limit)
	if r.Idle || room <= 0 {
		return r
	}
	r.Unavailable, r.Removed, r.Ahead = RemoveUnavailable(old, room, p)
	if r.Ahead >= 0 {
		return r
	}
	sizes := Remaining(old, r.Unavailable)
	//proof:keeps all(k, 0, len(old), 0 <= sizes[k] && sizes[k] <= old[k].Wanted-r.Unavailable[k])
	//proof:keeps all(k, 0, len(old), done <= k || sizes[k] <= max(0, old[k].Wanted-r.Unavailable[k]-p.least(old[k])))
	//proof:keeps all(k, 0, len(old), p.least(old[k]) > 0 || sizes[k] == old[k].Wanted-r.Unavailable[k])
	for i, s := range old {
		if least := p.least(s); least > 0 {
			sizes[i] = max(0, sizes[i]-least)
		}
	}
	available := Available(newSet, old, p)
	lost, down := RemoveAvailable(sizes, Spare(b, available, p))
	r.Available, r.Removed, r.Have = lost, p.Sum(r.Removed+down), available-down
	return r
}

// Serving returns the number of pods that all sets want, without new pods that are not
// available yet. old is the number of pods that old sets want.
//
//	old + available(newSet)
func Serving(newSet Set, old int64, p Counting) int64 { return p.Sum(old + p.of(newSet, false)) }

// Available returns how many pods are available.
//
//	available(newSet) + the sum of available(s) over old
//
//proof:ensures result == p.Sum(p.of(newSet, false)+sum(k, len(old), p.of(old[k], true)))
//proof:ensures -2147483648*(len(old)+1) <= result && result <= 2147483647*(len(old)+1)
func Available(newSet Set, old []Set, p Counting) int64 {
	sum := p.of(newSet, false)
	//proof:keeps sum == p.of(newSet, false) + sum(k, done, p.of(old[k], true))
	//proof:keeps -2147483648*(done+1) <= sum && sum <= 2147483647*(done+1)
	for _, s := range old {
		sum += p.of(s, true)
	}
	return p.Sum(sum)
}

// Spare returns how many available pods there are beyond the minimum.
//
//	max(0, available - minAvailable)
func Spare(b Budget, available int64, p Counting) int64 {
	least := p.MinAvailable(b)
	return p.Sum(max(available, least) - least) // the difference may wrap around: compare before
}

// RemoveUnavailable deletes up to room unavailable pods of old sets, one set after another. It
// returns the loss of each set and the sum.
//
//	lost(i) = min(room - lost(0) - ... - lost(i-1), wanted(i) - available(i), wanted(i) - keeps(i))
//
// It stops at a set that reports more available pods than it wants; ahead is the index of this
// set, or -1. It mirrors cleanupUnhealthyReplicas of the deployment controller of Kubernetes.
//
//proof:requires all(k, 0, len(old), 0 <= old[k].Wanted && 0 <= old[k].Available)
//proof:ensures len(lost) == len(old) && ahead >= -1
//proof:ensures ahead < 0 || ahead < len(old) && sum < room && old[ahead].Wanted < old[ahead].Available
//proof:ensures 0 <= sum && sum <= max(0, room) && sum == sum(k, len(old), lost[k])
//proof:ensures all(k, 0, len(old), 0 <= lost[k] && lost[k] <= max(0, old[k].Wanted-old[k].Available))
//proof:ensures all(k, 0, len(old), lost[k] <= old[k].Wanted-p.least(old[k]))
//proof:ensures ahead >= 0 || sum >= room || all(k, 0, len(old), p.least(old[k]) > 0 || lost[k] >= old[k].Wanted-old[k].Available)
//proof:ensures implies(all(k, 0, len(old), lost[k] == 0), sum == 0)
//proof:ensures implies(all(k, 0, len(old), old[k].Available <= old[k].Wanted), ahead == -1)
func RemoveUnavailable(old []Set, room int64, p Counting) (lost []int32, sum int64, ahead int) {
	lost = make([]int32, len(old))
	//proof:keeps 0 <= sum && sum <= max(0, room) && sum == sum(k, len(old), lost[k])
	//proof:keeps all(k, 0, done, 0 <= lost[k] && lost[k] <= max(0, old[k].Wanted-old[k].Available))
	//proof:keeps all(k, done, len(old), lost[k] == 0)
	//proof:keeps all(k, 0, done, lost[k] <= old[k].Wanted-p.least(old[k]))
	//proof:keeps sum >= room || all(k, 0, done, p.least(old[k]) > 0 || lost[k] >= old[k].Wanted-old[k].Available)
	//proof:keeps implies(all(k, 0, done, lost[k] == 0), sum == 0)
	for i, s := range old {
		if sum >= room {
			break
		}
		available := int64(s.Available)
		if p.CapOld {
			available = s.capped()
		}
		n := min(room-sum, p.Sum(int64(s.Wanted)-available))
		if n < 0 {
			return lost, sum, i
		}
		if least := p.least(s); least > 0 {
			n = min(n, int64(s.Wanted)-int64(least))
		}
		lost[i] = int32(n)
		sum += n
	}
	return lost, sum, -1
}

// Remaining returns the sizes of sets after their losses. A set keeps its size if it would be
// below 0, because its number of available pods is below 0.
//
//	wanted(i) - lost(i)
//
//proof:ensures len(result) == len(sets)
//proof:ensures all(k, 0, len(sets), implies(k < len(lost) && 0 <= lost[k] && lost[k] <= sets[k].Wanted, result[k] == sets[k].Wanted-lost[k]))
//proof:ensures all(k, 0, len(sets), implies(k >= len(lost), result[k] == sets[k].Wanted))
func Remaining(sets []Set, lost []int32) []int32 {
	sizes := make([]int32, len(sets))
	//proof:keeps all(k, 0, done, implies(k < len(lost) && 0 <= lost[k] && lost[k] <= sets[k].Wanted, sizes[k] == sets[k].Wanted-lost[k]))
	//proof:keeps all(k, 0, done, implies(k >= len(lost), sizes[k] == sets[k].Wanted))
	for i, s := range sets {
		sizes[i] = s.Wanted
		if i < len(lost) && s.Wanted-lost[i] >= 0 {
			sizes[i] -= lost[i]
		}
	}
	return sizes
}

// RemoveAvailable deletes up to spare pods, available or not, of sets of these sizes, one set
// after another. It returns the loss of each set and the sum.
//
//	lost(i) = max(0, min(size(i), spare - lost(0) - ... - lost(i-1)))
//
// It mirrors scaleDownOldReplicaSetsForRollingUpdate of the deployment controller of
// Kubernetes.
//
//proof:ensures len(lost) == len(sizes)
//proof:ensures 0 <= sum && sum <= max(0, spare) && sum == sum(k, len(sizes), lost[k])
//proof:ensures all(k, 0, len(sizes), 0 <= lost[k] && lost[k] <= max(0, sizes[k]))
//proof:ensures all(k, 0, len(sizes)+1, sum(m, k, lost[m]) <= max(0, spare))
//proof:ensures sum >= spare || all(k, 0, len(sizes), lost[k] == max(0, sizes[k]))
//proof:ensures all(k, 0, len(sizes), lost[k] == 0) == (sum == 0)
func RemoveAvailable(sizes []int32, spare int64) (lost []int32, sum int64) {
	lost = make([]int32, len(sizes))
	//proof:keeps 0 <= sum && sum <= max(0, spare)
	//proof:keeps sum == sum(k, done, lost[k])
	//proof:keeps all(k, 0, done, 0 <= lost[k] && lost[k] <= max(0, sizes[k]))
	//proof:keeps all(k, 0, done+1, sum(m, k, lost[m]) <= max(0, spare))
	//proof:keeps sum >= spare || all(k, 0, done, lost[k] == max(0, sizes[k]))
	//proof:keeps all(k, 0, done, lost[k] == 0) == (sum == 0)
	for i, size := range sizes {
		n := max(0, min(int64(size), spare-sum))
		lost[i] = int32(n)
		sum += n
	}
	return lost, sum
}
