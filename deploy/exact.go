package deploy

import (
	"cmp"
	"math"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
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

	sizes, weights := make([]int64, len(active)), rollout.Weights(st.recorded(active))
	if st.opts.WeighByAvailable && goal > total {
		for k, i := range active {
			sizes[k], weights[k] = int64(st.sets[i].spec), max(0, int64(st.sets[i].status().AvailableReplicas))
		}
		goal -= total
	}
	parts := make([]rollout.Part, len(active))
	for k, i := range active {
		parts[k] = rollout.Part{Weight: weights[k], Size: st.sets[i].spec, Age: i}
	}
	for k, share := range rollout.Apportion(goal, parts, st.rounded(active, goal, total), rollout.Leftover(st.opts.Leftover)) {
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
	return rollout.LeaveRoom(goal, total, terminating)
}

// recorded returns the counts of sets with the maximum that they record.
func (st *state) recorded(active []int) []rollout.Set {
	sets := make([]rollout.Set, len(active))
	for k, i := range active {
		sets[k] = st.sets[i].count()
		sets[k].Before, _ = size(st.sets[i].rs.Annotations, revision.AnnotationMax)
	}
	return sets
}

// rounded returns the sizes that scaleProportionally would give, or nil if it cannot
// compute them, moves a set against the direction of the whole, or is not asked for by
// the policies.
func (st *state) rounded(active []int, goal, total int64) []int32 {
	toAdd := goal - total
	if st.opts.Leftover != LeftoverDefault || st.opts.WeighByAvailable || total > math.MaxInt32 || toAdd != int64(int32(toAdd)) {
		return nil
	}
	sizes := rollout.Proportional(st.shares(active), st.budget, toAdd, st.policy())
	for k, i := range active {
		if change := int64(sizes[k]) - int64(st.sets[i].spec); cmp.Compare(change, 0) == -cmp.Compare(toAdd, 0) && change != 0 {
			return nil
		}
	}
	return sizes
}
