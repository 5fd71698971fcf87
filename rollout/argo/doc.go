// SPDX-License-Identifier: Apache-2.0

// Package argo plans progressive rollouts of Argo Rollouts.
//
// Start with [Rollout], which determines in which steps a canary is updated, or how a blue-green
// update is promoted, and [Reconcile], which returns the next plan for it:
//
//	plan, err := argo.Reconcile(snapshot, now, argo.Options{})
//
// A plan is a pure function of its arguments: nothing is read, written or waited for. The
// caller carries the actions out, writes the status, and calls again when something
// changes or at RecheckAt.
//
//	a pause has begun or ended? --- yes --> note it in the conditions, and no more
//	        | no
//	another size of the Rollout? -- yes --> scale all ReplicaSets to it, and no step
//	        | no
//	canary                              blue-green
//	  create the new ReplicaSet           create the new ReplicaSet
//	  lead requests by weight             lead the preview to it
//	  scale one of: stable, new, others   |
//	  is the step over? the next one      scale stable, new, and others after a delay
//	  after the last: it is stable        pause, then switch the active Service
//	        |                                   |
//	        +--> conditions, deadline, abort, phase: the next status
//
// [Canary] counts the pods of a canary, with and without traffic routing: [Canary.Counts]
// are the sizes of the next pass, [Canary.AtDesired] reports whether they are reached, and
// [Canary.TrafficWeight] how much traffic the new pods get. [Preview] counts the pods of a
// blue-green update. They are functions of numbers, for callers with their own passes; so
// are [ScaleDownDelay] and [AbortDelay], [Approximate], [Budget] and [Step.Completed].
// Reports are made from [Phase], [kplan.Condition] and the reasons of holds.
//
// It decides as Argo Rollouts (commit 9f8d111d) does, with traffic routing as v1.10.2. The
// results of analyses are given in the status ([Runs]). Not here: the numbers of revisions,
// for which see package revision. The rules are in rules.md of this folder, by name and in
// order. [Apply] carries actions out on a snapshot.
package argo
