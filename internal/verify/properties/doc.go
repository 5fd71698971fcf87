// SPDX-License-Identifier: Apache-2.0

// Package properties runs the invariants as properties of planners that somebody else
// wrote. It is what deploytest, replicasettest, daemonsettest and rollouttest have in common:
// each kind of planner is a [Room] with the names of its package.
package properties
