// SPDX-License-Identifier: Apache-2.0

// Package kruise plans progressive rollouts like OpenKruise Rollouts does: which step comes next,
// with which traffic, and why it waits.
//
// Start with [Rollout], which holds the steps of the update of a workload, and [Reconcile],
// which returns the next actions:
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
//	    Reconcile <------- workload.Inspect: the state of the workload
//	        |              one step: pin the stable traffic, upgrade, lead traffic,
//	        |              analyse, pause; after the last one the release is closed
//	        |
//	   BatchRelease        the batch that the step asks for, see package batchrelease
//	        |
//	     workload          its own controller moves the pods, see package deploy
//
// [Validate] returns the errors for which admission rejects a Rollout. [WatchedWorkload],
// [WatchedPod], [WatchedRelease] and [WatchedReplicaSet] return the objects to reconcile after an
// event. The Holds of a plan are the reasons to wait, each with its numbers. Package
// preview goes through all steps beforehand.
//
// # Who calls the parts
//
// A webhook calls [Admit], [Validate] and [ValidateUpdate]. A command that shows or changes the
// step calls [NextStep], [JumpStep], [StateAfterJump] and [RecalculateStep]. A controller with
// passes of its own calls [ReleaseOf], [PauseOf], [ClosingSequence] and [EffectiveChange]. A
// simulator carries plans out with [Apply]. The constants of phases and states are for
// programs that report progress; print the ones that you do not know.
//
// It decides as OpenKruise Rollouts (commit 9dd6279d) does; for its quirks see package
// workload. The rules, the deviations from upstream, the invariants and the complexity are
// in rules.md of this folder, by name and in order.
package kruise
