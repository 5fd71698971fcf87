// SPDX-License-Identifier: Apache-2.0

// Package daemonset plans the next step of a DaemonSet: the one of Kubernetes, and the
// Advanced DaemonSet of OpenKruise.
//
// Start with [Reconcile]. It takes a [Snapshot] of a DaemonSet, all nodes, and the pods and
// revisions of its namespace and returns a [Plan]: the pods and revisions to create, delete,
// adopt, release and update, the status to report, the changes held back and why, and when to
// look again. It performs nothing. One call is one pass of the controller:
//
//	Snapshot
//	   │  stopped? ──────────── being deleted, or an empty selector: nothing
//	   ▼
//	revisions ───────────────── create, relabel, deduplicate; a taken name ends the pass
//	   ▼
//	claims ──────────────────── adopt and release pods
//	   ▼
//	placement of each node ──── should it run a pod, or only keep one?
//	   │  unseen? ───────────── caches do not show earlier writes: no pods, only the status
//	   ▼
//	manage each node ────────── create what is missing, delete what does not belong
//	   │  nothing to manage?
//	   ▼
//	update ──────────────────── old pods, as budget, partition and selector allow:
//	   │                        delete, surge, or in place
//	   ▼
//	history, status ─────────── delete old revisions; count the nodes
//	   ▼
//	Plan ──► your executor ───► Pass.Finish ──► expectations, status, events, Backoff
//
// For n1 with an available old pod, n2 with a new pod that is not ready, and maxUnavailable 1,
// the plan has no action, and these holds:
//
//	held back: MaxUnavailable (1 of 1)
//	p2 on n2 held back: NotReady
//
// The parts of a pass can be called alone: [Placer] decides where pods belong, [NodeRules.Decide]
// decides about one node, [Resolve] computes the budget, and package daemonset/inplace decides
// whether and how a pod can be updated in place. [Overhead] gives a cluster autoscaler the requests
// of daemons on a new node. [Explain] describes the state of each node, and [Effects] returns which
// DaemonSets to plan for after an event. A controller makes a [Pass], a plan with its input:
// [Pass.Finish] takes the outcomes of its calls. [Apply] returns the snapshot after an action, for
// simulators and tests. [ReconcileFrom] reads pods from a cache without a copy of most of them, and
// [Tracker] plans after each event without looking at all nodes again.
//
// By default a plan follows Kubernetes 1.37 or, with [Options].Dialect, OpenKruise at
// 07169cfac7b9, defects included. [Options].Repair repairs the defects of [quirk.Table]; other
// options are policies, alternatives to intended behaviour.
//
// The rules, by name and in order, with invariants, deviations from upstream, quirks and
// complexity are in rules.md.
package daemonset
