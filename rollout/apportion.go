// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A Part is one of several sets among which [Apportion] divides pods.
type Part struct {
	Weight int64 `json:"weight"`        // the part gets weight / (sum of all weights) of the pods
	Size   int32 `json:"size,omitzero"` // current number of pods
	Age    int   `json:"age,omitzero"`  // order by age: an older part has a lower number
}

// A Leftover is the policy that selects the parts which get the pods left over by rounding
// down.
type Leftover string

// The policies for leftovers.
const (
	LeftoverMostCut Leftover = ""        // the parts with the largest remainders
	LeftoverLargest Leftover = "Largest" // the largest parts
	LeftoverNewest  Leftover = "Newest"  // the youngest parts
)

// Weights returns the weights of sets for [Apportion]. before(i) is Before of set i: how many
// pods all sets could want together when the set was last scaled.
//
//	weight(i) = wanted(i)                                     if all before(i) are equal, or one is unknown
//	weight(i) = max(1, wanted(i) * 2^bits / before(i))        otherwise
func Weights(sets []Set) []int64 {
	weights := make([]int64, len(sets))
	known, least, most := len(sets) > 0, int32(math.MaxInt32), int32(0)
	for k, s := range sets {
		weights[k] = int64(s.Wanted)
		known, least, most = known && s.Before > 0, min(least, s.Before), max(most, s.Before)
	}
	if !known || least == most {
		return weights
	}
	for k, s := range sets {
		weights[k] = max(1, weights[k]<<shareBits(len(sets))/int64(s.Before))
	}
	return weights
}

// shareBits returns the number of bits after the point of n weights: at most 24, and so few
// that the sum of n weights fits into 63 bits.
func shareBits(n int) int { return min(24, 32-bits.Len32(uint32(n))) }

// Apportion divides goal pods among parts in proportion to their weights. It rounds all shares
// down, and then gives one more pod to some parts until the sum is goal. The policy selects
// these parts; among equal parts the youngest is first, and among parts of one Age the first in
// the list. Weights below 0 count as 0, and if all weights are 0, all count as 1. A goal below 0
// counts as 0.
//
//	share(i) = floor(goal * weight(i) / sum of weights), and 1 more for some parts
//	sum of share(i) = goal
//
// Apportion returns the preferred sizes, which may be nil, if they are such shares and no
// part has one more pod in place of a part with a larger remainder.
func Apportion(goal int64, parts []Part, preferred []int32, leftover Leftover) []int64 {
	goal = max(0, goal)
	weights, sum := divisors(parts)
	shares, cut, left := make([]int64, len(parts)), make([]uint64, len(parts)), goal
	for k, w := range weights {
		hi, lo := bits.Mul64(uint64(goal), w) // the quotient is at most goal: it fits 64 bits
		share, rest := bits.Div64(hi, lo, sum)
		shares[k], cut[k] = int64(share), rest
		left -= int64(share)
	}
	if divides(preferred, shares, cut, left) {
		for k, size := range preferred {
			shares[k] = int64(size)
		}
		return shares
	}
	order := leftoverOrder(parts, cut, leftover)
	for _, k := range order[:min(left, int64(len(order)))] {
		shares[k]++
	}
	return shares
}

// divisors returns the weights, changed so that their sum is above 0 and fits 63 bits, and the
// sum.
func divisors(parts []Part) (weights []uint64, sum uint64) {
	weights = make([]uint64, len(parts))
	for k, p := range parts {
		weights[k] = uint64(max(0, min(p.Weight, math.MaxInt64/int64(len(parts)))))
		sum += weights[k]
	}
	if sum == 0 {
		for k := range weights {
			weights[k] = 1
		}
		sum = uint64(len(weights))
	}
	return weights, sum
}

// divides reports whether each size is a share rounded down or up, the sizes use up all of
// the pods left over, and no part is rounded up while one with a larger remainder is
// rounded down.
func divides(sizes []int32, shares []int64, cut []uint64, left int64) bool {
	if len(sizes) != len(shares) {
		return false
	}
	least, most := uint64(math.MaxUint64), uint64(0) // the remainders of sizes rounded up, and down
	for k, size := range sizes {
		switch {
		case int64(size) == shares[k]:
			most = max(most, cut[k])
		case int64(size) == shares[k]+1:
			least = min(least, cut[k])
			left--
		default:
			return false
		}
	}
	return sizes != nil && left == 0 && least >= most
}

// leftoverOrder returns the indexes of the parts in the order in which they get the pods left
// over. Among equal parts the youngest is first, also if goal is smaller than the current
// sum: then the parts that get no leftover lose a pod, and these should be the oldest.
func leftoverOrder(parts []Part, cut []uint64, leftover Leftover) []int {
	order := make([]int, len(parts))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(k, l int) int {
		larger, younger := cmp.Compare(parts[l].Size, parts[k].Size), cmp.Compare(parts[l].Age, parts[k].Age)
		switch leftover {
		case LeftoverLargest:
			return cmp.Or(larger, younger)
		case LeftoverNewest:
			return younger
		}
		return cmp.Or(cmp.Compare(cut[l], cut[k]), larger, younger)
	})
	return order
}
