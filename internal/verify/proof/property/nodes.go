// SPDX-License-Identifier: Apache-2.0

package property

import "github.com/kplan-go/kplan/rollout"

// small assumes that these are numbers of nodes.
func small(a, b, c int) bool {
	return 0 <= a && a < 1<<31 && 0 <= b && b < 1<<31 && 0 <= c && c < 1<<31
}

// NodesWithinUnavailable: a DaemonSet that deletes first never has more unavailable nodes
// than its limit, or than it had.
func NodesWithinUnavailable(n rollout.NodeCounts, limit int32) {
	assume(small(n.Unavailable, n.OldUnavailable, n.OldAvailable) && limit >= 0)
	gone, available := n.Removals(limit)
	prove("unavailable nodes", n.Unavailable+available <= max(int(limit), n.Unavailable))
	prove("no more than there are", 0 <= available && available <= n.OldAvailable)
	prove("all go that are not available", gone == n.OldUnavailable)
	prove("all go, or the limit is reached", available == n.OldAvailable || n.Unavailable+available >= int(limit))
}

// NodesStrictlyWithinUnavailable: with the strict budget the same holds for all nodes with
// a replaced pod, available or not.
func NodesStrictlyWithinUnavailable(n rollout.NodeCounts, limit int32) {
	assume(small(n.Unavailable, n.OldUnavailable, n.OldAvailable) && 0 <= n.OfOld && limit >= 0)
	assume(n.OfOld <= n.Unavailable && n.OfOld <= n.OldUnavailable)
	gone, available := n.StrictRemovals(limit)
	prove("replaced nodes", n.Unavailable-n.OfOld+gone+available <= max(int(limit), n.Unavailable-n.OfOld))
	prove("unavailable nodes", n.Unavailable+available <= max(int(limit), n.Unavailable))
	prove("no more than there are", 0 <= gone && gone <= n.OldUnavailable && 0 <= available && available <= n.OldAvailable)
	prove("available ones come last", available == 0 || gone == n.OldUnavailable)
}

// NodesMove: a DaemonSet that deletes first moves on while less than its limit is
// unavailable: fewer nodes have an old pod only.
func NodesMove(n rollout.NodeCounts, limit int32) {
	assume(small(n.Unavailable, n.OldUnavailable, n.OldAvailable))
	before := n.OldUnavailable + n.OldAvailable
	gone, available := n.Removals(limit)
	left := before - gone - available
	prove("never more nodes with an old pod, nor fewer than none", 0 <= left && left <= before)
	assume(int(limit) > n.Unavailable && before > 0)
	prove("some pod goes", left < before)
}

// NodesStrictlyMove: with the strict budget a DaemonSet moves on while its limit leaves
// room in addition to nodes that are unavailable for another reason, as far as the room
// goes.
func NodesStrictlyMove(n rollout.NodeCounts, limit int32) {
	assume(small(n.Unavailable, n.OldUnavailable, n.OldAvailable) && 0 <= n.OfOld)
	assume(n.OfOld <= n.Unavailable && n.OfOld <= n.OldUnavailable)
	before, others := n.OldUnavailable+n.OldAvailable, n.Unavailable-n.OfOld
	gone, available := n.StrictRemovals(limit)
	left := before - gone - available
	prove("never more nodes with an old pod, nor fewer than none", 0 <= left && left <= before)
	prove("all go, or the limit is reached", left == 0 || others+gone+available >= int(limit))
	assume(int(limit) > others && before > 0)
	prove("some pod goes", left < before)
}

// NodesBelowNone: numbers of nodes below 0, and such a limit, count as 0.
func NodesBelowNone(n rollout.NodeCounts, s rollout.SurgeCounts, limit int32) {
	none := rollout.NodeCounts{Unavailable: max(n.Unavailable, 0), OfOld: max(n.OfOld, 0), OldUnavailable: max(n.OldUnavailable, 0), OldAvailable: max(n.OldAvailable, 0)}
	gone, available := n.Removals(limit)
	sameGone, sameAvailable := none.Removals(max(limit, 0))
	prove("pods that go", gone == sameGone && available == sameAvailable)
	gone, available = n.StrictRemovals(limit)
	sameGone, sameAvailable = none.StrictRemovals(max(limit, 0))
	prove("pods that go with the strict budget", gone == sameGone && available == sameAvailable)
	counted := rollout.SurgeCounts{Surging: max(s.Surging, 0), OldUnavailable: max(s.OldUnavailable, 0), OldAvailable: max(s.OldAvailable, 0),
		Undesired: max(s.Undesired, 0), Available: max(s.Available, 0)}
	broken, healthy := s.Additions(limit)
	sameBroken, sameHealthy := counted.Additions(max(limit, 0))
	prove("second pods", broken == sameBroken && healthy == sameHealthy)
	prove("pods on nodes that should run none", s.Removals(limit) == counted.Removals(max(limit, 0)))
}

// NodesWithinSurge: a DaemonSet that creates first never has more nodes with a pod too many
// than its limit, or than before, except nodes with an unavailable old pod.
func NodesWithinSurge(n rollout.SurgeCounts, limit int32) {
	assume(small(n.Surging, n.OldUnavailable, n.OldAvailable) && limit >= 0)
	broken, healthy := n.Additions(limit)
	prove("nodes with a pod too many", n.Surging+healthy <= max(int(limit), n.Surging))
	prove("no more than there are", 0 <= healthy && healthy <= n.OldAvailable)
	prove("each broken one gets a second pod", broken == n.OldUnavailable)
	prove("all get one, or the limit is reached", healthy == n.OldAvailable || n.Surging+healthy >= int(limit))
}

// UndesiredNodesKeepService: pods on nodes that should run none go only if other nodes have
// available pods instead.
func UndesiredNodesKeepService(n rollout.SurgeCounts, desired int32) {
	assume(small(n.Undesired, n.Available, 0) && desired >= 0)
	gone := n.Removals(desired)
	prove("as many are available as are desired, or as were", n.Available-gone >= min(n.Available, int(desired)))
	prove("no more than there are", 0 <= gone && gone <= n.Undesired)
	prove("all go, or no more are available than are desired", gone == n.Undesired || n.Available-gone <= int(desired))
}

// NodePartitionKeepsOld: a partition of a DaemonSet does not change the reserved nodes, and
// all others get a new pod.
func NodePartitionKeepsOld(nodes int, partition int32, newPods, desired int32) {
	assume(0 <= nodes && nodes < 1<<31 && newPods >= 0 && desired >= 0)
	prove("reserved nodes are not looked at", rollout.NodesToUpdate(nodes, partition)+min(nodes, int(max(partition, 0))) == nodes)
	pods := rollout.NodesNeedingPods(newPods, desired, partition)
	settled := int64(newPods) + int64(max(0, min(partition, desired)))
	prove("no negative number, and no more than desired", 0 <= pods && pods <= desired)
	prove("reserved ones stay as they are", settled+int64(pods) <= max(int64(desired), settled))
	prove("no other one stays empty", settled+int64(pods) >= int64(desired))
}

// NodeLimitsMove: the limits of a DaemonSet let something move if nodes are desired.
func NodeLimitsMove(desired int32, surge, unavailable rollout.IntOrPercent) {
	assume(desired > 0 && surge.Value() >= 0 && unavailable.Value() >= 0 && surge.Value() <= 100 && unavailable.Value() <= 100)
	above, below := rollout.ResolveNodes(desired, surge, unavailable)
	prove("not both are 0", above > 0 || below > 0)
	prove("none is below 0", above >= 0 && below >= 0)
}

// NodeLimitsAsGiven: each limit of a DaemonSet is the given number, or a share of the
// desired nodes rounded up by less than one node; only if both are 0 one node may be
// unavailable.
func NodeLimitsAsGiven(desired int32, surge, unavailable rollout.IntOrPercent) {
	assume(desired >= 0 && share(surge) && share(unavailable))
	above, below := rollout.ResolveNodes(desired, surge, unavailable)
	prove("surge", asGiven(surge, desired, above))
	prove("unavailable", asGiven(unavailable, desired, below) || above == 0 && below == 1)
	prove("one more only where both are 0", asGiven(unavailable, desired, below) || asGiven(unavailable, desired, 0) && desired > 0)
}

// asGiven reports whether nodes are the number of a limit, or its share rounded up.
func asGiven(limit rollout.IntOrPercent, desired, nodes int32) bool {
	if !limit.IsPercent() {
		return nodes == limit.Value()
	}
	exact := int64(limit.Value()) * int64(desired) // in hundredths of a node
	return exact <= 100*int64(nodes) && 100*int64(nodes) < exact+100
}
