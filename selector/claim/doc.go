// SPDX-License-Identifier: Apache-2.0

// Package claim tells who belongs to whom: which children a controller adopts, keeps and
// releases, for any kind of child.
//
// Start with [Decide], which tells what becomes of one child: kept, adopted, released or
// ignored, and why. One pass over the children of a controller:
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
// active ones count. [Simulate], [Strays] and [Conflicts] look at many controllers at once.
//
// The rules by name, with what each mirrors, the table of decisions, the invariants and the
// deviations are in rules.md.
//
// # Complexity
//
// Decide takes one Matches at most. Classify takes one Decide for each child, a byte
// for each, and allocates at most five times, whatever their number. Simulate and
// Strays ask an index, which tries the selectors that demand the rarest of a
// child's labels. Conflicts compares the controllers that agree on the label that
// most of them demand.
package claim
