// SPDX-License-Identifier: Apache-2.0

// Package upstream runs the controllers of Kubernetes 1.37.2 on hand-filled caches, without an API
// server, and records their writes.
//
// [Deployments], [ReplicaSets], [ReplicationControllers] and [DaemonSets] hold one controller each.
// Fill fills the caches with a snapshot; Sync runs one whole pass of the unchanged controller, and
// returns its writes in order. Only the connections to the outside are replaced: the client, the
// listers, the recorder of events and the queue.
//
// The controllers read the wall clock. Run them in a testing/synctest bubble and time stands still
// while they do.
//
// Functions that upstream does not export are linked by name, see linkname.go; a test compares
// their signatures with the linked source.
package upstream
