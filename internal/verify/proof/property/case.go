// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// Some bounds are broken by default and hold only with a quirk repaired: a solver finds a
// case, and a test replays it with the planner. The same is done for a case of each path of
// a step.

// Only the solver calls these functions.
var _ = []any{surgeByDefault, stuckByDefault, excessByDefault, stepByDefault, stepRepaired, atReplicasByDefault, nodesByDefault, nodesStrictly}

// stepByDefault makes a step of a Deployment with old sets that all want pods, as
// Kubernetes does.
func stepByDefault(b rollout.Budget, newSet rollout.Set, old []rollout.Set) rollout.Rolling {
	return step(b, newSet, old, rollout.Policy{})
}

// stepRepaired is the same with the quirks of counts repaired.
func stepRepaired(b rollout.Budget, newSet rollout.Set, old []rollout.Set) rollout.Rolling {
	return step(b, newSet, old, rollout.Policy{Counting: rollout.Counting{ExactSums: true, CapAvailable: true, CapOld: true}})
}

func step(b rollout.Budget, newSet rollout.Set, old []rollout.Set, p rollout.Policy) rollout.Rolling {
	moves(b, newSet, old)
	for _, s := range old {
		assume(s.Wanted > 0)
	}
	return rollout.Roll(b, newSet, old, 0, p)
}

// atReplicasByDefault: a new set that has the replicas gets no other size, even if sums
// wrap around.
func atReplicasByDefault(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	moves(b, newSet, old)
	assume(newSet.Wanted == b.Replicas)
	prove("the size stays", rollout.Roll(b, newSet, old, 0, rollout.Policy{}).Size == b.Replicas)
}

// moves assumes that the limits let something move, and that counts are possible in a
// cluster.
func moves(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	assume(valid(b) && b.Replicas > 0 && (b.Surge > 0 || b.Unavailable > 0))
	assume(newSet.Wanted >= 0 && newSet.Available >= 0 && newSet.Least == 0 && newSet.Protected == 0)
	for _, s := range old {
		assume(s.Wanted >= 0 && s.Available >= 0 && s.Least == 0 && s.Protected == 0)
	}
}

// surgeByDefault is broken by the quirk SumsWrapAround: see StepWithinSurge.
func surgeByDefault(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	moves(b, newSet, old)
	total := int64(newSet.Wanted)
	for _, s := range old {
		assume(s.Wanted == s.Available)
		total += int64(s.Wanted)
	}
	r := rollout.Roll(b, newSet, old, 0, rollout.Policy{})
	prove("growth is within the surge", total+int64(r.Size)-int64(newSet.Wanted) <= max(total, int64(b.Replicas)+int64(b.Surge)))
}

// stuckByDefault is broken by the quirk SumsWrapAround: see StepNeverStuck.
func stuckByDefault(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	moves(b, newSet, old)
	assume(newSet.Available == newSet.Wanted && newSet.Wanted < b.Replicas)
	for _, s := range old {
		assume(s.Wanted == s.Available)
	}
	r := rollout.Roll(b, newSet, old, 0, rollout.Policy{})
	prove("something changes", r.Size != newSet.Wanted || r.Shrinking.Removed != 0)
}

// excessByDefault is broken by the quirk ExcessAvailableCounts: see ExcessNeverCounts.
func excessByDefault(b rollout.Budget, newSet rollout.Set, old []rollout.Set) {
	moves(b, newSet, old)
	assume(newSet.Wanted <= b.Replicas && b.Replicas < 100 && b.Surge < 100 && newSet.Available < 200)
	p, exact := rollout.Policy{}, rollout.Counting{ExactSums: true, CapAvailable: true}
	for _, s := range old {
		assume(s.Wanted < 100 && s.Available < 200)
	}
	r := rollout.Roll(b, newSet, old, 0, p)
	before := rollout.Available(newSet, old, exact)
	available := before
	for i, s := range old {
		size := int64(s.Wanted) - int64(at(r.Shrinking.Unavailable, i)) - int64(at(r.Shrinking.Available, i))
		available -= max(0, int64(min(s.Available, s.Wanted))-size)
	}
	prove("enough are available at the end", available >= min(before, exact.MinAvailable(b)))
}

// removals are the pods removed from nodes of a DaemonSet.
type removals struct{ unavailable, available int }

// nodesByDefault makes a step of a DaemonSet that deletes first, on a few nodes.
func nodesByDefault(n rollout.NodeCounts, limit int32) removals {
	few(n, limit)
	unavailable, available := n.Removals(limit)
	return removals{unavailable, available}
}

// nodesStrictly is the same with the strict budget.
func nodesStrictly(n rollout.NodeCounts, limit int32) removals {
	few(n, limit)
	unavailable, available := n.StrictRemovals(limit)
	return removals{unavailable, available}
}

// few assumes up to four nodes each with an available old pod, an unavailable old pod, and
// an unavailable new pod.
func few(n rollout.NodeCounts, limit int32) {
	assume(0 < limit && limit <= 12 && 0 <= n.OldUnavailable && n.OldUnavailable <= 4 && 0 <= n.OldAvailable && n.OldAvailable <= 4)
	assume(n.OfOld == n.OldUnavailable && n.OfOld <= n.Unavailable && n.Unavailable <= n.OfOld+4)
}
