// SPDX-License-Identifier: Apache-2.0

package rollout

// ResolveNodes turns the two limits of a rolling update with one pod on each node into numbers
// of nodes: above nodes may have a second pod, and on below nodes the pod may be unavailable.
// Both are rounded up. If both resolve to 0 and desired is above 0, below is 1. Unset limits
// are 0.
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

// NodeCounts counts nodes by their pods, for a rolling update that first deletes the old pod
// and then creates the new pod. A node whose only pod is new and available is not counted.
// Numbers below 0 count as 0.
type NodeCounts struct {
	// Unavailable is the number of nodes that count as unavailable: with no pod, too many
	// pods, or an unavailable pod.
	Unavailable int `json:"unavailable"`
	// OfOld is the number of nodes that are in both Unavailable and OldUnavailable.
	OfOld int `json:"ofOld"`
	// OldUnavailable is the number of nodes whose only pod is old and not available.
	OldUnavailable int `json:"oldUnavailable"`
	// OldAvailable is the number of nodes whose only pod is old and available.
	OldAvailable int `json:"oldAvailable"`
}

// Removals returns on how many nodes the old pod may be deleted if limit nodes may be
// unavailable: on all nodes where it is unavailable, which lowers no availability, and on as
// many nodes where it is available as the limit allows.
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

// StrictRemovals is [NodeCounts.Removals] if the limit also applies to unavailable old pods.
// First it subtracts the nodes that are unavailable for another reason from the limit. The rest
// goes to unavailable old pods, then to available ones.
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

// SurgeCounts counts nodes by their pods, for a rolling update that first creates the new pod
// and then deletes the old pod. Desired nodes are nodes that should run a pod. Numbers below 0
// count as 0.
type SurgeCounts struct {
	// Surging is the number of nodes with a pod too many: an unavailable new pod next to the
	// old pod, or several old or several new pods.
	Surging int `json:"surging"`
	// OldUnavailable is the number of desired nodes whose only pod is old and not available.
	OldUnavailable int `json:"oldUnavailable"`
	// OldAvailable is the number of desired nodes whose only pod is old and available.
	OldAvailable int `json:"oldAvailable"`
	// Undesired is the number of nodes that are not desired and whose only pod is old and
	// available.
	Undesired int `json:"undesired"`
	// Available is the number of nodes with an available pod.
	Available int `json:"available"`
}

// Additions returns how many nodes get a second pod if limit nodes may have one: all nodes
// with an unavailable old pod, and as many nodes with an available old pod as the limit allows.
//
//	unavailable = OldUnavailable
//	available   = min(OldAvailable, max(limit - Surging, 0))
//
//	SurgeCounts{OldAvailable: 3}.Additions(1)                                // 0 and 1
//	SurgeCounts{Surging: 1, OldUnavailable: 1, OldAvailable: 1}.Additions(1) // 1 and 0
func (n SurgeCounts) Additions(limit int32) (unavailable, available int) {
	return max(n.OldUnavailable, 0), atMost(n.OldAvailable, rest(limit, n.Surging))
}

// Removals returns on how many nodes that are not desired the old pod may be deleted: as many
// as there are nodes with an available pod beyond the number of desired nodes.
//
//	removals = min(Undesired, max(Available - desired, 0))
//
//	SurgeCounts{Undesired: 1, Available: 1}.Removals(1) // 0
//	SurgeCounts{Undesired: 1, Available: 2}.Removals(1) // 1
func (n SurgeCounts) Removals(desired int32) int {
	return atMost(n.Undesired, max(n.Available, 0)-int(max(desired, 0)))
}

// NodesToUpdate returns how many nodes to update if a partition reserves some nodes for the old
// template.
//
//	update = max(nodes - max(reserved, 0), 0)
//
//	NodesToUpdate(4, 2) // 2
func NodesToUpdate(nodes int, reserved int32) int { return max(nodes-int(max(reserved, 0)), 0) }

// NodesNeedingPods returns how many nodes without a pod get a new pod if partition of the
// desired nodes are reserved for the old template and newPods nodes have a new pod.
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
