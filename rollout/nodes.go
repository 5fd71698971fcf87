// SPDX-License-Identifier: Apache-2.0

package rollout

// ResolveNodes turns the two limits of a rolling update with one pod for each node into
// nodes: both are rounded up, and if both resolve to 0 although nodes are desired, one may
// be unavailable. Unset limits are 0.
//
//	above = ceil(surge of desired)
//	below = ceil(unavailable of desired), or 1 if desired > 0 and above = below = 0
//
//	ResolveNodes(10, Int(0), Percent(25)) // 0 with a second pod, 3 unavailable
//	ResolveNodes(10, Int(0), Int(0))      // 0 with a second pod, 1 unavailable
func ResolveNodes(desired int32, surge, unavailable IntOrPercent) (above, below int32) {
	above, below = surge.OfUp(desired), unavailable.OfUp(desired)
	if desired > 0 && above == 0 && below == 0 {
		below = 1
	}
	return above, below
}

// NodeCounts are the nodes of a rolling update that first deletes and then creates, counted
// by their pods. A node with a new, available pod alone is in none of the numbers. Numbers
// below 0 are 0.
type NodeCounts struct {
	// Unavailable is how many nodes use up the budget: they have no pod, too many pods, or
	// an unavailable one.
	Unavailable int `json:"unavailable"`
	// OfOld is how many of Unavailable are among OldUnavailable.
	OfOld int `json:"ofOld"`
	// OldUnavailable is how many nodes have only an old pod, which is not available.
	OldUnavailable int `json:"oldUnavailable"`
	// OldAvailable is how many nodes have only an old pod, which is available.
	OldAvailable int `json:"oldAvailable"`
}

// Removals returns from how many nodes the old pod may be removed if limit nodes may be
// unavailable: all unavailable ones, since that makes nothing worse, and as many available
// ones as the budget leaves.
//
//	unavailable = OldUnavailable
//	available   = min(OldAvailable, max(limit - Unavailable, 0))
//
//	NodeCounts{OldAvailable: 5}.Removals(2)                                    // 0 and 2
//	NodeCounts{Unavailable: 2, OldUnavailable: 1, OldAvailable: 2}.Removals(2) // 1 and 0
//	NodeCounts{Unavailable: 1, OldUnavailable: 1, OldAvailable: 2}.Removals(2) // 1 and 1
func (n NodeCounts) Removals(limit int32) (unavailable, available int) {
	return max(n.OldUnavailable, 0), atMost(n.OldAvailable, rest(limit, n.Unavailable))
}

// StrictRemovals is [NodeCounts.Removals] if the replacement of unavailable pods takes room
// from the budget as well. Nodes that are unavailable for another reason come first, then
// these pods, then the others.
//
//	room        = max(limit - (Unavailable - OfOld), 0)
//	unavailable = min(OldUnavailable, room)
//	available   = min(OldAvailable, max(room - OldUnavailable, 0))
//
//	NodeCounts{OldUnavailable: 3, OldAvailable: 3}.StrictRemovals(2) // 2 and 0
//	NodeCounts{OldUnavailable: 1, OldAvailable: 3}.StrictRemovals(2) // 1 and 1
func (n NodeCounts) StrictRemovals(limit int32) (unavailable, available int) {
	room := rest(limit, max(n.Unavailable, 0)-max(n.OfOld, 0))
	unavailable = atMost(n.OldUnavailable, room)
	return unavailable, atMost(n.OldAvailable, room-unavailable)
}

// SurgeCounts are the nodes of a rolling update that first creates and then deletes,
// counted by their pods. Numbers below 0 are 0.
type SurgeCounts struct {
	// Surging is how many nodes have a pod too many: an unavailable new one next to the old
	// one, or several of a kind.
	Surging int `json:"surging"`
	// OldUnavailable is how many desired nodes have only an old pod, which is not
	// available.
	OldUnavailable int `json:"oldUnavailable"`
	// OldAvailable is how many desired nodes have only an old pod, which is available.
	OldAvailable int `json:"oldAvailable"`
	// Undesired is how many nodes that should run no pod have only an old pod, which is
	// available.
	Undesired int `json:"undesired"`
	// Available is how many nodes have an available pod.
	Available int `json:"available"`
}

// Additions returns how many nodes get a second pod if limit nodes may surge: all nodes
// with an unavailable old pod, and as many others as the budget leaves.
//
//	unavailable = OldUnavailable
//	available   = min(OldAvailable, max(limit - Surging, 0))
//
//	SurgeCounts{OldAvailable: 3}.Additions(1)                                // 0 and 1
//	SurgeCounts{Surging: 1, OldUnavailable: 1, OldAvailable: 1}.Additions(1) // 1 and 0
func (n SurgeCounts) Additions(limit int32) (unavailable, available int) {
	return max(n.OldUnavailable, 0), atMost(n.OldAvailable, rest(limit, n.Surging))
}

// Removals returns from how many nodes that should run no pod the old one may be removed:
// as many as there are available pods beyond the desired nodes.
//
//	removals = min(Undesired, max(Available - desired, 0))
//
//	SurgeCounts{Undesired: 1, Available: 1}.Removals(1) // 0
//	SurgeCounts{Undesired: 1, Available: 2}.Removals(1) // 1
func (n SurgeCounts) Removals(desired int32) int {
	return atMost(n.Undesired, max(n.Available, 0)-int(max(desired, 0)))
}

// NodesToUpdate returns how many of the nodes an update covers if a partition reserves some
// for the old template.
//
//	update = max(nodes - max(reserved, 0), 0)
//
//	NodesToUpdate(4, 2) // 2
func NodesToUpdate(nodes int, reserved int32) int { return max(nodes-int(max(reserved, 0)), 0) }

// NodesNeedingPods returns how many of the empty nodes get a pod while a partition reserves
// some of the desired ones and newPods nodes have a new pod.
//
//	reserved = min(max(partition, 0), desired)
//	pods     = min(max(desired - newPods - reserved, 0), desired)
//
//	NodesNeedingPods(0, 10, 9)  // 1
//	NodesNeedingPods(5, 12, 5)  // 2
func NodesNeedingPods(newPods, desired, partition int32) int32 {
	reserved := max(min(partition, desired), 0)
	return int32(max(min(int64(desired)-int64(newPods)-int64(reserved), int64(desired)), 0))
}

// rest returns the unused part of a limit. It is never below 0.
func rest(limit int32, used int) int { return max(int(max(limit, 0))-max(used, 0), 0) }

// atMost returns the smaller of two numbers, but at least 0.
func atMost(n, limit int) int { return max(min(n, limit), 0) }
