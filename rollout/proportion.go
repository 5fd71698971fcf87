// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"cmp"
	"slices"
)

// BySize returns the indexes of sets in the order in which they are scaled in proportion: the
// largest first. Among equally large sets the youngest is first if toAdd is above 0, and
// otherwise the oldest. Sets of one size and Age keep their order.
//
// It mirrors ReplicaSetsBySizeNewer and ReplicaSetsBySizeOlder of the controller package
// of Kubernetes.
func BySize(sets []Set, toAdd int64) []int {
	order := make([]int, len(sets))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(k, l int) int {
		older := cmp.Compare(sets[k].Age, sets[l].Age)
		if toAdd > 0 {
			older = -older
		}
		return cmp.Or(cmp.Compare(sets[l].Wanted, sets[k].Wanted), older)
	})
	return order
}

// Proportional returns the sizes of sets after toAdd pods are added in proportion to the
// sizes, or deleted if toAdd is below 0. Pass the sets in the order of [BySize]. The first set,
// the largest, gets the pods left over by rounding.
//
//	size(i) = wanted(i) + Proportion(i)
//	size(0) = max(0, wanted(0) + Proportion(0) + toAdd - the sum of all Proportion(i))
//
// It mirrors scale of the deployment controller of Kubernetes.
//
//proof:requires p.ExactSums && p.ExactProducts && 0 <= b.Replicas && 0 <= b.Surge && 0 < toAdd && toAdd <= 2147483647
//proof:requires all(k, 0, len(sets), 0 <= sets[k].Wanted && 0 <= sets[k].Before)
//proof:requires all(k, 0, len(sets)+1, sum(m, k, sets[m].Wanted)+toAdd <= 2147483647)
//proof:ensures len(result) == len(sets) && all(k, 0, len(sets), 0 <= result[k])
//proof:ensures len(sets) == 0 || sum(k, len(sets), result[k]) == sum(k, len(sets), sets[k].Wanted)+toAdd
func Proportional(sets []Set, b Budget, toAdd int64, p Counting) []int32 {
	sizes, added := make([]int32, len(sets)), int64(0)
	//proof:keeps added == sum(k, done, sizes[k])-sum(k, done, sets[k].Wanted)
	//proof:keeps -sum(k, done, sets[k].Wanted) <= added && added <= toAdd && 0 <= sum(k, done, sets[k].Wanted)
	//proof:keeps all(k, 0, done, 0 <= sizes[k]) && (done == 0 || sizes[0] <= sum(k, done, sizes[k]))
	for k, s := range sets {
		n := Proportion(s, b, toAdd, added, p)
		sizes[k] = p.Size(int64(s.Wanted) + n)
		added = p.Sum(added + n)
	}
	if toAdd != 0 && len(sizes) > 0 {
		sizes[0] = max(0, p.Size(int64(sizes[0])+toAdd-added))
	}
	return sizes
}

// Proportion returns how many of toAdd pods a set gets, if other sets have already got added of
// them. toAdd is below 0 if pods are deleted.
//
//	min(Fraction(wanted), toAdd - added)    if pods are added
//	max(Fraction(wanted), toAdd - added)    if pods are removed
//
// It mirrors GetReplicaSetProportion of the deployment util package of Kubernetes.
func Proportion(s Set, b Budget, toAdd, added int64, p Counting) int64 {
	if s.Wanted == 0 || added == toAdd {
		return 0
	}
	fraction, left := Fraction(b, s.Wanted, s.Before, p), p.Sum(toAdd-added)
	if toAdd > 0 {
		return min(fraction, left)
	}
	return max(fraction, left)
}

// Fraction returns by how much a set that wants size pods has to change to keep its share of
// all pods. before is how many pods all sets could want together when the set was last scaled;
// now they may want replicas + surge of b.
//
//	round(size * (replicas + surge) / before) - size    rounded half away from zero
//	-size                                               if replicas = 0
//	0                                                   if before = 0
//
// By default the product wraps around beyond the range of int32:
// kubernetes/kubernetes#128535. It mirrors getReplicaSetFraction of the deployment util
// package of Kubernetes.
func Fraction(b Budget, size, before int32, p Counting) int64 {
	switch {
	case b.Replicas == 0:
		return int64(-size)
	case before == 0:
		return 0
	case p.ExactProducts:
		return roundedQuotient(int64(size)*(int64(b.Replicas)+int64(b.Surge)), int64(before)) - int64(size)
	}
	return int64(int32(roundedQuotient(int64(size*(b.Replicas+b.Surge)), int64(before))) - size)
}

// roundedQuotient divides, rounding half away from zero. The divisor is not 0.
//
//proof:requires 0 <= a && 0 < b && b < 2147483648
//proof:ensures 2*(a-result*b) < b && 2*(result*b-a) <= b && 0 <= result
func roundedQuotient(a, b int64) int64 { return a/b + 2*(a%b)/b }
