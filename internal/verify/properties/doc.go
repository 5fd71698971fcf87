// SPDX-License-Identifier: Apache-2.0

// Package properties runs the invariants as properties of any planner. Package plantest
// shows it to users: each kind of planner is a [Room], and its package, such as deploytest, returns a
// kit with that room.
package properties
