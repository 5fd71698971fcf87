// SPDX-License-Identifier: Apache-2.0

// Package kruise plans progressive rollouts as OpenKruise Rollouts does: which step comes next,
// with which traffic, and what it waits for.
//
// Start with [Rollout], which says in which steps a workload is updated, and [Reconcile],
// which returns what to do for it next:
//
//	plan, err := kruise.Reconcile(snapshot, now, kruise.Options{})
//
// A plan is a pure function of its arguments: nothing is read, written or waited for. The
// caller carries the actions out, writes the status, and calls again when something
// changes or at RecheckAt.
//
//	an update of the workload
//	        |
//	      Admit            does it enter a rollout? It is held back then
//	        |
//	    Reconcile <------- workload.Inspect: what is known about the workload
//	        |              one step: pin the stable traffic, upgrade, lead traffic,
//	        |              analyse, pause; behind the last one the release is closed
//	        |
//	   BatchRelease        the batch that the step asks for, see package batchrelease
//	        |
//	     workload          its own controller moves the pods, see package deploy
//
// [Validate] says what admission rejects about a Rollout. [WatchedWorkload], [WatchedPod],
// [WatchedRelease] and [WatchedReplicaSet] say who has to be looked at when something has
// changed. The Holds of a plan say what is waited for, each with its numbers. Package
// preview goes through all steps beforehand.
//
// # Who calls the parts
//
// A webhook calls [Admit], [Validate] and [ValidateUpdate], a command that shows or changes the
// step [NextStep], [JumpStep], [StateAfterJump] and [RecalculateStep], and a controller of its
// own passes [ReleaseOf], [PauseOf], [ClosingSequence] and [EffectiveChange]. A
// simulator carries plans out with [Apply]. Whoever reports tells the reasons, phases and
// states apart; it need not handle all of them.
//
// It decides as OpenKruise Rollouts (commit 9dd6279d) does; for its quirks see package
// workload. The rules, the deviations from upstream, the invariants and the complexity are
// in rules.md of this folder, by name and in order.
package kruise
