// SPDX-License-Identifier: Apache-2.0

// Package revision identifies, names and numbers pod templates, keeps their history, and
// plans rollbacks.
//
// Start with [Template], the identity of a pod template, and [Split], which finds the
// ReplicaSet with a template. A Deployment keeps its history in its ReplicaSets, each an
// [Entry] here. StatefulSets and DaemonSets keep theirs in objects of type
// [ControllerRevision].
//
// The calls in one pass of a Deployment:
//
//	entries ──Split──> newest, old
//	                     │      └─Max, Next──> the next revision
//	   if it exists:     ├─SyncWith──────────> annotations to write, number and history
//	   if not:           ├─Hash, ReplicaSetName, CreationAnnotations
//	   its name is taken:├─Collides, NextCollision
//	   a rollback:       ├─RollbackRequest, PlanRollback
//	   at the end:       └─CleanUp───────────> old ReplicaSets to delete, and ones to keep
//
// and in one pass of a StatefulSet or DaemonSet:
//
//	revisions ─┬─ChooseUpdate─────────> keep, renumber or create    (StatefulSet)
//	           │   └─FirstAttempt, Attempt.Taken: names until one is free
//	           ├─Partition, Dedupe────> current ones and old ones   (DaemonSet)
//	           │   └─NewDaemonSetRevision, DaemonSetTaken
//	           └─Truncate, CleanUpRevisions: beyond the limit
//
// The commands of kubectl rollout are in package revision/kubectl.
//
// A template that is used again gets a new number: after A, B and A again, the ReplicaSet
// of A has revision 3 and history "1", the ReplicaSet of B has revision 2, and revision 1
// no longer exists.
//
// The zero [Options] decides as Kubernetes 1.37 does. [quirk.Table] lists the defects that
// it keeps, and Options.Repair repairs each separately. rules.md has the rules by name with
// their upstream functions, the invariants and the deviations.
//
// Numbers, annotations and hashes take time linear in their input. Numbers allocate
// nothing, a hash and a name one string each, and Sync nothing without a change. Functions
// of a whole history sort it: O(N log N) for N entries or ControllerRevisions and their
// former revisions, with a constant number of slices apart from the result. Data is
// compared once for each ControllerRevision; normalizing it takes time and memory in
// proportion to its size.
package revision
