// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// WorstCaseWithinRoom: if available pods may be removed first, no set goes below its lower
// bound, and all together lose no more pods than are wanted beyond the minimum, in addition
// to pods that are still to go or to come. That the minimum stays available even if
// available pods go first is an invariant of ShrinkWorstCase.
func WorstCaseWithinRoom(b rollout.Budget, newSet rollout.Set, size int32, old []rollout.Set, sizes []int32) {
	assume(valid(b) && newSet.Wanted >= 0 && newSet.Available >= 0 && newSet.There >= 0 && size >= 0)
	present(old)
	targets(sizes)
	room := int64(min(newSet.Wanted, newSet.Available)) - toGo(newSet, size) - (int64(b.Replicas) - int64(b.Unavailable))
	//proof:keeps -2147483648*(done+2) <= room && room <= 2147483647*(done+1)
	//proof:keeps room == min(newSet.Wanted, newSet.Available)-toGo(newSet, size)-(b.Replicas-b.Unavailable)+sum(k, done, old[k].Wanted-toGo(old[k], target(sizes, k, old[k].Wanted)))
	for i, s := range old {
		room += int64(s.Wanted) - toGo(s, target(sizes, i, s.Wanted))
	}
	r := rollout.ShrinkWorstCase(b, newSet, size, old, sizes)
	prove("within the room", r.Removed <= max(0, room))
	prove("without room none goes", room > 0 || len(r.Unavailable) == 0 && len(r.Available) == 0)
	least := int64(b.Replicas) - int64(b.Unavailable)
	prove("it says what it reckons with", r.Ahead == -1 && r.Limit == least && (room > 0 || r.Have == max(0, room+least)))
	prove("it says how many stay", 0 <= r.Have && r.Have <= least)
	//proof:keeps true
	for i, s := range old {
		unavailable, others := at(r.Unavailable, i), at(r.Available, i)
		left := target(sizes, i, s.Wanted) - unavailable - others
		prove("an old set never gains, and no size is below 0", unavailable >= 0 && others >= 0 && left >= 0)
		prove("it keeps what it has to", unavailable == 0 && others == 0 || left >= min(s.Wanted, max(s.Least, s.Protected)))
	}
}

// toGo returns how many pods of a set are still to go, if it gets a size next.
func toGo(s rollout.Set, size int32) int64 { return max(0, int64(s.There)-int64(min(s.Wanted, size))) }

// present assumes that no number of pods is below 0.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Wanted && 0 <= old[k].Available && 0 <= old[k].There)
func present(old []rollout.Set) {
	//proof:keeps all(k, 0, done, 0 <= old[k].Wanted && 0 <= old[k].Available && 0 <= old[k].There)
	for _, s := range old {
		assume(s.Wanted >= 0 && s.Available >= 0 && s.There >= 0)
	}
}

// targets assumes that no size is below 0.
//
//proof:ensures all(k, 0, len(sizes), 0 <= sizes[k])
func targets(sizes []int32) {
	//proof:keeps all(k, 0, done, 0 <= sizes[k])
	for _, size := range sizes {
		assume(size >= 0)
	}
}

// target returns the next size of a set, or its wanted pods if no sizes are given.
func target(sizes []int32, i int, wanted int32) int32 {
	if i < len(sizes) {
		return sizes[i]
	}
	return wanted
}
