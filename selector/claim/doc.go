// SPDX-License-Identifier: Apache-2.0

// Package claim decides which children a controller adopts, keeps and releases, for any kind
// of child.
//
// Start with [Decide], which decides whether one child is kept, adopted, released or ignored,
// and why. One pass over the children of a controller:
//
//	Owner, children ──Classify──> Claim: keep, adopt, release
//	                                │
//	owner read from the server ──CheckLive──> LiveCheck
//	                                │
//	                             Resolve──> Resolution: AdoptChild, ReleaseChild, errors
//	                                │          you carry them out
//	                             ApplyOutcome <── an Outcome for each
//	                                │
//	                                v
//	                             the children that are claimed
//
// [DecideActive] and [ClassifyActive] are the same for pods of ReplicaSets, of which only
// active ones count. [Simulate], [UnmanagedChildren] and [Conflicts] check many controllers at once.
//
// The named rules, the functions that they mirror, the table of decisions, the invariants and
// the deviations are in rules.md.
//
// # Complexity
//
// Decide calls Matches at most once. Classify makes one Decide for each child, uses one byte
// for each, and allocates at most five times. Simulate and UnmanagedChildren use an index, which tries
// only the selectors that require the rarest of a child's labels. Conflicts compares the
// controllers that agree on the label that most of them require.
package claim
