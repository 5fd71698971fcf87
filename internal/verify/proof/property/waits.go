// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// PlacesLeaveMost: if protected pods are counted separately, the new set does not replace
// them yet, and the maximum of pods stays the same.
func PlacesLeaveMost(b rollout.Budget, old []rollout.Set) {
	assume(valid(b))
	apart := inUse(old)
	left := rollout.Counting{ProtectedApart: true}.Places(b, old)
	prove("they take places of the replicas", int64(left.Replicas) == max(0, int64(b.Replicas)-apart))
	most := int64(b.Replicas) + int64(b.Surge)
	prove("the most stays the same, as far as a surge goes", int64(left.Replicas)+int64(left.Surge) == most || left.Surge == 1<<31-1 && int64(left.Replicas)+1<<31-1 < most)
	prove("as many may be unavailable", left.Unavailable == b.Unavailable)
	without := rollout.Counting{}.Places(b, old)
	prove("nothing changes where they are among those that are wanted", without == b)
}

// inUse returns the protected pods of sets.
//
//proof:ensures result == sum(k, len(old), max(0, old[k].Protected)) && 0 <= result && result <= 2147483647*len(old)
func inUse(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps total == sum(k, done, max(0, old[k].Protected)) && 0 <= total && total <= 2147483647*done
	for _, s := range old {
		total += int64(max(0, s.Protected))
	}
	return total
}

// GrowthWaits: with WaitForNew the new set keeps its size until the pods that it wants
// exist, and then grows as without it.
func GrowthWaits(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	assume(valid(b) && newSet.Wanted >= 0 && newSet.Available >= 0)
	notNegative(old)
	size := rollout.Roll(b, newSet, old, 0, rollout.Policy{Counting: rollout.Counting{ExactSums: true}, WaitForNew: true}).Size
	prove("it waits", newSet.Wanted == newSet.There || size == newSet.Wanted)
	would := rollout.Roll(b, newSet, old, 0, rollout.Policy{Counting: rollout.Counting{ExactSums: true}}).Size
	prove("it grows", newSet.Wanted != newSet.There || size == would)
}

// OvershootFreezes: with FreezeOvershoot nothing is added while more pods exist than may be
// wanted, and otherwise as many as without it.
func OvershootFreezes(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	assume(valid(b) && newSet.Wanted >= 0 && newSet.Available >= 0)
	assume(int64(b.Replicas)+int64(b.Surge) < 1<<31)
	notNegative(old)
	over := int64(newSet.There)+there(old) > int64(b.Replicas)+int64(b.Surge)
	size := rollout.Roll(b, newSet, old, 0, rollout.Policy{Counting: rollout.Counting{ExactSums: true}, FreezeOvershoot: true}).Size
	prove("nothing is added", !over || size <= newSet.Wanted)
	would := rollout.Roll(b, newSet, old, 0, rollout.Policy{Counting: rollout.Counting{ExactSums: true}}).Size
	prove("as it would be", over && would > newSet.Wanted || size == would)
}

// there returns the pods that sets have.
//
//proof:ensures result == sum(k, len(old), old[k].There) && -2147483648*len(old) <= result && result <= 2147483647*len(old)
func there(old []rollout.Set) int64 {
	total := int64(0)
	//proof:keeps total == sum(k, done, old[k].There) && -2147483648*done <= total && total <= 2147483647*done
	for _, s := range old {
		total += int64(s.There)
	}
	return total
}
