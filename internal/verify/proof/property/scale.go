// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// FractionWithinHalf: a set that is scaled in proportion gets its exact share, rounded to
// the nearest whole pod.
func FractionWithinHalf(b rollout.Budget, size, before int32) {
	p := rollout.Counting{ExactSums: true, ExactProducts: true}
	assume(valid(b) && b.Replicas > 0 && size >= 0 && before > 0)
	share := (int64(size) + rollout.Fraction(b, size, before, p)) * int64(before)
	exact := int64(size) * (int64(b.Replicas) + int64(b.Surge))
	prove("not more than half a pod below", 2*(exact-share) <= int64(before))
	prove("not more than half a pod above", 2*(share-exact) <= int64(before))
}

// SharesRound: when sets are scaled in proportion, each gets its exact share to within one
// pod, unless the pods to add or to remove run out.
func SharesRound(s rollout.Set, b rollout.Budget, toAdd, added int64) {
	p := rollout.Counting{ExactSums: true, ExactProducts: true}
	assume(valid(b) && b.Replicas > 0 && s.Wanted > 0 && s.Before > 0)
	assume(-1<<40 < toAdd && toAdd < 1<<40 && -1<<40 < added && added < 1<<40)
	n, before := rollout.Proportion(s, b, toAdd, added, p), int64(s.Before)
	assume(n != toAdd-added)
	share := (int64(s.Wanted) + n) * before
	exact := int64(s.Wanted) * (int64(b.Replicas) + int64(b.Surge))
	prove("less than one pod below", exact-share < before)
	prove("less than one pod above", share-exact < before)
}

// FractionDirection: a set gains pods if the maximum has risen since it was last scaled,
// and loses pods if it has fallen.
func FractionDirection(b rollout.Budget, size, before int32) {
	p := rollout.Counting{ExactSums: true, ExactProducts: true}
	assume(valid(b) && b.Replicas > 0 && size >= 0 && before > 0)
	n, most := rollout.Fraction(b, size, before, p), int64(b.Replicas)+int64(b.Surge)
	_ = products(int64(size), int64(before), most)
	prove("it gains", int64(before) > most || n >= 0)
	prove("it loses", int64(before) < most || n <= 0)
	prove("no size is below 0", int64(size)+n >= 0)
}

// products reports that a product rises with its second factor.
//
//proof:requires 0 <= times && times < 2147483648 && 0 <= a && a < 8589934592 && 0 <= b && b < 8589934592
//proof:ensures implies(a <= b, times*a <= times*b) && implies(b <= a, times*b <= times*a)
func products(times, a, b int64) bool { return times*a <= times*b }

// FractionWithoutOverflow: the share with the product of Kubernetes, which wraps around, is
// exact while that product is below 2^31.
func FractionWithoutOverflow(b rollout.Budget, size, before int32) {
	assume(valid(b) && size >= 0 && before > 0 && int64(size) <= int64(b.Replicas)+int64(b.Surge))
	assume(int64(b.Replicas)+int64(b.Surge) < 1<<31 && int64(size)*(int64(b.Replicas)+int64(b.Surge)) < 1<<31)
	exact := rollout.Fraction(b, size, before, rollout.Counting{ExactSums: true, ExactProducts: true})
	prove("the same as without a bound", rollout.Fraction(b, size, before, rollout.Counting{}) == exact)
}

// FractionOfNone: without replicas a set loses all its pods, and a set whose share is not
// known keeps its size.
func FractionOfNone(b rollout.Budget, size, before int32, p rollout.Counting) {
	assume(valid(b) && size >= 0 && (b.Replicas == 0 || before == 0))
	n := rollout.Fraction(b, size, before, p)
	prove("it loses all", b.Replicas > 0 || int64(size)+n == 0)
	prove("it keeps what it has", b.Replicas == 0 || n == 0)
}

// ProportionWithinRest: no set gets more than the rest of the pods to add or to remove.
func ProportionWithinRest(s rollout.Set, b rollout.Budget, toAdd, added int64) {
	p := rollout.Counting{ExactSums: true, ExactProducts: true}
	assume(valid(b) && s.Wanted >= 0 && s.Before >= 0)
	assume(-1<<40 < toAdd && toAdd < 1<<40 && -1<<40 < added && added < 1<<40)
	n := rollout.Proportion(s, b, toAdd, added, p)
	prove("a set that wants none gets none", s.Wanted > 0 || n == 0)
	prove("none when all are added", added != toAdd || n == 0)
	prove("not more than is left to add", toAdd <= 0 || n == 0 || n <= toAdd-added)
	prove("not more than is left to remove", toAdd > 0 || n == 0 || n >= toAdd-added)
}

// ProportionalExactly: if pods are added to any number of sets in proportion, the sizes add
// up to all of them, and none is below 0.
func ProportionalExactly(sets []rollout.Set, b rollout.Budget, toAdd int64) {
	assume(valid(b) && 0 < toAdd && toAdd < 1<<31 && len(sets) > 0)
	before := withinRange(sets, toAdd)
	sizes := rollout.Proportional(sets, b, toAdd, rollout.Counting{ExactSums: true, ExactProducts: true})
	total := int64(0)
	//proof:keeps total == sum(k, done, sizes[k]) && 0 <= total && total <= 2147483647*done
	for _, size := range sizes {
		prove("no size is below 0", size >= 0)
		total += int64(size)
	}
	prove("as many as are to be added", total == before+toAdd)
}

// withinRange returns the pods that sets want, if these and the added ones are fewer than
// 2^31.
//
//proof:ensures all(k, 0, len(sets), 0 <= sets[k].Wanted && 0 <= sets[k].Before)
//proof:ensures all(k, 0, len(sets)+1, sum(m, k, sets[m].Wanted)+toAdd <= 2147483647)
//proof:ensures result == sum(k, len(sets), sets[k].Wanted) && 0 <= result
func withinRange(sets []rollout.Set, toAdd int64) int64 {
	total := int64(0)
	assume(0 < toAdd && toAdd < 1<<31)
	//proof:keeps all(k, 0, done, 0 <= sets[k].Wanted && 0 <= sets[k].Before)
	//proof:keeps all(k, 0, done+1, sum(m, k, sets[m].Wanted)+toAdd <= 2147483647)
	//proof:keeps total == sum(k, done, sets[k].Wanted) && 0 <= total && total <= 2147483647*done
	for _, s := range sets {
		assume(s.Wanted >= 0 && s.Before >= 0)
		total += int64(s.Wanted)
		assume(total+toAdd < 1<<31)
	}
	return total
}
