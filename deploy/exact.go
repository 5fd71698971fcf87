package deploy

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/kplan-go/kplan/revision"
)

// scaleExactly shares out what may be wanted so that the sum is exact and no set
// moves against the direction of the whole: the repair of
// [ScalingLosesShares], and the home of the policies for weights and leftovers.
//
// A set's share is its size in proportion to what the Deployment wanted at most
// when the set was last scaled. So a set that has been scaled in an interrupted
// pass, and one that has not, still have the shares that they had before it:
//
//	10 -> 20, of 6 and 4 only the first has become 12; then 20 -> 15:
//	shares 12/20 and 4/10, sizes 9 and 6, as from 10 -> 15 at once
func (st *state) scaleExactly(active []int) {
	total, goal := int64(0), int64(0)
	for _, i := range active {
		total += int64(st.sets[i].spec)
	}
	if st.replicas > 0 {
		goal = int64(st.budget.MaxTotal())
	}
	if st.partitioned() {
		goal = int64(st.replicas)
	}
	goal = st.leaveRoom(goal, total)
	st.orderBySize(active, cmp.Compare(goal, total))
	st.shrinkFirst = st.opts.Repair.Has(ScalingLosesShares)

	sizes, weights := make([]int64, len(active)), st.weights(active)
	if st.opts.WeighByAvailable && goal > total {
		for k, i := range active {
			sizes[k], weights[k] = int64(st.sets[i].spec), max(0, int64(st.sets[i].status().AvailableReplicas))
		}
		goal -= total
	}
	for k, share := range st.apportion(goal, active, weights, st.rounded(active, goal, total)) {
		sizes[k] += share
	}
	for k, i := range active {
		st.setScale(i, int32(sizes[k]), ReasonScaling, true)
	}
}

// leaveRoom lowers a goal above the total by the terminating pods that take up
// room.
func (st *state) leaveRoom(goal, total int64) int64 {
	if goal <= total {
		return goal
	}
	terminating, known := st.countedTerminating()
	if !known {
		return total
	}
	return max(total, goal-terminating)
}

// weights returns the share of each set. If all were last scaled for the same
// maximum, or for one that is not known, sizes are shares.
func (st *state) weights(active []int) []int64 {
	weights, before := make([]int64, len(active)), make([]int32, len(active))
	known := true
	for k, i := range active {
		s := &st.sets[i]
		weights[k] = int64(s.spec)
		before[k], _ = size(s.rs.Annotations, revision.AnnotationMax)
		known = known && before[k] > 0
	}
	if !known || len(before) == 0 || slices.Max(before) == slices.Min(before) {
		return weights
	}
	for k := range weights {
		weights[k] = max(1, weights[k]<<shareBits(len(active))/int64(before[k]))
	}
	return weights
}

// shareBits is the precision of shares that are not whole numbers: as much as leaves the
// sum of n of the largest within 63 bits.
func shareBits(n int) int { return min(24, 32-bits.Len32(uint32(n))) }

// rounded returns the sizes that scaleProportionally would give, or nil if it cannot
// compute them, moves a set against the direction of the whole, or is not asked for by
// the policies.
func (st *state) rounded(active []int, goal, total int64) []int32 {
	toAdd := goal - total
	if st.opts.Leftover != LeftoverDefault || st.opts.WeighByAvailable || total > math.MaxInt32 || toAdd != int64(int32(toAdd)) {
		return nil
	}
	sizes := st.proportionalSizes(active, toAdd)
	for k, i := range active {
		if change := int64(sizes[k]) - int64(st.sets[i].spec); cmp.Compare(change, 0) == -cmp.Compare(toAdd, 0) && change != 0 {
			return nil
		}
	}
	return sizes
}

// apportion divides goal in proportion to weights, exactly. What rounding down leaves
// over goes, one pod each, to those that rounding has cut most, or to the largest or
// youngest sets by the policy. Upstream's sizes, if given, are the answer where they do
// so as well and differ in nothing but who comes first among equals, since nothing is
// to be repaired then.
func (st *state) apportion(goal int64, active []int, weights []int64, upstream []int32) []int64 {
	sum := uint64(0)
	for _, w := range weights {
		sum += uint64(w) // which fits: see shareBits
	}
	if sum == 0 {
		weights = make([]int64, len(active))
		for k := range weights {
			weights[k] = 1
		}
		sum = uint64(len(weights))
	}
	shares, cut, left := make([]int64, len(active)), make([]uint64, len(active)), goal
	for k, w := range weights {
		// The quotient is at most goal, so it fits.
		hi, lo := bits.Mul64(uint64(goal), uint64(w))
		share, rest := bits.Div64(hi, lo, sum)
		shares[k], cut[k] = int64(share), rest
		left -= int64(share)
	}
	if divides(upstream, shares, cut, left) {
		for k, size := range upstream {
			shares[k] = int64(size)
		}
		return shares
	}
	for _, k := range st.leftoverOrder(active, cut)[:left] {
		shares[k]++
	}
	return shares
}

// divides reports whether each size is a share rounded down or up, all that rounding
// down has left over is given away, and none gets a pod whom rounding has cut less than
// another who gets none.
func divides(sizes []int32, shares []int64, cut []uint64, left int64) bool {
	least, most := uint64(math.MaxUint64), uint64(0) // cut of those rounded up, and down
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

// leftoverOrder returns the places of the sets in the order in which they get what
// is left over. Among equal ones this is the youngest first in both directions: when
// pods go, those that get nothing lose one, and these are to be the oldest.
func (st *state) leftoverOrder(active []int, cut []uint64) []int {
	order := make([]int, len(active))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(k, l int) int {
		i, j := active[k], active[l]
		larger, younger := cmp.Compare(st.sets[j].spec, st.sets[i].spec), cmp.Compare(j, i)
		switch st.opts.Leftover {
		case LeftoverLargest:
			return cmp.Or(larger, younger)
		case LeftoverNewest:
			return younger
		}
		return cmp.Or(cmp.Compare(cut[l], cut[k]), larger, younger)
	})
	return order
}
