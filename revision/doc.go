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
//	entries ──Split──> newest (the entry with the Deployment's template), old
//	                      │      └─Next─────────> the next revision
//	   newest exists:     ├─SyncWith────────────> annotations to write: revision and history
//	   no newest:         ├─Hash, ReplicaSetName, CreationAnnotations
//	   the name is taken: ├─Collides, NextCollision
//	   a rollback:        ├─RollbackRequest, PlanRollback
//	   at the end:        └─CleanUp─────────────> old ReplicaSets to delete
//
// and in one pass of a StatefulSet or DaemonSet:
//
//	StatefulSet:  ChooseUpdate ──────────────> keep, renumber or create a revision
//	              FirstAttempt, Attempt.Taken  until a name is free
//	              Truncate ──────────────────> revisions to delete
//	DaemonSet:    Partition, Dedupe ─────────> the current revision, and the old ones
//	              NewDaemonSetRevision, DaemonSetTaken
//	              CleanUpRevisions ──────────> revisions to delete
//
// The commands of kubectl rollout are in package revision/kubectl.
//
// A template that is used again gets a new number: after A, B and A again, the ReplicaSet
// of A has revision 3 and history "1", the ReplicaSet of B has revision 2, and revision 1
// no longer exists.
//
// With the zero [Options] the functions decide as Kubernetes 1.37 does, defects included.
// [quirk.Table] lists the defects, and Options.Repair repairs each separately. rules.md has the
// rules by name with their upstream functions, the invariants and the deviations.
//
// Functions of one number, annotation or hash take time linear in their input. Functions of numbers
// allocate nothing, [Hash] and [ReplicaSetName] one string each, and [Sync] nothing if nothing
// changes. Functions of a history sort it: they take O(N log N) time for N entries or
// ControllerRevisions and their former revisions. They compare the data of each ControllerRevision
// once; to normalize it takes time and memory linear in its size.
package revision
