// SPDX-License-Identifier: Apache-2.0

package property

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// share says that a partition is what admission lets pass: a number, or a percentage up to 100.
func share(p rollout.IntOrPercent) bool {
	return p.Value() >= 0 && (!p.IsPercent() || p.Value() <= 100)
}

// PartitionWithinReplicas: a partition lets from none to all pods be new, and a percentage
// other than 100% leaves an old one where there are two.
func PartitionWithinReplicas(p rollout.IntOrPercent, replicas int32) {
	assume(replicas >= 0)
	limit := partition.Limit(p, replicas)
	prove("from none to all", 0 <= limit && limit <= replicas)
	prove("all only at 100%", !p.IsPercent() || p.Value() == 100 || replicas <= 1 || limit < replicas)
	prove("all at 100%", !p.IsPercent() || p.Value() != 100 || limit == replicas)
}

// PartitionsMonotone: a larger partition never lets fewer pods be new.
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

// PartitionCreation: the new set is created within the limit of its partition, but for the
// one pod with which it starts where there is no surge.
func PartitionCreation(p rollout.IntOrPercent, b rollout.Budget, total int64, none bool) {
	assume(valid(b) && share(p) && total > 0 && total < 1<<62)
	size := partition.CreationSize(p, b, total, none)
	limit := partition.Limit(p, b.Replicas)
	prove("not below 0", size >= 0)
	prove("within the limit, or one", size <= max(1, limit))
	prove("none at partition 0, if repaired", !none || limit > 0 || size == 0)
}

// SharesOfOldPods: the percentage of old pods that a CloneSet keeps is never above what is
// asked for, but for the least one.
func SharesOfOldPods(stable, replicas int32, batch rollout.IntOrPercent) {
	assume(0 <= stable && 0 < replicas)
	kept := partition.StableShare(stable, replicas, batch)
	prove("a percentage", kept.IsPercent() && 0 <= kept.Value() && kept.Value() <= 100)
	prove("not more than asked for", kept.Value() <= 1 || int64(kept.Value())*int64(replicas) <= 100*int64(stable))
}
