// SPDX-License-Identifier: Apache-2.0

// Package podorder answers which pods die first.
//
// Start with [Pod], what the planners read of a pod, and [Order.Choose], which chooses
// the pods to delete. [Order.Explain] says why these, [Order.Sort] lists all of them, and
// [Order.Compare] is upstream's own comparison of two. [Pod.Active] says whether a pod
// counts as a replica, and [Pod.Available] whether it serves. A [Draft] chooses from pods that are
// seen one after another.
//
// One choice:
//
//	pods, candidates, n
//	   │   Neighbours counted once, per node; Protected left out
//	   v
//	stages of the order          chain Current: Unassigned, Phase, NotReady, DeletionCost, Neighbours
//	   │   a tie goes on         or your own: Specified, Costs, Spread, NodeState, Compact …
//	   v
//	tail of the chain            ReadyTime, Restarts, SidecarRestarts, CreationTime
//	   │   no order among three  the canonical order: parts of a bucket, merged by UID
//	   v
//	Choice: victims in order, how many are Missing ──Explain──> the rule that decided
//
// [Chain.Stages] are the stages of a chain, to be changed with slices.Insert; a
// [Priority] puts an annotation in front. Where a rollout stops on the way is what package
// podorder/pausepoint decides.
//
// What is no pod is ordered by the chain [Items], with keys that read a list of the caller's:
// [Stage].Item, [Tiers].
//
// The default compares as Kubernetes 1.37 does. Where its comparison has a cycle, so
// that its choice hangs on the order of its cache, the choice here is always the same.
// The rules by name, the canonical order, the invariants and the deviations are in
// rules.md.
//
// Sort takes O(N log N) time for N pods. Victims takes O(N + n log n) expected time
// to choose n of N candidates, as long as the pivots are good, and O(N log N) at
// worst. Both allocate a constant number of slices. With RuleSpread, Victims sorts all
// candidates, and allocates with the number of domains; with PriorityFirst, it sorts
// as many more as have a priority.
package podorder
