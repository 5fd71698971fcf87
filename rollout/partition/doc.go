// SPDX-License-Identifier: Apache-2.0

// Package partition holds the numbers of an update by partition: how many pods may be of the
// new template, and how many have to stay as they are.
//
// Start with [Limit], the pods of the new template that a partition allows, and [Strategy],
// which a Deployment carries in the annotation [AnnotationStrategy] while it is updated by
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
//	    Progress       what is still waited for
//
// [BatchSize] and [StableShare] are the same for workloads whose partition counts old pods. Of a
// CloneSet itself [CloneSet.Diff] says how many pods a pass adds, deletes and updates. All of
// them mirror OpenKruise Rollouts (commit 9dd6279d) and, of CloneSets, OpenKruise (commit
// 07169cfa); package deploy plans with them. The rules are in rules.md of this folder.
package partition
