// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// partitionLimit returns the size to which the partition lets the new set grow.
func (in *input) partitionLimit() int32 {
	return partition.Limit(in.d.Partitioned.Partition, in.replicas)
}

// sizeAtCreation returns the size with which the new set is created. The argument size is the size
// that the strategy and its limits allow. For a partitioned Deployment without a surge upstream
// raises it to at least 1, even at partition 0: see [quirk.NewPodAtPartitionZero].
func (in *input) sizeAtCreation(size int32) int32 {
	if !in.partitioned() || in.partitionLimit() == 0 && in.opts.Repair.Has(quirk.NewPodAtPartitionZero) {
		return size
	}
	return max(size, partition.LowerBound(in.budget))
}

// rollToPartition makes one step of a rolling update by partition. It changes the new set or, if
// that keeps its size, shrinks the old sets or restores old pods.
func (in *input) rollToPartition(c *counts) sizing {
	grown := in.growToPartition(c)
	if grown.moved {
		return grown
	}
	shrunk := in.shrinkToPartition()
	shrunk.holds = append(grown.holds, shrunk.holds...)
	return shrunk
}

// growToPartition grows the new set to its partition as far as the surge allows. If the new set is
// larger than the replicas, it shrinks it to the replicas.
func (in *input) growToPartition(c *counts) (z sizing) {
	s := in.newSet()
	to, why := in.replicas, reason.Surplus
	if s.size < in.replicas {
		to, why = in.sizeToPartition(c, s.size), reason.RolloutUp
	}
	switch {
	case to == s.size && s.size < in.replicas:
		z.holds = []kplan.Hold{in.partitionHold(c, s)}
	case to >= 0 && to != s.size:
		z.changes, z.moved = []change{{set: in.newAt, to: to, reason: why}}, true
	}
	return z
}

// sizeToPartition returns the size to which the new set may grow within the surge and the
// partition. The argument size is its present size.
func (in *input) sizeToPartition(c *counts, size int32) int32 {
	terminating, known := c.terminatingThatCount(in)
	if !known {
		return size
	}
	total := in.policy.Sum(in.policy.Sum(c.wanted) + terminating)
	return partition.NewSize(in.d.Partitioned.Partition, in.budget, total, size)
}

// partitionHold returns the hold of a new set that does not grow.
func (in *input) partitionHold(c *counts, s *set) kplan.Hold {
	if s.size >= in.partitionLimit() {
		return hold(s.rs.Name, reason.Partition, int64(s.size), int64(in.partitionLimit()))
	}
	still := rollout.Rolling{Size: s.size, Shrinking: rollout.Shrinking{Ahead: -1, Idle: true}}
	return in.holds(c, &step{Rolling: still, old: in.oldPolicySets()})[0]
}

// shrinkToPartition brings the number of old pods to the number that the partition leaves to the
// old sets. It removes pods within the minimum of available pods, or restores missing pods.
//
//	replicas 6, surge 2, 1 unavailable, partition 20%; old 6, new 2, all available:
//	8 - 5 = 3 pods may become unavailable, but the partition leaves 4 pods to old sets,
//	and so 6 - 4 = 2 pods are removed
//
// It mirrors reconcileOldReplicaSets of the deployment controller of OpenKruise
// Rollouts.
func (in *input) shrinkToPartition() sizing {
	old := in.oldPolicySets()
	wanted := int64(0)
	for _, s := range old {
		wanted += int64(s.Wanted)
	}
	if in.policy.Sum(wanted) == 0 {
		return sizing{}
	}
	surplus, newSet := in.oldSurplus(wanted), in.newSet().rolloutSet()
	if surplus <= 0 {
		return in.restoreOld(-surplus)
	}
	d, serving := in.newDraft(), rollout.Serving(newSet, wanted, in.policy.Counting)
	room := in.policy.Sum(serving - in.policy.MinAvailable(in.budget))
	if room <= 0 {
		staying := in.policy.Counting
		staying.CapOld = true
		return sizing{holds: d.minAvailableHolds(rollout.Available(newSet, old, staying))}
	}
	lost, cleaned, ahead := rollout.RemoveUnavailable(old, min(room, surplus), in.policy.Counting)
	d.removeUnavailable(old, lost)
	if ahead >= 0 {
		return sizing{changes: d.changes(), holds: []kplan.Hold{statusAheadHold(&in.sets[old[ahead].Age])}}
	}
	available := rollout.Available(newSet, old, in.policy.Counting)
	order := in.removalOrder()
	lost, down := d.surplusOf(order, rollout.Spare(in.budget, available, in.policy.Counting))
	for k, n := range lost {
		d.removeAvailable(order[k], n)
	}
	z := sizing{changes: d.changes(), moved: cleaned+down > 0}
	if cleaned+down < surplus {
		z.holds = d.minAvailableHolds(available - down)
	}
	return z
}

// minAvailableHolds returns holds for the old sets that keep pods because fewer pods than the
// minimum would be available without them. The argument available is the number of available pods.
func (d *draft) minAvailableHolds(available int64) (holds []kplan.Hold) {
	for i, s := range d.in.activeOld {
		if d.sizes[i].to > 0 {
			holds = append(holds, hold(s.rs.Name, reason.MinAvailable, available, d.in.policy.MinAvailable(d.in.budget)))
		}
	}
	return holds
}

// surplusOf returns the number of pods that each set loses, in the given order of sets, and their
// sum. The sum is at most spare and at most the old pods that the partition does not need.
func (d *draft) surplusOf(order []int, spare int64) (lost []int32, sum int64) {
	sizes := make([]int32, len(order))
	for k, i := range order {
		sizes[k] = d.sizes[i].to
	}
	return rollout.RemoveAvailable(sizes, min(spare, d.in.oldSurplus(d.total(order))))
}

// oldSurplus returns the number of old pods that the partition does not need, if the old sets want
// the given number. It is negative if old pods are missing.
func (in *input) oldSurplus(wanted int64) int64 {
	return partition.OldLimit(in.d.Partitioned.Partition, in.replicas, in.policy.Sum(wanted), in.newSet().size)
}

// restoreOld adds the missing pods to the largest old set. Some old set must be active.
func (in *input) restoreOld(missing int64) sizing {
	if missing == 0 {
		return sizing{}
	}
	d := in.newDraft()
	i := d.largestOld()
	d.resize(i, in.policy.Size(int64(in.sets[i].size)+missing), reason.PartitionRestore, false)
	return sizing{changes: d.changes(), moved: d.sizes[i].to != in.sets[i].size}
}

// largestOld returns the index of the active old set that wants most pods, the oldest of equals, or
// -1 if there is none.
func (d *draft) largestOld() int {
	largest := -1
	for i := range d.in.activeOld {
		if largest < 0 || d.sizes[i].to > d.sizes[largest].to {
			largest = i
		}
	}
	return largest
}

// removalOrder returns the active old sets in the order in which they lose pods: the latest
// revision first, and so the template that was rolled out before the others last.
//
// Upstream breaks this order if its slice of n old sets has spare capacity. It appends the new set
// to a second slice over the same array and sorts that by age. The first slice then has the n
// oldest sets, oldest first. A new set that is older than some old set is among them, and loses
// pods in place of the youngest old set: see [quirk.OldestFirstUnderPartition].
func (in *input) removalOrder() []int {
	order := make([]int, 0, len(in.sets))
	for i := range in.activeOld {
		order = append(order, i)
	}
	n := len(order)
	if !in.opts.Repair.Has(quirk.OldestFirstUnderPartition) && appendWouldAlias(n) {
		order = append(order, in.newAt)
		slices.Sort(order)
		return order[:n]
	}
	entries := make([]revision.Entry, n)
	for k, i := range order {
		entries[k] = replicaset.Entry(in.sets[i].rs)
	}
	latest := make([]int, n)
	for k, e := range revision.ByLatestRevision(entries, revision.Options{Keys: in.opts.Keys}) {
		latest[k] = order[e]
	}
	return latest
}

// appendWouldAlias reports whether a slice has spare capacity after n appends of one element. Up to
// 512 elements Go doubles a full slice, so that it has none if n is a power of 2. The answer for
// larger n may differ from upstream's.
func appendWouldAlias(n int) bool { return n&(n-1) != 0 }

// scalePartitioned distributes the Deployment's replicas, without the surge, over the sets of a
// partitioned Deployment. If pods must be removed, unavailable pods of old sets are removed first.
// If some old set reports more available pods than it wants, upstream ends the pass with an error:
// see [quirk.StatusAheadFailsScaling].
//
// By default the new set gets its share even if that is more than its partition, and keeps it
// ([quirk.ScaledBeyondPartition]). By default fewer pods than the minimum may stay available
// ([quirk.ScalingTakesAvailable]).
func (in *input) scalePartitioned(c *counts, d *draft, active []int) sizing {
	policy, z := in.policy.Counting, sizing{}
	policy.CapOld = in.opts.Repair.Has(quirk.StatusAheadFailsScaling)
	old := in.oldPolicySets()
	lost, _, ahead := rollout.RemoveUnavailable(old, policy.Sum(d.total(active)-int64(in.replicas)), policy)
	d.removeUnavailable(old, lost)
	if ahead >= 0 {
		return sizing{changes: d.changes(), holds: []kplan.Hold{statusAheadHold(&in.sets[old[ahead].Age])}, failed: true}
	}
	for i, s := range in.old {
		d.sizes[i].cleaned = d.sizes[i].unhealthy
		z.cleaned += int64(s.size) - int64(s.size-d.sizes[i].cleaned)
	}
	d.share(c, d.active())
	if in.opts.Repair.Has(quirk.ScaledBeyondPartition) {
		d.keepToPartition()
	}
	if in.opts.Repair.Has(quirk.ScalingTakesAvailable) {
		d.keepAvailable()
	}
	z.changes, z.shrinkFirst = d.changes(), d.shrinkFirst
	return z
}

// keepToPartition gives the pods by which the new set would grow beyond its partition to the
// largest old set. It is the repair of [quirk.ScaledBeyondPartition].
func (d *draft) keepToPartition() {
	if d.in.newAt < 0 {
		return
	}
	order, sets, sizes := d.allNewLast()
	d.setSizes(order, rollout.KeepLimit(sets, sizes, len(order)-1, d.in.partitionLimit()))
}

// keepAvailable lets sets keep available pods until the minimum is available, and removes as many
// unavailable pods instead, pods of the new set first. It is the repair of
// [quirk.ScalingTakesAvailable]. There are enough unavailable pods: see [rollout.KeepAvailable].
func (d *draft) keepAvailable() {
	order, sets, sizes := d.allNewLast()
	d.setSizes(order, rollout.KeepAvailable(d.in.budget, sets, sizes, d.in.policy.Counting))
}

// allNewLast returns the indexes of all sets, their counts and their drafted sizes. The old sets
// come first, oldest first, and the new set last.
func (d *draft) allNewLast() (order []int, sets []rollout.Set, sizes []int32) {
	n := len(d.sizes)
	order, sets, sizes = make([]int, 0, n), make([]rollout.Set, 0, n), make([]int32, 0, n)
	for i, s := range d.in.all {
		order, sets, sizes = append(order, i), append(sets, s.rolloutSet()), append(sizes, d.sizes[i].to)
	}
	return order, sets, sizes
}

// setSizes replaces the drafted sizes: sizes[k] is the next size of the set order[k]. It first
// changes the sets whose drafted sizes become smaller, last to first, and then the others.
func (d *draft) setSizes(order []int, sizes []int32) {
	for k, i := range slices.Backward(order) {
		if sizes[k] < d.sizes[i].to {
			d.shrinkFirst = true
			d.resize(i, sizes[k], reason.Scaling, false)
		}
	}
	for k, i := range order {
		if sizes[k] > d.sizes[i].to {
			d.shrinkFirst = true
			d.resize(i, sizes[k], reason.Scaling, false)
		}
	}
}
