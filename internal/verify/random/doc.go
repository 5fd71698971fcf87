// SPDX-License-Identifier: Apache-2.0

// Package random draws snapshots for properties, fuzzing and simulations: the inputs of
// [deploy.Reconcile], [replicaset.Reconcile], [daemonset.Reconcile], [kruise.Reconcile],
// [batchrelease.Reconcile] and [argo.Reconcile], as plain values. No other package draws them.
//
// A [Source] answers each question with a number; the answers determine the snapshot. [Rapid] asks
// pgregory.net/rapid, which shrinks failing cases; [Bytes] reads the input of a fuzz target;
// [Seeded] is a random generator of package math/rand/v2.
//
// A [Kind] says how realistic snapshots are. All are taken at [Now].
package random
