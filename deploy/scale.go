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

// scale adapts the sizes of the ReplicaSets to the Deployment's replicas. It does not continue the
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

// scaleOnly gives all replicas to the only active set. If none is active, it gives them to the new
// set or, without one, to the latest old set. If the set has this size already, its stale
// annotations are not updated by default: see [quirk.StaleAnnotationBlocksRollout].
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

// latest returns the index of the youngest set, or -1 without sets. With
// [quirk.ScaleFromZeroStartsYoungest] repaired it returns the set with the highest revision, if any
// set has a revision.
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

// nothingToScaleHolds returns holds for the sets whose annotations have other replicas than the
// Deployment, in a pass that changes no size. The pass does not update these annotations, and so
// later passes end here too: kubernetes/kubernetes#102551.
func (in *input) nothingToScaleHolds() (holds []kplan.Hold) {
	for i := range in.sets {
		if desired, changed := in.desiredBefore(&in.sets[i]); changed {
			holds = append(holds, hold(in.sets[i].rs.Name, reason.NothingToScale, int64(desired), int64(in.replicas)))
		}
	}
	return holds
}

// share distributes the replicas over several active sets: with [draft.giveToNewest] or
// [draft.shareExactly] if an option asks for it, and otherwise as upstream does.
//
// Upstream computes how many pods the sets must gain or lose together: goal - total. Each set gets
// a part of this difference in proportion to its size: see [rollout.Proportional].
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
	sizes := rollout.Proportional(d.shares(active), in.budget, toAdd, in.policy.Counting)
	for k, i := range active {
		d.resize(i, sizes[k], reason.Scaling, true)
	}
}

// takeUnavailable removes unavailable pods of old sets, oldest set first, in place of available
// pods. The available pods are kept in the order new set, youngest old set, ..., oldest set. It is
// the repair of [quirk.ScalingKeepsUnavailable].
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

// allowedTotal returns the number of pods that all sets may want together when replicas change:
// maxTotal, which is replicas + surge, or the replicas alone if there are none or the Deployment is
// partitioned.
func (in *input) allowedTotal(maxTotal int32) int64 {
	switch {
	case in.partitioned():
		return int64(in.replicas)
	case in.replicas > 0:
		return int64(maxTotal)
	}
	return 0
}

// goalWithRoom returns the goal minus the terminating pods that use up the surge, but no less than
// the total unless the goal is less. If their number must be known and is not, it returns
// min(goal, total).
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

// maxTotalBefore returns replicas + surge at the time when a set was last scaled, from its
// annotation deployment.kubernetes.io/max-replicas. Without a valid annotation above 0 it returns
// the number of pods in the Deployment's stored status.
func (d *draft) maxTotalBefore(i int) int32 {
	before, ok := d.in.readSize(d.in.sets[i].rs.Annotations, d.in.opts.Keys.Max)
	if d.sizes[i].cleaned > 0 { // upstream has written the annotation when it removed these pods
		before, ok = d.in.writtenMaxTotal(), true
	}
	if !ok || before == 0 {
		return d.in.d.Status.Replicas
	}
	return before
}

// orderBySize sorts sets by [rollout.BySize]. If no pods are added or removed, it uses the order of
// upstream's writes: the old sets, youngest first, and then the new set.
func (d *draft) orderBySize(active []int, toAdd int64) {
	// The sort is by age, youngest first; an age of -1 puts the new set last.
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

// goal returns the number of pods that the active sets are to want together.
func (d *draft) goal(c *counts, active []int) int64 {
	return d.in.goalWithRoom(c, d.in.allowedTotal(d.in.writtenMaxTotal()), d.total(active))
}

// giveToNewest gives all added pods to the new set, if it is active, and otherwise adds none: see
// [rollout.Scale].
func (d *draft) giveToNewest(goal int64, active []int) {
	b := rollout.Budget{Replicas: d.in.policy.Size(goal)}
	for k, size := range rollout.Scale(b, d.shares(active), slices.Index(active, d.in.newAt), d.in.policy) {
		d.resize(active[k], size, reason.Scaling, true)
	}
}

// sharesExactly reports whether [draft.shareExactly] applies: for a repair, or for a policy that
// only it has.
func (in *input) sharesExactly() bool {
	return in.opts.Repair.Has(quirk.ScalingLosesShares) || in.opts.WeighByAvailable || in.opts.Leftover != LeftoverDefault
}

// shareExactly distributes the goal so that the sum of the sizes is the goal, and no set shrinks
// when the sum grows, or grows when it shrinks. It is the repair of [quirk.ScalingLosesShares], and
// applies the policies WeighByAvailable and Leftover.
//
// The share of a set is its size divided by replicas + surge at the time when the set was last
// scaled. The shares are then correct even if the pass before was interrupted after it had scaled
// only some of the sets:
//
//	without surge, replicas 10 -> 20, sizes 6 and 4: only the first set has become 12
//	then replicas 20 -> 15: shares 12/20 and 4/10, sizes 9 and 6, as after 10 -> 15 at once
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

// recorded returns the sizes of sets and, as Before, the replicas + surge in their annotations, 0
// without a valid annotation.
func (d *draft) recorded(active []int) []rollout.Set {
	sets := make([]rollout.Set, len(active))
	for k, i := range active {
		sets[k].Wanted = d.sizes[i].to
		sets[k].Before, _ = parseSize(d.in.sets[i].rs.Annotations, d.in.opts.Keys.Max)
	}
	return sets
}

// upstreamSizes returns the sizes that upstream computes. It returns nil if a policy asks for other
// sizes, if the numbers exceed 32 bits, or if a set would shrink when the sum grows, or grow when
// the sum shrinks.
func (d *draft) upstreamSizes(active []int, goal, total int64) []int32 {
	toAdd := goal - total
	if d.in.opts.Leftover != LeftoverDefault || d.in.opts.WeighByAvailable || total > math.MaxInt32 || toAdd != int64(int32(toAdd)) {
		return nil
	}
	sizes := rollout.Proportional(d.shares(active), d.in.budget, toAdd, d.in.policy.Counting)
	for k, i := range active {
		if change := int64(sizes[k]) - int64(d.sizes[i].to); cmp.Compare(change, 0) == -cmp.Compare(toAdd, 0) && change != 0 {
			return nil
		}
	}
	return sizes
}
