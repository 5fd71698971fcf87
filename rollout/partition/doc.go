// SPDX-License-Identifier: Apache-2.0

// Package partition computes the numbers of an update by partition: how many pods may have the
// new template, and how many pods keep the old template.
//
// Start with [Limit], the number of pods with the new template that a partition allows, and
// [Strategy], the value of the annotation [AnnotationStrategy]. A Deployment has this annotation
// during an update by partition:
//
//	strategy, err := partition.ParseStrategy(annotations[partition.AnnotationStrategy])
//	n := partition.Limit(strategy.Partition, replicas)
//
// The sizes of the next pass of such a Deployment:
//
//	partition, Budget, all pods
//	        |
//	    CreationSize   the new ReplicaSet, when it is created
//	    NewSize        the new ReplicaSet later: it grows up to the limit, within the surge
//	    OldLimit       how many old pods may be deleted
//	        |
//	    Progress       the reason to wait, if any
//
// [BatchSize] and [StableShare] are for workloads whose partition counts old pods, such as a
// CloneSet. [CloneSet.Diff] returns how many pods the controller of CloneSets adds, deletes and
// updates in one pass. These functions mirror OpenKruise Rollouts (commit 9dd6279d) and, for
// CloneSets, OpenKruise (commit 07169cfa). The rules are in rules.md of this folder.
package partition
