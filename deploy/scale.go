// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"math"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout"
)

// scale distributes the Deployment's replicas over its ReplicaSets without continuing the
// rollout.
//
// It mirrors scale of the deployment controller of Kubernetes.
func (in *input) scale(c *counts) sizing {
	d := in.newDraft()
	active := d.active()
	switch {
	case len(active) <= 1:
		return in.scaleOnly(&d, active)
	case in.saturated():
		for _, i := range slices.Backward(active) {
			if i != in.newAt {
				d.resize(i, 0, reason.Saturated, false)
			}
		}
	case in.d.Strategy == Recreate:
		return sizing{holds: in.nothingToScaleHolds()}
	case in.partitioned():
		return in.scalePartitioned(c, &d, active)
	default:
		d.share(c, active)
		if in.opts.Repair.Has(quirk.ScalingKeepsUnavailable) {
			d.takeUnavailable()
		}
	}
	return sizing{changes: d.changes(), shrinkFirst: d.shrinkFirst}
}

// scaleOnly gives all replicas to the one active set or, if none is active, to the new one
// or else to the latest. If the size is right already, its annotations stay stale by
// default: see [quirk.StaleAnnotationBlocksRollout].
func (in *input) scaleOnly(d *draft, active []int) sizing {
	i := in.newAt
	switch {
	case len(active) == 1:
		i = active[0]
	case i < 0:
		i = in.latest()
	}
	if i < 0 {
		return sizing{}
	}
	_, stale := in.desiredBefore(&in.sets[i])
	refresh := stale && in.opts.Repair.Has(quirk.StaleAnnotationBlocksRollout)
	d.resize(i, in.replicas, reason.Scaling, refresh)
	z := sizing{changes: d.changes()}
	if in.sets[i].size == in.replicas && !refresh {
		z.holds = in.nothingToScaleHolds()
	}
	return z
}

// latest returns the set of the latest revision, by default simply the youngest set, or -1
// without sets: see [quirk.ScaleFromZeroStartsYoungest].
func (in *input) latest() int {
	latest := len(in.sets) - 1
	if !in.opts.Repair.Has(quirk.ScaleFromZeroStartsYoungest) {
		return latest
	}
	highest := int64(-1)
	for i := range in.sets {
		if n, err := in.opts.Keys.Number(in.sets[i].rs.Annotations); err == nil && n >= highest {
			latest, highest = i, n
		}
	}
	return latest
}

// nothingToScaleHolds returns holds for sets that record other replicas although no size has to
// change. The annotations stay as they are, so that every later pass ends here:
// kubernetes/kubernetes#102551.
func (in *input) nothingToScaleHolds() (holds []kplan.Hold) {
	for i := range in.sets {
		if desired, changed := in.desiredBefore(&in.sets[i]); changed {
			holds = append(holds, hold(in.sets[i].rs.Name, reason.NothingToScale, int64(desired), int64(in.replicas)))
		}
	}
	return holds
}

// share distributes the replicas over several active sets, exactly or as upstream does.
//
// Upstream shares out the difference between the pods that may be wanted and the pods that
// are wanted, so that each active set keeps its share: see [rollout.Proportional].
func (d *draft) share(c *counts, active []int) {
	in := d.in
	if goal := d.goal(c, active); in.policy.ScaleNewest && goal > d.total(active) {
		d.giveToNewest(goal, active)
		return
	}
	if in.sharesExactly() {
		d.shareExactly(c, active)
		return
	}
	total := in.policy.Sum(d.total(active))
	toAdd := in.policy.Sum(in.goalWithRoom(c, in.allowedTotal(in.writtenMaxTotal()), total) - total)
	d.orderBySize(active, toAdd)
	sizes := rollout.Proportional(d.shares(active), in.budget, toAdd, in.policy)
	for k, i := range active {
		d.resize(i, sizes[k], reason.Scaling, true)
	}
}

// takeUnavailable removes unavailable pods of old sets, oldest first, instead of available
// pods. The new set is the first to keep its available pods, and the oldest set the last. It
// is the repair of [quirk.ScalingKeepsUnavailable].
func (d *draft) takeUnavailable() {
	order, sets, sizes := d.allNewLast()
	available := func(k int) int64 { return max(0, int64(min(sets[k].Wanted, sets[k].Available))) }
	lost, taken := int64(0), int64(0)
	for k, to := range sizes {
		lost += max(0, available(k)-int64(to))
	}
	for k, i := range order {
		unavailable := int64(min(sizes[k], sets[k].Wanted)) - available(k)
		if n := min(lost-taken, unavailable, int64(sizes[k]-d.in.leastSize(i))); n > 0 && i != d.in.newAt {
			sizes[k], taken = sizes[k]-int32(n), taken+n
		}
	}
	for k := range slices.Backward(order) {
		if n := min(taken, available(k)-int64(sizes[k])); n > 0 {
			sizes[k], taken = sizes[k]+int32(n), taken-n
		}
	}
	d.setSizes(order, sizes)
}

// allowedTotal returns the number of pods that sets may want together when replicas change.
func (in *input) allowedTotal(maxTotal int32) int64 {
	switch {
	case in.partitioned():
		return int64(in.replicas)
	case in.replicas > 0:
		return int64(maxTotal)
	}
	return 0
}

// goalWithRoom returns the goal lowered by the terminating pods that take up room, but not below
// the total.
func (in *input) goalWithRoom(c *counts, goal, total int64) int64 {
	terminating, known := c.terminatingThatCount(in)
	if !known {
		return min(goal, total)
	}
	return rollout.LeaveRoom(goal, total, terminating)
}

// shares returns the counts of sets for [rollout.Proportional].
func (d *draft) shares(active []int) []rollout.Set {
	sets := make([]rollout.Set, len(active))
	for k, i := range active {
		sets[k] = rollout.Set{Wanted: d.sizes[i].to, Before: d.maxTotalBefore(i), Age: i}
	}
	return sets
}

// maxTotalBefore returns the maximum of pods that the Deployment wanted when a set was last scaled.
func (d *draft) maxTotalBefore(i int) int32 {
	before, ok := d.in.readSize(d.in.sets[i].rs.Annotations, d.in.opts.Keys.Max)
	if d.sizes[i].cleaned > 0 { // removing these pods has updated the annotation
		before, ok = d.in.writtenMaxTotal(), true
	}
	if !ok || before == 0 {
		return d.in.d.Status.Replicas
	}
	return before
}

// orderBySize puts sets in the order of [rollout.BySize]. If no pods are added or removed, it
// uses the order of upstream's writes: old ones youngest first, then the new one.
func (d *draft) orderBySize(active []int, toAdd int64) {
	// The new set is written last, as if it were the oldest.
	age := func(i int) int {
		if i == d.in.newAt {
			return -1
		}
		return i
	}
	if toAdd == 0 {
		slices.SortFunc(active, func(i, j int) int { return cmp.Compare(age(j), age(i)) })
		return
	}
	sets := make([]rollout.Set, 0, len(active))
	for _, i := range active {
		sets = append(sets, rollout.Set{Wanted: d.sizes[i].to, Age: i})
	}
	for k, place := range rollout.BySize(sets, toAdd) {
		active[k] = sets[place].Age
	}
}

// goal returns the number of pods that the active sets may want together.
func (d *draft) goal(c *counts, active []int) int64 {
	return d.in.goalWithRoom(c, d.in.allowedTotal(d.in.writtenMaxTotal()), d.total(active))
}

// giveToNewest gives all added pods to the new set, if it wants pods: see [rollout.Scale].
func (d *draft) giveToNewest(goal int64, active []int) {
	b := rollout.Budget{Replicas: d.in.policy.Size(goal)}
	for k, size := range rollout.Scale(b, d.shares(active), slices.Index(active, d.in.newAt), d.in.policy) {
		d.resize(active[k], size, reason.Scaling, true)
	}
}

// sharesExactly reports whether sizes are shared out exactly: by a repair, or for a policy that
// needs it.
func (in *input) sharesExactly() bool {
	return in.opts.Repair.Has(quirk.ScalingLosesShares) || in.opts.WeighByAvailable || in.opts.Leftover != LeftoverDefault
}

// shareExactly shares out the wanted pods so that the sum is exact and no set moves against
// the direction of the whole. It is the repair of [quirk.ScalingLosesShares], and applies the
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
	goal := in.goalWithRoom(c, in.allowedTotal(in.budget.MaxTotal()), total)
	d.shrinkFirst = in.opts.Repair.Has(quirk.ScalingLosesShares)
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
	preferred := d.upstreamSizes(active, goal, total)
	for k, share := range rollout.Apportion(left, parts, preferred, rollout.Leftover(in.opts.Leftover)) {
		d.resize(active[k], int32(sizes[k]+share), reason.Scaling, true)
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

// upstreamSizes returns upstream's sizes. It returns nil if upstream cannot compute them or moves
// a set against the direction of the whole, or if a policy asks for other sizes.
func (d *draft) upstreamSizes(active []int, goal, total int64) []int32 {
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
