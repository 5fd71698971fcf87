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

// partitionLimit returns the number of pods that the partition allows the new ReplicaSet.
func (in *input) partitionLimit() int32 {
	return partition.Limit(in.d.Partitioned.Partition, in.replicas)
}

// sizeAtCreation returns the size that a new ReplicaSet of the given size is created
// with. Without a surge upstream starts at least one pod, even if the
// partition allows none: see [quirk.NewPodAtPartitionZero].
func (in *input) sizeAtCreation(size int32) int32 {
	if !in.partitioned() || in.partitionLimit() == 0 && in.opts.Repair.Has(quirk.NewPodAtPartitionZero) {
		return size
	}
	return max(size, partition.LowerBound(in.budget))
}

// rollToPartition makes one step of a rolling update by partition: it grows the new ReplicaSet,
// or else shrinks the old ones, or lets them grow.
func (in *input) rollToPartition(c *counts) sizing {
	grown := in.growToPartition(c)
	if grown.moved {
		return grown
	}
	shrunk := in.shrinkToPartition()
	shrunk.holds = append(grown.holds, shrunk.holds...)
	return shrunk
}

// growToPartition grows the new ReplicaSet towards its partition.
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

// sizeToPartition returns the size to which the new ReplicaSet, which wants size pods, may
// grow within the surge and the partition.
func (in *input) sizeToPartition(c *counts, size int32) int32 {
	terminating, known := c.terminatingThatCount(in)
	if !known {
		return size
	}
	total := in.policy.Sum(in.policy.Sum(c.wanted) + terminating)
	return partition.NewSize(in.d.Partitioned.Partition, in.budget, total, size)
}

// partitionHold returns the hold of a new ReplicaSet that does not grow.
func (in *input) partitionHold(c *counts, s *set) kplan.Hold {
	if s.size >= in.partitionLimit() {
		return hold(s.rs.Name, reason.Partition, int64(s.size), int64(in.partitionLimit()))
	}
	return in.growthHold(c, &step{Rolling: rollout.Rolling{Size: s.size}, old: in.oldPolicySets()})
}

// shrinkToPartition removes or adds old pods until the old sets have the number of pods
// that the partition leaves to them.
//
//	replicas 6, surge 2, 1 unavailable, partition 20%; old 6, new 2 of which all are
//	available: of 8 pods 3 could go, but the partition leaves 4 to old ones: 2 go
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
	d, serving := in.newDraft(), rollout.Serving(newSet, wanted, in.policy)
	room := in.policy.Sum(serving - in.policy.MinAvailable(in.budget))
	if room <= 0 {
		return sizing{holds: d.minAvailableHolds(serving)}
	}
	lost, cleaned, ahead := rollout.RemoveUnavailable(old, min(room, surplus), in.policy)
	d.removeUnavailable(old, lost)
	if ahead >= 0 {
		return sizing{changes: d.changes(), holds: []kplan.Hold{statusAheadHold(&in.sets[old[ahead].Age])}}
	}
	available := rollout.Available(newSet, old, in.policy)
	order := in.removalOrder()
	lost, down := d.surplusOf(order, rollout.Spare(in.budget, available, in.policy))
	for k, n := range lost {
		d.removeAvailable(order[k], n)
	}
	z := sizing{changes: d.changes(), moved: cleaned+down > 0}
	if cleaned+down < surplus {
		z.holds = d.minAvailableHolds(available - down)
	}
	return z
}

// minAvailableHolds returns holds for old sets that keep pods because otherwise fewer pods than the
// minimum would be available.
func (d *draft) minAvailableHolds(available int64) (holds []kplan.Hold) {
	for i, s := range d.in.activeOld {
		if d.sizes[i].to > 0 {
			holds = append(holds, hold(s.rs.Name, reason.MinAvailable, available, d.in.policy.MinAvailable(d.in.budget)))
		}
	}
	return holds
}

// surplusOf returns the pods that each set loses, up to spare pods in all, as far as the
// partition no longer needs them.
func (d *draft) surplusOf(order []int, spare int64) (lost []int32, sum int64) {
	sizes := make([]int32, len(order))
	for k, i := range order {
		sizes[k] = d.sizes[i].to
	}
	return rollout.RemoveAvailable(sizes, min(spare, d.in.oldSurplus(d.total(order))))
}

// oldSurplus returns the number of old pods that the partition no longer needs. It is
// negative if old pods are missing.
func (in *input) oldSurplus(wanted int64) int64 {
	return partition.OldLimit(in.d.Partitioned.Partition, in.replicas, in.policy.Sum(wanted), in.newSet().size)
}

// restoreOld adds missing pods to the largest old set. There is one: the old sets want pods.
func (in *input) restoreOld(missing int64) sizing {
	if missing == 0 {
		return sizing{}
	}
	d := in.newDraft()
	i := d.largestOld()
	d.resize(i, in.policy.Size(int64(in.sets[i].size)+missing), reason.PartitionRestore, false)
	return sizing{changes: d.changes(), moved: d.sizes[i].to != in.sets[i].size}
}

// largestOld returns the active old set that wants most pods, the oldest of several, or -1.
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
// revision first, so that the stable template goes last.
//
// Upstream loses this order if the slice of old sets has spare capacity: it appends the new
// set there, and sorts the whole by age. Then the oldest sets go first, and a new set that
// is older than an old one is treated as old, in place of the youngest: see
// [quirk.OldestFirstUnderPartition].
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

// appendWouldAlias reports whether a slice that was appended to n times has spare capacity.
// In upstream's Go version a full slice doubles, at least up to 512.
func appendWouldAlias(n int) bool { return n&(n-1) != 0 }

// scalePartitioned distributes the Deployment's replicas, without the surge, over the
// sets of a partitioned Deployment. Pods of old sets that are not available
// go first. If some old set reports more available pods than it wants, upstream ends
// the pass with an error: see [quirk.StatusAheadFailsScaling].
//
// By default a new set keeps its share even beyond its partition, and stays there
// ([quirk.ScaledBeyondPartition]), and fewer pods than the minimum may stay available
// ([quirk.ScalingTakesAvailable]).
func (in *input) scalePartitioned(c *counts, d *draft, active []int) sizing {
	policy, z := in.policy, sizing{}
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

// keepToPartition gives pods of the new set beyond its partition to the largest old set:
// the repair of [quirk.ScaledBeyondPartition].
func (d *draft) keepToPartition() {
	if d.in.newAt < 0 {
		return
	}
	order, sets, sizes := d.allNewLast()
	d.setSizes(order, rollout.KeepLimit(sets, sizes, len(order)-1, d.in.partitionLimit()))
}

// keepAvailable lets sets keep available pods until the minimum is available: the repair of
// [quirk.ScalingTakesAvailable]. Unavailable new pods go first, since the other pods were there
// before. There are enough: the sets want all replicas, or no fewer than before.
func (d *draft) keepAvailable() {
	order, sets, sizes := d.allNewLast()
	d.setSizes(order, rollout.KeepAvailable(d.in.budget, sets, sizes, d.in.policy))
}

// allNewLast returns the indexes of all sets, the new one last, their counts, and their next
// sizes.
func (d *draft) allNewLast() (order []int, sets []rollout.Set, sizes []int32) {
	n := len(d.sizes)
	order, sets, sizes = make([]int, 0, n), make([]rollout.Set, 0, n), make([]int32, 0, n)
	for i, s := range d.in.all {
		order, sets, sizes = append(order, i), append(sets, s.rolloutSet()), append(sizes, d.sizes[i].to)
	}
	return order, sets, sizes
}

// setSizes replaces shares by the given sizes: first of the sets that lose pods, from the end of
// the order, and then of the others.
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
