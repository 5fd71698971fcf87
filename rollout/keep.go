// SPDX-License-Identifier: Apache-2.0

package rollout

import "slices"

// KeepLimit returns sizes of sets of which the new one has no more pods than it may: what it
// would get beyond its limit, or beyond what it wants already, goes to the largest other set
// that wants pods, the first of several. Newest is the place of the new set.
//
//	surplus       = max(0, size(newest) - max(wanted(newest), limit))
//	size(newest)  - surplus
//	size(largest) + surplus
//
// Without another set that wants pods, sizes stay as they are. Whoever scales in the middle
// of a rollout that a partition holds needs it: by their shares alone all sets grow.
func KeepLimit(sets []Set, sizes []int32, newest int, limit int32) []int32 {
	kept, largest := slices.Clone(sizes), -1
	if newest < 0 || newest >= min(len(sets), len(sizes)) {
		return kept
	}
	for i := range min(len(sets), len(sizes)) {
		if i != newest && sets[i].Wanted > 0 && (largest < 0 || sizes[i] > sizes[largest]) {
			largest = i
		}
	}
	surplus := int64(sizes[newest]) - int64(max(sets[newest].Wanted, limit))
	if largest >= 0 && surplus > 0 {
		kept[newest] = saturate(int64(sizes[newest]) - surplus)
		kept[largest] = saturate(int64(sizes[largest]) + surplus)
	}
	return kept
}

// KeepAvailable returns sizes with which the minimum stays available, or what is available
// if that is less: sets keep available pods that they would lose, the first set first, and
// others, the last set first, give up as many that are not available, or not started yet.
//
//	available(i) = max(0, min(available, wanted))            of set i
//	missing      = min(minAvailable, sum available(i)) - sum min(available(i), size(i))
//	size(i) - what is missing, up to max(0, size(i) - available(i))      last set first
//	size(i) + what is missing, up to max(0, available(i) - size(i))      first set first
//
// The sum of sizes stays the same if there are enough pods that are not available, as there
// are if sizes add up to no less than the minimum. Whoever scales while some pods are not
// available needs it: shares take no account of that.
func KeepAvailable(b Budget, sets []Set, sizes []int32, p Policy) []int32 {
	kept := slices.Clone(sizes)
	n := min(len(sets), len(sizes))
	available, stay := int64(0), int64(0)
	for i, s := range sets[:n] {
		available += s.capped()
		stay += min(s.capped(), int64(sizes[i]))
	}
	missing := min(p.MinAvailable(b), available) - stay
	if missing <= 0 {
		return kept
	}
	take, give := missing, missing
	for i, s := range slices.Backward(sets[:n]) {
		lost := max(0, min(take, int64(sizes[i])-s.capped()))
		kept[i] = saturate(int64(kept[i]) - lost)
		take -= lost
	}
	for i, s := range sets[:n] {
		gained := max(0, min(give, s.capped()-int64(sizes[i])))
		kept[i] = saturate(int64(kept[i]) + gained)
		give -= gained
	}
	return kept
}
