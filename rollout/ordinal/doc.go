// SPDX-License-Identifier: Apache-2.0

// Package ordinal computes the numbers of an update by ordinal, of pods that are numbered from
// 0: which pods get the new template now, and how many pods are wanted during the update.
//
// Start with [Group], the state of one ordinal: a pod of a StatefulSet, or pods that are
// replaced together, such as a leader and its workers. [Roll] makes one step of an update
// that moves a partition down from the highest ordinal:
//
//	b := ordinal.Limits(4, rollout.Int(1), rollout.Int(1))
//	next := ordinal.Roll(b, state, 0)
//
//	groups, Budget, State
//	     |
//	     +--> Size        how many groups are wanted, with a surge while many are not updated
//	     |
//	     +--> Partition   the lowest ordinal of the new template
//	             |
//	             +-- Done    ready groups of the new template, from the highest ordinal down
//	             +-- Step    how many groups may change at the same time
//
// [Replace] returns the pods that a StatefulSet with such a partition replaces, and
// [ReplaceOne] is the same if no more than one pod may be unavailable.
//
// [StepRoles] updates several workloads that need each other in proportion.
//
// These functions read only counts and flags, no names, templates or objects. A group that is
// not in a list counts as not ready and of the old template.
//
// They mirror LeaderWorkerSet (commit 060ab4da) and the StatefulSet controller of
// Kubernetes 1.36.3, which differs from 1.37: see [Replace]. The rules are in rules.md of
// this folder.
package ordinal
