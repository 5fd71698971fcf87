// SPDX-License-Identifier: Apache-2.0

// Package rollout holds the numbers of a rolling update: how many pods may change now.
//
// Start with [IntOrPercent], a number of pods or a share of a total, and with [Resolve],
// which turns the two limits of a rolling update into a [Budget]:
//
//	b := rollout.Resolve(10, rollout.Percent(25), rollout.Percent(25))
//	fmt.Println(b) // at most 13, at least 8 available
//
// [FromIntOrString] reads a number from an object of the Kubernetes API, [Parse] one that a
// person has typed.
//
//	maxSurge ----------+
//	maxUnavailable ----+--> Fenceposts --> Budget --> MaxTotal, MinAvailable
//	replicas ----------+    one pod may move    |
//	                                            v
//	counts of each template: Set ------> Grow, GrowTo     the new set
//	how they are reckoned: Policy        Shrink           old sets: unavailable pods, then others
//	                                     Recreate         old sets first, then the new one
//	                                     Proportional     all sets, when replicas change
//	                                     Apportion        the same, exactly
//	                                     Scale            shares, or all to the new set
//	                                     OnDelete         old pods stay until a user deletes them
//	                                     InPlace          pods move to the new set
//	                                     Roll, Step       one step, by all policies
//
// These are functions of counts alone: they know no names, templates or annotations, so
// that every kind of workload can use them. Their loops take one set after the other,
// oldest first.
//
// For one pod on each node there are [ResolveNodes], [NodeCounts] and [SurgeCounts]: from
// how many nodes pods may be removed, and how many nodes get a second one.
//
// The planners of packages deploy and daemonset are built on these numbers, and so are the
// planners of progressive rollouts in the folders below, which this package does not
// import:
//
//	ordinal        which of numbered pods, or groups of them, are updated now
//	partition      how many pods of the new template a step allows
//	workload       the objects that a rollout drives, of any kind, and the quirks
//	traffic        routes, Services and Ingresses
//	batchrelease   the planner of a BatchRelease: one batch of a workload
//	kruise         the planner of a Rollout of OpenKruise: admission, steps, closing
//	preview        all steps of such a Rollout beforehand
//	argo           the planner of a Rollout of Argo
//
// The rules are in rules.md of this folder.
package rollout
