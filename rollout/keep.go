// SPDX-License-Identifier: Apache-2.0

package rollout

import "slices"

// KeepLimit returns sizes in which the new set does not grow beyond limit. It moves the pods
// beyond limit and beyond the pods that the new set wants now to the largest other set that
// wants pods; of equally large sets, to the first. newest is the index of the new set.
//
//	surplus       = max(0, size(newest) - max(wanted(newest), limit))
//	size(newest)  - surplus
//	size(largest) + surplus
//
// Without another set that wants pods, sizes do not change. Use KeepLimit to scale a rollout
// that waits at a partition: scaling in proportion alone would grow all sets.
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

// KeepAvailable returns sizes that keep the minimum of available pods or, if fewer pods are
// available now, all of these. Sets keep available pods that sizes would delete, the first set
// first. As many unavailable or missing pods are given up instead, those of the last set first.
//
//	available(i) = max(0, min(available, wanted))            of set i
//	missing      = min(minAvailable, sum available(i)) - sum min(available(i), size(i))
//	size(i) - missing, up to max(0, size(i) - available(i))      last set first
//	size(i) + missing, up to max(0, available(i) - size(i))      first set first
//
// The sum of sizes does not change if there are enough unavailable pods, that is, if it is at
// least the minimum. Use KeepAvailable to scale sets with unavailable pods: scaling in
// proportion ignores availability.
func KeepAvailable(b Budget, sets []Set, sizes []int32, p Counting) []int32 {
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
