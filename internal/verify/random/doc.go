// SPDX-License-Identifier: Apache-2.0

// Package random draws snapshots for properties, fuzzing and simulations: what
// [deploy.Reconcile], [replicaset.Reconcile], [daemonset.Reconcile], [kruise.Reconcile],
// [batchrelease.Reconcile] and [argo.Reconcile] plan for, as plain values. It is the only
// place that does.
//
// A [Source] answers questions with numbers, and all else follows from the answers. [Rapid]
// asks pgregory.net/rapid, which makes failing cases small; [Bytes] reads the input of a
// fuzz target; [Seeded] is a random generator of package math/rand/v2.
//
// A [Kind] says how far snapshots are from what a cluster shows. All happen at [Now].
package random
