// SPDX-License-Identifier: Apache-2.0

// Package podorder decides which pods are deleted first.
//
// Start with [Pod], which holds the fields of a pod that planners read, and [Order.Choose],
// which chooses the pods to delete. [Order.Explain] gives the reasons, [Order.Sort] sorts all
// pods, and [Order.Compare] compares two pods as Kubernetes does. [Pod.Active] reports
// whether a pod counts as a replica, and [Pod.Available] whether it is available. A [Draft]
// chooses from pods that are added one after another.
//
// One choice:
//
//	pods, candidates, n
//	   │   Neighbours counted once, per node; Protected left out
//	   v
//	stages of the order          chain Current: Unassigned, Phase, NotReady, DeletionCost, Neighbours
//	   │   if pods are equal     or your own: Specified, Costs, Spread, NodeState, Compact …
//	   v
//	other rules of the chain     NotReady, ReadyTime, Restarts, SidecarRestarts, CreationTime
//	   │   if these have cycles  the canonical order: pods of an age bucket, by ready time and UID
//	   v
//	Choice: victims in order, and the number Missing ──Explain──> the rule that decided
//
// A chain is the list of rules of a release of Kubernetes, and a stage one step of it.
// [Chain.Stages] returns the stages of a chain, which you can change, for example with
// slices.Insert. A [Priority] adds rules that read an annotation. Package podorder/pausepoint
// decides at which pods a rollout pauses.
//
// The chain [Items] orders things that are not pods. Its stages read the caller's own list by
// index: [Stage].Item, [Tiers].
//
// The default compares as Kubernetes 1.37 does. Where that comparison has a cycle, the choice
// of Kubernetes depends on the order of its cache; the choice here does not. The named rules,
// the canonical order, the invariants and the deviations are in rules.md.
//
// Sort takes O(N log N) time for N pods. Victims usually takes O(N + n log n) time to choose
// n of N candidates, and O(N log N) at worst. Both allocate a constant number of slices. With
// RuleSpread, Victims sorts all candidates, and its allocations grow with the number of
// domains. With PriorityFirst, it sorts n pods and one more for each pod with a priority.
package podorder
