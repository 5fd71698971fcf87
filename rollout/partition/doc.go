// SPDX-License-Identifier: Apache-2.0

// Package partition holds the numbers of an update by partition: how many pods may have the
// new template, and how many have to stay old.
//
// Start with [Limit], the number of pods that a partition allows with the new template, and
// [Strategy], the annotation [AnnotationStrategy] of a Deployment during an update by
// partition:
//
//	strategy, err := partition.ParseStrategy(annotations[partition.AnnotationStrategy])
//	n := partition.Limit(strategy.Partition, replicas)
//
// The sizes of the next pass of such a Deployment:
//
//	partition, Budget, all pods
//	        |
//	    CreationSize   the new ReplicaSet, when it is created
//	    NewSize        the same later: it grows up to the limit and the surge
//	    OldLimit       how many old pods are not needed any more
//	        |
//	    Progress       the reason to wait, if any
//
// [BatchSize] and [StableShare] are the same for workloads whose partition counts old pods.
// [CloneSet.Diff] returns how many pods a pass of a CloneSet itself adds, deletes and
// updates. All of them mirror OpenKruise Rollouts (commit 9dd6279d) and, for CloneSets,
// OpenKruise (commit 07169cfa); package deploy uses them. The rules are in rules.md of this
// folder.
package partition
