// SPDX-License-Identifier: Apache-2.0

// Package revision answers which template is which, what it is called, and how to get
// back to an earlier one.
//
// Start with [Template], the identity of a pod template, and [Split], which finds the
// ReplicaSet that has it. A Deployment keeps its history in its ReplicaSets, each an
// [Entry] here. StatefulSets and DaemonSets keep theirs in objects of their own, each a
// [ControllerRevision].
//
// What a controller asks in one pass of a Deployment:
//
//	entries ──Split──> newest, old
//	                     │      └─Max, Next──> the next revision
//	   there is one:     ├─SyncWith──────────> annotations to write, number and history
//	   there is none:    ├─Hash, ReplicaSetName, CreationAnnotations
//	   its name is taken:├─Collides, NextCollision
//	   a rollback:       ├─RollbackRequest, PlanRollback
//	   at the end:       └─CleanUp───────────> old ones to delete, and those held
//
// and of a StatefulSet or DaemonSet:
//
//	revisions ─┬─ChooseUpdate─────────> keep, renumber or create    (StatefulSet)
//	           │   └─FirstAttempt, Attempt.Taken: names until one is free
//	           ├─Partition, Dedupe────> current ones and old ones   (DaemonSet)
//	           │   └─NewDaemonSetRevision, DaemonSetTaken
//	           └─Truncate, CleanUpRevisions: beyond the limit
//
// What kubectl rollout shows and does is package revision/kubectl.
//
// A template that is used again moves on: after A, B and A again, the ReplicaSet of A
// has revision 3 and history "1", that of B revision 2, and revision 1 is gone.
//
// The zero [Options] decides as Kubernetes 1.37 does. What it keeps of
// their defects is in [QuirkTable], and Options.Repair repairs it, one by one. The rules
// by name, with what each mirrors, the invariants and the deviations are in rules.md.
//
// Numbers, annotations and hashes are linear in their input. Numbers allocate
// nothing, a hash and a name one string each, and Sync nothing if there is nothing to
// do. What looks at a whole history sorts it: O(N log N) for N entries or
// ControllerRevisions and their former revisions, with a constant number of slices
// beside what it returns. Data is compared once for each
// ControllerRevision, and normalising it takes time and memory in proportion to its
// size.
package revision
