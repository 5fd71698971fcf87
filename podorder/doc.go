// SPDX-License-Identifier: Apache-2.0

// Package podorder decides which pods are deleted first.
//
// Start with [Pod], which holds the fields of a pod that planners read, and [Order.Choose],
// which chooses the pods to delete. [Order.Explain] gives the reasons, [Order.Sort] sorts all
// pods, and [Order.Compare] is upstream's own comparison of two. [Pod.Active] reports whether
// a pod counts as a replica, and [Pod.Available] whether it serves. A [Draft] chooses from
// pods that are added one after another.
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
// [Chain.Stages] returns the stages of a chain, to be changed with slices.Insert; a
// [Priority] puts an annotation before them. Package podorder/pausepoint decides where a
// rollout stops on the way.
//
// The chain [Items] orders things that are not pods, with keys that read a list of the
// caller: [Stage].Item, [Tiers].
//
// The default compares as Kubernetes 1.37 does. Where that comparison has a cycle, upstream's
// choice depends on the order of its cache; the choice here is always the same. The named
// rules, the canonical order, the invariants and the deviations are in rules.md.
//
// Sort takes O(N log N) time for N pods. Victims takes O(N + n log n) expected time to choose
// n of N candidates, as long as the pivots are good, and O(N log N) at worst. Both allocate a
// constant number of slices. With RuleSpread, Victims sorts all candidates, and allocates
// with the number of domains; with PriorityFirst, it sorts one more pod for each pod with a
// priority.
package podorder
