// Package rollout answers how many pods may change now, and plans progressive rollouts:
// which batch comes next, with which traffic, and what it waits for.
//
// Start with [Rollout], which says in which steps a workload is updated, and [Reconcile],
// which returns what to do for it next:
//
//	plan, err := rollout.Reconcile(snapshot, now, rollout.Options{})
//
// A plan is a pure function of its arguments: nothing is read, written or waited for. The
// caller carries the actions out, writes the status, and calls again when something
// changes or at RecheckAt.
//
//	an update of the workload
//	        |
//	      Admit            does it enter a rollout? It is held back then
//	        |
//	    Reconcile <------- Inspect: what is known about the workload
//	        |              one step: pin the stable traffic, upgrade, lead traffic,
//	        |              analyse, pause; behind the last one the release is closed
//	        |
//	   BatchRelease        the batch that the step asks for
//	        |
//	  ReconcileBatch       take the workload over, upgrade, verify, label, give it back
//	        |
//	     workload          its own controller moves the pods, see package deploy
//
// [WatchedWorkload], [WatchedPod], [WatchedRelease] and [WatchedReplicaSet] say who has to
// be looked at when something has changed. The Holds of a plan say what is waited for, each
// with its numbers. [Preview] goes
// through all steps beforehand, and [Warnings] names what is accepted but does harm.
//
// The numbers: [IntOrPercent] is a number of pods or a share of a total, [Resolve] turns
// the two limits of a rolling update into a [Budget], and [PartitionLimit] says how many
// pods a step lets be new. The planners of packages deploy and daemonset are built on them.
//
// Package argo in this folder plans the other dialect, that of Argo Rollouts.
//
// # Quirks
//
// The planner decides as OpenKruise Rollouts (commit 9dd6279d) does.
// [Options].Repair is a set of [Quirks] of
// OpenKruise Rollouts to repair: none by default, [RepairAll] for all. [QuirkTable] says of
// each what upstream does, the smallest input that shows it, and the repair.
//
// The rules, the deviations from upstream, the invariants and the complexity are in
// rules.md of this folder, by name and in order.
package rollout
