package property

import "github.com/kplan-go/kplan/rollout"

// small says that these are numbers of nodes.
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
}

// NodesStrictlyWithinUnavailable: with the strict budget the same holds of all nodes whose
// pod is replaced, whether it was available or not.
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
// unavailable.
func NodesMove(n rollout.NodeCounts, limit int32) {
	assume(small(n.Unavailable, n.OldUnavailable, n.OldAvailable) && int(limit) > n.Unavailable)
	assume(n.OldUnavailable > 0 || n.OldAvailable > 0)
	gone, available := n.Removals(limit)
	prove("some pod goes", gone+available > 0)
}

// NodesWithinSurge: a DaemonSet that creates first never has more nodes with a pod too many
// than its limit, or than it had, but for those whose old pod is not available.
func NodesWithinSurge(n rollout.SurgeCounts, limit int32) {
	assume(small(n.Surging, n.OldUnavailable, n.OldAvailable) && limit >= 0)
	broken, healthy := n.Additions(limit)
	prove("nodes with a pod too many", n.Surging+healthy <= max(int(limit), n.Surging))
	prove("no more than there are", 0 <= healthy && healthy <= n.OldAvailable)
	prove("each broken one gets a second pod", broken == n.OldUnavailable)
}

// UndesiredNodesKeepService: pods on nodes that should run none go only where others make
// up for them.
func UndesiredNodesKeepService(n rollout.SurgeCounts, desired int32) {
	assume(small(n.Undesired, n.Available, 0) && desired >= 0)
	gone := n.Removals(desired)
	prove("as many are available as are desired, or as were", n.Available-gone >= min(n.Available, int(desired)))
	prove("no more than there are", 0 <= gone && gone <= n.Undesired)
}

// NodePartitionKeepsOld: a partition of a DaemonSet leaves the reserved nodes as they are.
func NodePartitionKeepsOld(nodes int, reserved int32, newPods, desired int32) {
	assume(0 <= nodes && nodes < 1<<31 && newPods >= 0 && desired >= 0 && reserved >= 0)
	prove("reserved nodes are not looked at", rollout.NodesToUpdate(nodes, reserved)+min(nodes, int(reserved)) == nodes)
	pods := rollout.NodesNeedingPods(newPods, desired, reserved)
	prove("no negative number, and no more than desired", 0 <= pods && pods <= desired)
	prove("reserved ones stay as they are", int64(newPods)+int64(pods)+int64(min(reserved, desired)) <= max(int64(desired), int64(newPods)+int64(min(reserved, desired))))
}

// NodeLimitsMove: the limits of a DaemonSet let something move where nodes are desired.
func NodeLimitsMove(desired int32, surge, unavailable rollout.IntOrPercent) {
	assume(desired > 0 && surge.Value() >= 0 && unavailable.Value() >= 0 && surge.Value() <= 100 && unavailable.Value() <= 100)
	above, below := rollout.ResolveNodes(desired, surge, unavailable)
	prove("not both are 0", above > 0 || below > 0)
	prove("none is below 0", above >= 0 && below >= 0)
}
