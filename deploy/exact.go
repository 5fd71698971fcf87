package deploy

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/kplan-go/kplan/revision"
)

// scaleExactly shares out what may be wanted so that the sum is exact and no set
// moves against the direction of the whole: the repair of D3 to D8, and the home of
// the policies for weights and leftovers.
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
	st.orderBySize(active, int32(cmp.Compare(goal, total)))

	sizes, weights := make([]int64, len(active)), st.weights(active)
	if st.opts.WeighByAvailable && goal > total {
		for k, i := range active {
			sizes[k], weights[k] = int64(st.sets[i].spec), max(0, int64(st.sets[i].status().AvailableReplicas))
		}
		goal -= total
	}
	for k, share := range st.apportion(goal, active, weights) {
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
	terminating, known := st.takingUp()
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

// apportion divides goal in proportion to weights, exactly. What rounding down
// leaves over goes, one pod each, to those that rounding has cut most, or to the
// largest or youngest sets by the policy. The sets are given largest first.
func (st *state) apportion(goal int64, active []int, weights []int64) []int64 {
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
	for _, k := range st.leftoverOrder(active, cut)[:left] {
		shares[k]++
	}
	return shares
}

// leftoverOrder returns the places of the sets in the order in which they get what
// is left over.
func (st *state) leftoverOrder(active []int, cut []uint64) []int {
	order := make([]int, len(active))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(k, l int) int {
		switch st.opts.Leftover {
		case LeftoverLargest:
			return cmp.Compare(k, l)
		case LeftoverNewest:
			return cmp.Compare(active[l], active[k])
		}
		return cmp.Or(cmp.Compare(cut[l], cut[k]), cmp.Compare(k, l))
	})
	return order
}
