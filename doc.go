// SPDX-License-Identifier: Apache-2.0

// Package kplan has the types that all planners of this module share: the parts of a plan apart
// from its actions, and the results that a caller reports back.
//
//	Snapshot ── Reconcile ──> Plan ── Executor ──> Outcomes ── Finish ──> status, errors
//
//	a FieldError   an invalid field of the snapshot
//	a Hold         a change that the planner considered and held back, and the reason
//	an Event       an event about an action
//	a Condition    a condition of the status
//	an Outcome     the answer of the API server to an action
//	a Quirk        a defect of the original that a planner keeps by default
//	a Listing      the last list of a cache, to find the objects that have changed since
//
// The planners are in packages deploy, replicaset and daemonset, and below rollout. This package
// imports none of them.
package kplan
