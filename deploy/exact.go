// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"math"

	"github.com/kplan-go/kplan/rollout"
)

// exactly reports whether differences are shared out exactly.
func (in *input) exactly() bool {
	return in.opts.Repair.Has(ScalingLosesShares) || in.opts.WeighByAvailable || in.opts.Leftover != LeftoverDefault
}

// shareExactly shares out the wanted pods so that the sum is exact and no set moves against
// the direction of the whole. It is the repair of [ScalingLosesShares], and applies the
// policies for weights and leftovers.
//
// The share of a set is its size divided by the maximum that the Deployment wanted when the
// set was last scaled. So all sets keep their shares after an interrupted pass, whether it
// has scaled them or not:
//
//	10 -> 20, of 6 and 4 only the first has become 12; then 20 -> 15:
//	shares 12/20 and 4/10, sizes 9 and 6, as from 10 -> 15 at once
func (d *draft) shareExactly(c *counts, active []int) {
	in, total := d.in, d.total(active)
	goal := in.leaveRoom(c, in.allowed(in.budget.MaxTotal()), total)
	d.shrinkFirst = in.opts.Repair.Has(ScalingLosesShares)
	d.orderBySize(active, int64(cmp.Compare(goal, total)))

	sizes, parts := make([]int64, len(active)), make([]rollout.Part, len(active))
	for k, weight := range rollout.Weights(d.recorded(active)) {
		parts[k] = rollout.Part{Weight: weight, Size: d.sizes[active[k]].to, Age: active[k]}
	}
	left := goal
	if in.opts.WeighByAvailable && goal > total {
		for k, i := range active {
			sizes[k], parts[k].Weight = int64(d.sizes[i].to), int64(in.sets[i].status().AvailableReplicas)
		}
		left -= total
	}
	preferred := d.rounded(active, goal, total)
	for k, share := range rollout.Apportion(left, parts, preferred, rollout.Leftover(in.opts.Leftover)) {
		d.resize(active[k], int32(sizes[k]+share), ReasonScaling, true)
	}
}

// recorded returns the counts of sets with the maximum that they record.
func (d *draft) recorded(active []int) []rollout.Set {
	sets := make([]rollout.Set, len(active))
	for k, i := range active {
		sets[k].Wanted = d.sizes[i].to
		sets[k].Before, _ = parseSize(d.in.sets[i].rs.Annotations, d.in.opts.Keys.Max)
	}
	return sets
}

// rounded returns upstream's sizes. It returns nil if upstream cannot compute them or moves
// a set against the direction of the whole, or if a policy asks for other sizes.
func (d *draft) rounded(active []int, goal, total int64) []int32 {
	toAdd := goal - total
	if d.in.opts.Leftover != LeftoverDefault || d.in.opts.WeighByAvailable || total > math.MaxInt32 || toAdd != int64(int32(toAdd)) {
		return nil
	}
	sizes := rollout.Proportional(d.shares(active), d.in.budget, toAdd, d.in.policy)
	for k, i := range active {
		if change := int64(sizes[k]) - int64(d.sizes[i].to); cmp.Compare(change, 0) == -cmp.Compare(toAdd, 0) && change != 0 {
			return nil
		}
	}
	return sizes
}
