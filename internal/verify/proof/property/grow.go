// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// GrowthWithinSurge: the new set never grows beyond the room of the surge, nor beyond the
// replicas, and never shrinks.
func GrowthWithinSurge(b rollout.Budget, total int64, size int32) {
	p := rollout.Counting{ExactSums: true}
	assume(valid(b) && size >= 0 && total >= int64(size) && total < 1<<62)
	next := rollout.Grow(b, total, size, p)
	prove("the new set never shrinks", next >= size)
	prove("it does not grow beyond the replicas", next <= max(size, b.Replicas))
	prove("all pods are within the surge, or what they were", total+int64(next)-int64(size) <= max(total, p.MaxTotal(b)))
}

// GrowthIsGreedy: the new set stops growing only at the surge or at the replicas.
func GrowthIsGreedy(b rollout.Budget, total int64, size int32) {
	p := rollout.Counting{ExactSums: true}
	assume(valid(b) && size >= 0 && size <= b.Replicas && total >= int64(size) && total < 1<<62)
	next := rollout.Grow(b, total, size, p)
	prove("as many as there is room for", next == b.Replicas || total+int64(next)-int64(size) >= p.MaxTotal(b))
}

// GrowthWithoutOverflow: growth with the sums of Kubernetes, which wrap around, is exact
// while replicas plus surge, and the pods that all sets want, are each below 2^31.
func GrowthWithoutOverflow(b rollout.Budget, total int64, size int32) {
	assume(valid(b) && int64(b.Replicas)+int64(b.Surge) < 1<<31)
	assume(0 <= size && size <= b.Replicas && int64(size) <= total && total < 1<<31)
	exact := rollout.Grow(b, total, size, rollout.Counting{ExactSums: true})
	prove("the same as without a bound", rollout.Grow(b, total, size, rollout.Counting{}) == exact)
}

// TerminatingWithinGoal: terminating pods take up room, so that with them there are no more
// pods than the goal, or than before.
func TerminatingWithinGoal(goal, total, terminating int64) {
	assume(0 <= terminating && terminating < 1<<62 && 0 <= total && total < 1<<62 && 0 <= goal && goal < 1<<62)
	next := rollout.LeaveRoom(goal, total, terminating)
	prove("with them no more than the goal", next+terminating <= max(goal, total+terminating))
	prove("not above the goal", next <= goal)
	prove("growth never becomes a loss", goal <= total || next >= total)
}

// RecreateWaits: with Recreate the new set starts only when no old pod is left.
func RecreateWaits(replicas int32, wanted, left int64) {
	assume(wanted >= 0 && left >= 0)
	size, start := rollout.Recreate(replicas, wanted, left)
	prove("no two templates at once", !start || wanted == 0 && left == 0)
	prove("all replicas then", start == (size == replicas) || !start && replicas == 0)
	prove("it starts when it can", start || wanted > 0 || left > 0)
}

// SaturatedServesAll: a new set that serves alone has all replicas available.
func SaturatedServesAll(s rollout.Set, recorded, replicas int32) {
	assume(rollout.Saturated(s, recorded, replicas))
	prove("nothing is missing", s.Available == replicas && s.Wanted == replicas && recorded == replicas)
}

// PartitionGrowthWithinLimit: growth by partition keeps to the limit of the partition and
// to the surge, goes as far as both allow, and never shrinks a set.
func PartitionGrowthWithinLimit(b rollout.Budget, limit int32, total int64, size int32) {
	assume(valid(b) && 0 <= limit && limit <= b.Replicas && 0 <= size && total < 1<<62)
	next := rollout.GrowTo(b, limit, total, size)
	prove("a set that stands alone gets all replicas", total > int64(size) || next == b.Replicas)
	assume(total > int64(size))
	prove("it grows as far as the limit or the surge", next >= limit || total+int64(next)-int64(size) >= int64(b.Replicas)+int64(b.Surge))
	prove("it never shrinks", next >= size)
	prove("not beyond the limit", next <= max(size, limit))
	prove("within the surge, or what there was", total+int64(next)-int64(size) <= max(total, int64(b.Replicas)+int64(b.Surge)))
}

// PartitionSurplusLeavesReplicas: the surplus of old sets is the number of pods above the
// replicas when the new set has the pods that its limit allows.
func PartitionSurplusLeavesReplicas(replicas, limit int32, old int64, size int32) {
	assume(0 <= limit && limit <= replicas && 0 <= size && size <= replicas && 0 <= old && old < 1<<62)
	surplus := rollout.Surplus(replicas, limit, old, size)
	prove("the replicas remain", old-surplus+int64(max(limit, size)) == int64(replicas))
	prove("no more than there are, unless the new set has all", surplus <= old)
}
