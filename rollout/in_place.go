// SPDX-License-Identifier: Apache-2.0

package rollout

// InPlace returns the next size of the new set if pods of old sets move to it, updated in
// place, instead of being replaced: the new set does not grow for pods that exist in old sets.
// size and sizes are the next sizes of the new set and of the old sets without moves.
//
//	size - min(size - wanted, max(0, total - replicas))     total = the sum of max(size, there) of all
//	wanted + 1       if this is wanted, size > wanted, and nothing is in progress
//
// Something is in progress if busy is set, if the new set lacks wanted pods or not all of its
// pods are available, or if an old set loses pods. The extra pod allows the first pod to move
// if no pod may be unavailable. InPlace mirrors the in-place updates of Cluster API (commit
// ae7ff047).
//
//proof:requires 0 <= newSet.Wanted && 0 <= replicas && 0 <= newSet.There
//proof:ensures size > newSet.Wanted || result == size
//proof:ensures size <= newSet.Wanted || newSet.Wanted <= result && result <= size
//proof:ensures size <= newSet.Wanted || len(sizes) != len(old) || result == size-min(size-newSet.Wanted, max(0, max(size, newSet.There)+sum(k, len(old), max(sizes[k], old[k].There))-replicas)) || result == newSet.Wanted+1 && !busy && newSet.Wanted == newSet.There && newSet.There == newSet.Available && all(k, 0, len(old), old[k].There <= old[k].Wanted && old[k].Wanted <= sizes[k])
//proof:ensures size <= newSet.Wanted || len(sizes) != len(old) || result > newSet.Wanted || !(!busy && newSet.Wanted == newSet.There && newSet.There == newSet.Available && all(k, 0, len(old), old[k].There <= old[k].Wanted && old[k].Wanted <= sizes[k]))
func InPlace(replicas int32, newSet Set, size int32, old []Set, sizes []int32, busy bool) int32 {
	growth := int64(size) - int64(newSet.Wanted)
	if growth <= 0 {
		return size
	}
	idle := !busy && newSet.Wanted == newSet.There && newSet.There == newSet.Available
	total := int64(max(size, newSet.There))
	//proof:keeps -2147483648*(done+1) <= total && total <= 2147483647*(done+1)
	//proof:keeps implies(len(sizes) == len(old), total == max(size, newSet.There)+sum(k, done, max(sizes[k], old[k].There)))
	//proof:keeps implies(len(sizes) == len(old), idle == (!busy && newSet.Wanted == newSet.There && newSet.There == newSet.Available && all(k, 0, done, old[k].There <= old[k].Wanted && old[k].Wanted <= sizes[k])))
	for i, s := range old {
		next := s.Wanted
		if i < len(sizes) {
			next = sizes[i]
		}
		total += int64(max(next, s.There))
		idle = idle && s.Wanted >= s.There && next >= s.Wanted
	}
	growth -= min(growth, max(0, total-int64(replicas)))
	if growth == 0 && idle {
		growth = 1
	}
	return saturate(int64(newSet.Wanted) + growth)
}

// BreakDeadlock returns a step that deletes one pod of the set that [Deadlock] returns, if r
// changes nothing. Otherwise, or without such a set, it returns r. [Roll] calls it with
// [Policy].BreakDeadlock; a caller that changes the step calls it again.
func (r Rolling) BreakDeadlock(newSet Set, old []Set) Rolling {
	if r.Size != newSet.Wanted || r.Shrinking.Removed != 0 {
		return r
	}
	if which := Deadlock(newSet, old); which >= 0 {
		r.Shrinking.Unavailable, r.Shrinking.Available, r.Shrinking.Removed = make([]int32, len(old)), nil, 1
		r.Shrinking.Unavailable[which] = 1
	}
	return r
}
