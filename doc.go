// SPDX-License-Identifier: Apache-2.0

// Package kplan has the types that all planners of this module share: what a plan says beside
// its actions, and what a caller reports back.
//
//	Snapshot ── Reconcile ──> Plan ── Executor ──> Outcomes ── Finish ──> status, errors
//
//	a FieldError   a field of the snapshot that no plan can be made from
//	a Hold         an action that the planner considered and held back, and why
//	an Event       a message for people about an action
//	a Condition    one line of the status
//	an Outcome     what the API server answered to an action
//	a Quirk        a behaviour of the original that a planner keeps unless told otherwise
//
// The planners are in the packages beside this one: deploy, replicaset, daemonset, and those
// below rollout. This package imports none of them.
package kplan
