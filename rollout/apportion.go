// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A Part is one of several sets that share pods.
type Part struct {
	Weight int64 `json:"weight"`        // its share of the sum of all weights
	Size   int32 `json:"size,omitzero"` // pods that it has
	Age    int   `json:"age,omitzero"`  // the older of two has the lower one
}

// A Leftover names the parts that get the pods left over by rounding.
type Leftover string

// The policies for leftovers.
const (
	LeftoverMostCut Leftover = ""        // the parts with the largest remainders
	LeftoverLargest Leftover = "Largest" // the largest
	LeftoverNewest  Leftover = "Newest"  // the youngest
)

// Weights returns the shares of sets. Sizes are shares if all were last scaled for the same
// maximum, or the maximum of one is not known.
//
//	weight(i) = wanted(i)                                     if all before(i) are equal, or one is not known
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

// shareBits is the precision in bits of shares that are not whole numbers: the most for
// which the sum of n of the largest shares fits into 63 bits.
func shareBits(n int) int { return min(24, 32-bits.Len32(uint32(n))) }

// Apportion divides goal in proportion to weights, exactly. The pods that rounding down
// leaves over go, one each, to the parts that the policy names, and among equal parts to
// the youngest. A weight below 0 is 0, and if all are 0, all are 1.
//
//	share(i) = floor(goal * weight(i) / sum), and 1 more for some
//	the sum of all share(i) = goal
//
// Preferred sizes, if given, are returned if they are such shares too and differ only in
// the order among equal parts.
func Apportion(goal int64, parts []Part, preferred []int32, leftover Leftover) []int64 {
	goal = max(0, goal)
	weights, sum := divisors(parts)
	shares, cut, left := make([]int64, len(parts)), make([]uint64, len(parts)), goal
	for k, w := range weights {
		hi, lo := bits.Mul64(uint64(goal), w) // the quotient is at most goal, so it fits
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

// divisors returns weights with a sum above 0 and within 63 bits.
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

// leftoverOrder returns the indexes of the parts in the order in which they get the pods
// left over. Among equal parts the youngest is first in both directions: when pods go,
// parts that get nothing lose one, and these should be the oldest.
func leftoverOrder(parts []Part, cut []uint64, leftover Leftover) []int {
	order := make([]int, len(parts))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(k, l int) int {
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
