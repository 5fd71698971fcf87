// SPDX-License-Identifier: Apache-2.0

// Package properties runs the invariants as properties of any planner. The packages deploytest,
// replicasettest, daemonsettest and rollouttest share it: each kind of planner is a [Room] with the
// names of its package.
package properties
