// SPDX-License-Identifier: Apache-2.0

package property

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// share reports whether admission accepts a partition: a number, or a percentage up to 100.
func share(p rollout.IntOrPercent) bool {
	return p.Value() >= 0 && (!p.IsPercent() || p.Value() <= 100)
}

// PartitionWithinReplicas: a partition allows from 0 to all new pods, and a percentage
// other than 100% leaves an old pod if there are two.
func PartitionWithinReplicas(p rollout.IntOrPercent, replicas int32) {
	assume(replicas >= 0)
	limit := partition.Limit(p, replicas)
	prove("from none to all", 0 <= limit && limit <= replicas)
	prove("all only at 100%", !p.IsPercent() || p.Value() == 100 || replicas <= 1 || limit < replicas)
	prove("all at 100%", !p.IsPercent() || p.Value() != 100 || limit == replicas)
	asked := partition.BatchSize(p, replicas)
	prove("as many as it says, but for that one", limit == asked || asked == replicas && replicas > 1 && limit == replicas-1)
}

// PartitionsMonotone: a larger partition never allows fewer new pods.
func PartitionsMonotone(p, q rollout.IntOrPercent, replicas int32) {
	assume(replicas >= 0 && p.SameKind(q) && p.Value() <= q.Value() && share(p) && share(q))
	prove("of all pods", partition.Limit(p, replicas) <= partition.Limit(q, replicas))
}

// BatchesMonotone: a later batch of the same kind never has fewer pods, none has more than
// the replicas, and 100% has all.
func BatchesMonotone(p, q rollout.IntOrPercent, replicas int32) {
	assume(replicas >= 0 && p.SameKind(q) && p.Value() <= q.Value() && share(p) && share(q))
	one, two := partition.BatchSize(p, replicas), partition.BatchSize(q, replicas)
	prove("never fewer", one <= two)
	prove("from none to all", 0 <= one && two <= replicas)
	prove("all at 100%", !q.IsPercent() || q.Value() != 100 || two == replicas)
}

// PartitionRoundsUp: a percentage of the replicas is rounded up, by less than one pod.
func PartitionRoundsUp(p rollout.IntOrPercent, replicas int32) {
	assume(replicas >= 0 && share(p) && p.IsPercent())
	pods := int64(partition.BatchSize(p, replicas))
	exact := int64(p.Value()) * int64(replicas) // in hundredths of a pod
	prove("not below", 100*pods >= exact)
	prove("less than one pod above", 100*pods < exact+100)
}

// PartitionCreation: the new set is created within the limit of its partition, except for
// the one pod with which it starts without a surge.
func PartitionCreation(p rollout.IntOrPercent, b rollout.Budget, total int64, none bool) {
	assume(valid(b) && share(p) && total > 0 && total < 1<<62)
	size := partition.CreationSize(p, b, total, none)
	limit := partition.Limit(p, b.Replicas)
	prove("not below 0", size >= 0)
	prove("within the limit, or one", size <= max(1, limit))
	prove("none at partition 0, if repaired", !none || limit > 0 || size == 0)
	grown := partition.NewSize(p, b, total, 0)
	prove("as growth has it where there is a surge", b.Surge == 0 || size == grown)
	prove("it starts with a pod where there is none", b.Surge > 0 || b.Replicas == 0 || none && limit == 0 || size >= 1)
	prove("no more than growth has, or that pod", size <= max(1, grown))
}

// SharesOfOldPods: the percentage of old pods that a CloneSet keeps is the wanted share,
// rounded down, but at least 1% unless the batch is 100%.
func SharesOfOldPods(stable, replicas int32, batch rollout.IntOrPercent) {
	assume(0 <= stable && 0 < replicas)
	kept := partition.StableShare(stable, replicas, batch)
	prove("a percentage", kept.IsPercent() && 0 <= kept.Value() && kept.Value() <= 100)
	prove("not more than asked for", kept.Value() <= 1 || int64(kept.Value())*int64(replicas) <= 100*int64(stable))
	prove("nor less by one percent", stable >= replicas || 100*int64(stable) < int64(kept.Value())*int64(replicas)+int64(replicas))
	prove("all where all stay", stable < replicas || kept.Value() == 100)
	prove("none where none stays", stable > 0 || kept.Value() == 0)
	last := batch == rollout.Percent(100)
	prove("none only with the last batch", last || stable == 0 || kept.Value() > 0)
	prove("the last batch keeps no more at all", !last || int64(kept.Value())*int64(replicas) <= 100*int64(stable) || stable >= replicas)
}

// PartitionLeavesOld: after the pods that the partition no longer needs have gone, the old
// pods and the pods that the new set has or may get add up to the replicas.
func PartitionLeavesOld(p rollout.IntOrPercent, replicas int32, oldTotal int64, size int32) {
	assume(replicas >= 0 && size >= 0 && 0 <= oldTotal && oldTotal < 1<<62)
	gone := partition.OldLimit(p, replicas, oldTotal, size)
	limit := partition.Limit(p, replicas)
	prove("together the replicas", oldTotal-gone+int64(max(limit, size)) == int64(replicas))
}

// PartitionsCompare: a partition covers another one of its kind that is not larger, and is
// covered by one that is not smaller.
func PartitionsCompare(p, q rollout.IntOrPercent) {
	assume(p.SameKind(q) && share(p) && share(q))
	prove("as their values do", partition.AtLeast(p, q) == (p.Value() >= q.Value()))
}

// CloneSetLimits: unavailable is rounded down with a surge and up without one, by less than
// one pod, and a paused CloneSet has no surge.
func CloneSetLimits(replicas int32, ru partition.RollingUpdate, paused bool) {
	assume(replicas >= 0 && share(ru.MaxSurge) && share(ru.MaxUnavailable) && ru.MaxUnavailable.IsPercent() && ru.MaxUnavailable.Value() > 0)
	b := partition.CloneSetBudget(replicas, &ru, paused)
	exact := int64(ru.MaxUnavailable.Value()) * int64(replicas) // in hundredths of a pod
	prove("no surge while it is paused", !paused || b.Surge == 0)
	prove("down beside a surge", b.Surge == 0 || 100*int64(b.Unavailable) <= exact && exact < 100*int64(b.Unavailable)+100)
	prove("up without one", b.Surge > 0 || 100*int64(b.Unavailable) >= exact && exact > 100*int64(b.Unavailable)-100)
}
