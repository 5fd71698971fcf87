// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// OnDeleteWithinReplicas: where old pods stay until a user deletes them, the new set takes
// their places and no more: existing and added pods stay within the replicas.
func OnDeleteWithinReplicas(replicas int32, newSet rollout.Set, old []rollout.Set) {
	assume(replicas >= 0 && newSet.Wanted >= 0 && newSet.There >= 0)
	exist := existing(old)
	size, sizes := rollout.OnDelete(replicas, newSet, old)
	more := int64(size) - int64(newSet.Wanted)
	prove("growth fills places only", more <= 0 || more+exist+int64(max(newSet.Wanted, newSet.There)) <= int64(replicas))
	//proof:keeps true
	for i, s := range old {
		prove("an old set never gains, and none is below 0", 0 <= at(sizes, i) && at(sizes, i) <= s.Wanted)
	}
}

// existing returns the sum of the pods that old sets want or have, the larger of each.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Wanted && 0 <= old[k].There)
//proof:ensures result == sum(k, len(old), max(old[k].Wanted, old[k].There)) && 0 <= result && result <= 2147483647*len(old)
func existing(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps all(k, 0, done, 0 <= old[k].Wanted && 0 <= old[k].There)
	//proof:keeps total == sum(k, done, max(old[k].Wanted, old[k].There)) && 0 <= total && total <= 2147483647*done
	for _, s := range old {
		assume(s.Wanted >= 0 && s.There >= 0)
		total += int64(max(s.Wanted, s.There))
	}
	return total
}

// OnDeleteTakesSurplus: the pods beyond the replicas go, and no others, if no old set
// misses pods that it wants.
func OnDeleteTakesSurplus(replicas int32, newSet rollout.Set, old []rollout.Set) {
	assume(replicas >= 0 && newSet.Wanted >= 0 && newSet.There >= 0)
	before := whole(old)
	size, sizes := rollout.OnDelete(replicas, newSet, old)
	total := int64(size)
	//proof:keeps total == size+sum(k, done, sizes[k]) && 0 <= total-size && total-size <= 2147483647*done
	for i := range old {
		total += int64(sizes[i])
	}
	prove("all together have the replicas, or what they had", total == min(int64(replicas), int64(size)+before))
}

// whole returns the pods that sets want, if none of them misses a pod.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Wanted && old[k].Wanted <= old[k].There)
//proof:ensures result == sum(k, len(old), old[k].Wanted) && 0 <= result && result <= 2147483647*len(old)
func whole(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps all(k, 0, done, 0 <= old[k].Wanted && old[k].Wanted <= old[k].There)
	//proof:keeps total == sum(k, done, old[k].Wanted) && 0 <= total && total <= 2147483647*done
	for _, s := range old {
		assume(0 <= s.Wanted && s.Wanted <= s.There)
		total += int64(s.Wanted)
	}
	return total
}

// OnDeleteKeepsRest: while all sets together have no more than the replicas, an old set
// gives up only missing pods.
func OnDeleteKeepsRest(replicas int32, newSet rollout.Set, old []rollout.Set) {
	assume(replicas >= 0 && newSet.Wanted >= 0 && newSet.There >= 0)
	total := smaller(old)
	size, sizes := rollout.OnDelete(replicas, newSet, old)
	assume(total+int64(size) <= int64(replicas))
	//proof:keeps true
	for i, s := range old {
		prove("an old set wants what it has", at(sizes, i) == min(s.Wanted, s.There))
	}
}

// smaller returns the sum of the pods that sets want or have, the smaller of each.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Wanted && 0 <= old[k].There)
//proof:ensures result == sum(k, len(old), min(old[k].Wanted, old[k].There)) && 0 <= result && result <= 2147483647*len(old)
func smaller(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps all(k, 0, done, 0 <= old[k].Wanted && 0 <= old[k].There)
	//proof:keeps total == sum(k, done, min(old[k].Wanted, old[k].There)) && 0 <= total && total <= 2147483647*done
	for _, s := range old {
		assume(s.Wanted >= 0 && s.There >= 0)
		total += int64(min(s.Wanted, s.There))
	}
	return total
}

// LargerCountWithinSurge: with CountLarger the new set grows within the surge of the larger
// of the pods that each set wants and has.
func LargerCountWithinSurge(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	p := rollout.Policy{Counting: rollout.Counting{ExactSums: true}, CountLarger: true}
	assume(valid(b) && newSet.Wanted >= 0 && newSet.There >= 0 && newSet.Wanted <= b.Replicas && newSet.Available >= 0)
	counts(old)
	total := existing(old) + int64(max(newSet.Wanted, newSet.There))
	r := rollout.Roll(b, newSet, old, 0, p)
	prove("within the surge", r.Size <= newSet.Wanted || total+int64(r.Size)-int64(newSet.Wanted) <= p.MaxTotal(b))
}

// DeadlockHasVictim: the pod that may go to break a deadlock is in a set that wants pods
// and has unavailable ones, and it goes only if every pod of the new set is available.
func DeadlockHasVictim(newSet rollout.Set, old []rollout.Set) {
	which := rollout.Deadlock(newSet, old)
	if which < 0 {
		return
	}
	s := old[which]
	prove("the set has a pod to lose", s.Wanted > 0)
	prove("not all of its pods are available", s.Available != s.There && s.There == s.Wanted)
	prove("the new set is whole", newSet.Available == newSet.Wanted)
}

// MovesNeverGrowMore: where pods move in place the new set gets no more pods than it would
// otherwise, and loses none.
func MovesNeverGrowMore(replicas int32, newSet rollout.Set, size int32, old []rollout.Set, sizes []int32, busy bool) {
	assume(replicas >= 0 && newSet.Wanted >= 0 && newSet.There >= 0)
	next := rollout.InPlace(replicas, newSet, size, old, sizes, busy)
	prove("no more", next <= max(size, newSet.Wanted))
	prove("nothing is lost", next >= min(size, newSet.Wanted))
}

// MovesMakeRoom: where pods move in place no pod is created beyond the replicas, or beyond
// the size of the new set, except the one that makes room for the first to move; it is
// created if nothing else is in progress.
func MovesMakeRoom(replicas int32, newSet rollout.Set, size int32, old []rollout.Set, sizes []int32, busy bool) {
	assume(replicas >= 0 && newSet.Wanted >= 0 && newSet.There >= 0 && size > newSet.Wanted && len(sizes) == len(old))
	others, idle := held(old, sizes)
	idle = idle && !busy && newSet.Wanted == newSet.There && newSet.There == newSet.Available
	next := rollout.InPlace(replicas, newSet, size, old, sizes, busy)
	one := newSet.Wanted + 1
	exist := others + int64(max(next, newSet.There))
	prove("nothing beyond the replicas, but for one", next == newSet.Wanted || next == one || next <= newSet.There || exist <= int64(replicas))
	prove("while something is in progress not even one", idle || next == newSet.Wanted || next <= newSet.There || exist <= int64(replicas))
	prove("at rest something is made", !idle || next > newSet.Wanted)
	prove("all is made that there is room for", next == size || next == one || exist >= int64(replicas) || next <= newSet.There)
}

// held returns the sum of the pods that old sets get or have, the larger of each, and
// whether none of them is to lose pods.
//
//proof:requires len(sizes) == len(old)
//proof:ensures total == sum(k, len(old), max(sizes[k], old[k].There)) && -2147483648*len(old) <= total && total <= 2147483647*len(old)
//proof:ensures idle == all(k, 0, len(old), old[k].There <= old[k].Wanted && old[k].Wanted <= sizes[k])
func held(old []rollout.Set, sizes []int32) (total int64, idle bool) {
	idle = true
	//proof:keeps total == sum(k, done, max(sizes[k], old[k].There)) && -2147483648*done <= total && total <= 2147483647*done
	//proof:keeps idle == all(k, 0, done, old[k].There <= old[k].Wanted && old[k].Wanted <= sizes[k])
	for i, s := range old {
		total += int64(max(sizes[i], s.There))
		idle = idle && s.There <= s.Wanted && s.Wanted <= sizes[i]
	}
	return total, idle
}

// CountedAsPolicySays: the available pods that old sets report count in full, or up to the
// wanted ones if the policy says so for all sets or for old ones. The same holds for the
// new set, except for a policy of old ones.
func CountedAsPolicySays(newSet rollout.Set, old []rollout.Set, capAvailable, capOld bool) {
	total := reported(old)
	if capAvailable || capOld {
		total = serving(old)
	}
	if capAvailable {
		total += int64(max(0, min(newSet.Available, newSet.Wanted)))
	} else {
		total += int64(newSet.Available)
	}
	p := rollout.Counting{ExactSums: true, CapAvailable: capAvailable, CapOld: capOld}
	prove("available pods", rollout.Available(newSet, old, p) == total)
}

// reported returns the available pods that sets report.
//
//proof:ensures result == sum(k, len(old), old[k].Available)
//proof:ensures -2147483648*len(old) <= result && result <= 2147483647*len(old)
func reported(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps total == sum(k, done, old[k].Available) && -2147483648*done <= total && total <= 2147483647*done
	for _, s := range old {
		total += int64(s.Available)
	}
	return total
}

// LeastStays: after a step old sets have at least their lower bound and, if the wanted pods
// include the protected ones, these; or all wanted pods if they are fewer.
func LeastStays(b rollout.Budget, newSet rollout.Set, old []rollout.Set, apart bool) {
	p := rollout.Counting{ExactSums: true, ProtectedApart: apart}
	assume(valid(b) && newSet.Available >= 0)
	notNegative(old)
	lost := rollout.Shrink(b, newSet, old, p)
	//proof:keeps true
	for i, s := range old {
		left := s.Wanted - at(lost.Unavailable, i) - at(lost.Available, i)
		keep := s.Least
		if !apart {
			keep = max(keep, s.Protected)
		}
		prove("it keeps what it has to", left >= min(s.Wanted, keep))
	}
}

// OnDeleteKeepsLeast: where old pods stay until a user deletes them, no set shrinks below its lower
// bound, and old sets never grow.
func OnDeleteKeepsLeast(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	assume(b.Replicas >= 0 && newSet.Wanted >= 0 && newSet.There >= 0)
	existing(old)
	r := rollout.Roll(b, newSet, old, 0, rollout.Policy{OnDelete: true})
	prove("the new set keeps what it has to", r.Size >= min(newSet.Wanted, max(newSet.Least, newSet.Protected)))
	//proof:keeps true
	for i, s := range old {
		left := s.Wanted - at(r.Shrinking.Unavailable, i)
		prove("an old set never grows", left <= s.Wanted)
		prove("it keeps what it has to", left >= min(s.Wanted, max(s.Least, s.Protected)))
	}
}

// TerminatingCountsOnce: where the pods of sets include terminating ones, their number is not
// read, so that none counts twice.
func TerminatingCountsOnce(b rollout.Budget, newSet rollout.Set, old []rollout.Set, terminating int32, larger bool) {
	p := rollout.Policy{Counting: rollout.Counting{ExactSums: true}, CountLarger: larger, CountThere: !larger}
	assume(valid(b) && newSet.Wanted >= 0 && newSet.Available >= 0)
	notNegative(old)
	size := rollout.Roll(b, newSet, old, int64(terminating), p).Size
	prove("the size is the same without it", size == rollout.Roll(b, newSet, old, 0, p).Size)
}

// ApartAreNotKept: protected pods that are counted separately do not keep wanted pods from
// going.
func ApartAreNotKept(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	p := rollout.Counting{ExactSums: true, ProtectedApart: true}
	assume(valid(b) && newSet.Available >= 0)
	availableAndFree(old)
	left, available := wanted(old), rollout.Available(newSet, old, p)
	assume(left > 0 && available > p.MinAvailable(b))
	lost := rollout.Shrink(b, newSet, old, p)
	prove("some pods go", lost.Removed > 0)
}

// availableAndFree assumes that each set has as many available pods as it wants, and no
// lower bound.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Wanted && old[k].Available == old[k].Wanted && old[k].Least <= 0)
func availableAndFree(old []rollout.Set) {
	//proof:keeps all(k, 0, done, 0 <= old[k].Wanted && old[k].Available == old[k].Wanted && old[k].Least <= 0)
	for _, s := range old {
		assume(0 <= s.Wanted && s.Available == s.Wanted && s.Least <= 0)
	}
}

// ExcessNeverCounts: if available pods beyond the wanted ones do not count, enough wanted
// pods stay available after any prefix of the writes of a step.
func ExcessNeverCounts(b rollout.Budget, newSet rollout.Set, old []rollout.Set, terminating int32) {
	p := rollout.Counting{ExactSums: true, CapAvailable: true}
	assume(valid(b) && newSet.Wanted >= 0 && newSet.Available >= 0 && terminating >= 0 && newSet.Wanted <= b.Replicas)
	notNegative(old)
	r := rollout.Roll(b, newSet, old, int64(terminating), rollout.Policy{Counting: p})
	before := int64(max(0, min(newSet.Available, newSet.Wanted))) + serving(old)
	available, removed := before, int64(0)
	//proof:keeps removed == sum(k, min(done, len(r.Shrinking.Available)), r.Shrinking.Available[k])
	//proof:keeps 0 <= removed && removed <= 2147483647*done
	//proof:keeps before-removed <= available && available <= before
	for i, s := range old {
		prove("enough are available", available >= min(before, p.MinAvailable(b)))
		size := int64(s.Wanted) - int64(at(r.Shrinking.Unavailable, i)) - int64(at(r.Shrinking.Available, i))
		available -= max(0, int64(min(s.Available, s.Wanted))-size)
		removed += int64(at(r.Shrinking.Available, i))
	}
	prove("enough are available at the end", available >= min(before, p.MinAvailable(b)))
}

// serving returns the available pods that sets want.
//
//proof:ensures result == sum(k, len(old), max(0, min(old[k].Available, old[k].Wanted)))
//proof:ensures 0 <= result && result <= 2147483647*len(old)
func serving(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps total == sum(k, done, max(0, min(old[k].Available, old[k].Wanted))) && 0 <= total && total <= 2147483647*done
	for _, s := range old {
		total += int64(max(0, min(s.Available, s.Wanted)))
	}
	return total
}

// notNegative assumes that no count is below 0.
//
//proof:ensures all(k, 0, len(old), 0 <= old[k].Wanted && 0 <= old[k].Available)
func notNegative(old []rollout.Set) {
	//proof:keeps all(k, 0, done, 0 <= old[k].Wanted && 0 <= old[k].Available)
	for _, s := range old {
		assume(s.Wanted >= 0 && s.Available >= 0)
	}
}
