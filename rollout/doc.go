// SPDX-License-Identifier: Apache-2.0

// Package rollout computes the numbers of a rolling update: how many pods may be added and
// deleted now. A set is the pods of one template, such as the pods of a ReplicaSet.
//
// Start with [IntOrPercent], a number of pods or a percentage of a total, and with [Resolve],
// which turns the two limits of a rolling update into a [Budget]:
//
//	b := rollout.Resolve(10, rollout.Percent(25), rollout.Percent(25))
//	fmt.Println(b) // at most 13, at least 8 available
//
// [FromIntOrString] reads an IntOrPercent from an object of the Kubernetes API, [Parse] from a
// command line.
//
//	maxSurge ----------+
//	maxUnavailable ----+--> Fenceposts --> Budget --> MaxTotal, MinAvailable
//	replicas ----------+    one pod may move    |
//	                                            v
//	counts of each template: Set ------> Grow, GrowTo     the new set
//	how to count pods: Counting          Shrink           old sets: unavailable pods, then others
//	rules of a step: Policy              ShrinkWorstCase  the same, whichever pods go
//	                                     Recreate         old sets first, then the new one
//	                                     Proportional     all sets, when replicas change
//	                                     Apportion        the same, with an exact sum
//	                                     Scale            shares, or all to the new set
//	                                     OnDelete         old pods stay until a user deletes them
//	                                     InPlace          pods move to the new set
//	                                     Roll, Step       one step, by all rules of a Policy
//	                                     Rolling.Waits    why a set does not change further
//
// [ClusterAPI], [MachineController] and [Agones] return the policies of these projects.
//
// These functions read only counts, no names, templates or annotations, and so serve every
// kind of workload.
//
// For workloads with one pod on each node, [ResolveNodes], [NodeCounts] and [SurgeCounts]
// return on how many nodes the pod may be deleted, and how many nodes get a second pod.
//
// Packages deploy and daemonset use these functions. So do the packages of progressive
// rollouts, in the folders below:
//
//	ordinal        which of numbered pods, or groups of them, are updated now
//	partition      how many pods of the new template a step allows
//	workload       the workloads that a rollout updates, and the quirks, defects of upstream
//	traffic        routes, Services and Ingresses
//	batchrelease   the planner of a BatchRelease: one batch of a workload
//	kruise         the planner of a Rollout of OpenKruise: admission, steps, closing
//	preview        a simulation of all steps of such a Rollout
//	argo           the planner of a Rollout of Argo
//
// The rules are in rules.md of this folder.
package rollout
