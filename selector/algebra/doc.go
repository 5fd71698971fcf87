// SPDX-License-Identifier: Apache-2.0

// Package algebra answers questions about selectors themselves: whether two have an object
// in common, whether one selects no more than another, whether one selects anything at all.
//
// Start with [Compare], which says how two selectors relate and gives an example for each
// part. [Overlap], [Implies], [Equivalent] and [Satisfiable] answer one question each.
//
//	   a          b
//	┌──────┬─────────┬──────┐
//	│  in  │ in both │  in  │     Overlap: labels in both, or there are none
//	│   a  │         │   b  │     Implies: labels in a alone, or there are none
//	└──────┴─────────┴──────┘     Compare: an example of all three, and a Relation
//
// [Normalize] returns the one form of all selectors that select the same, [And] what both
// select, and [Contradictions] why a selector selects nothing. [OverlapNodes],
// [ImpliesNodes] and [SatisfiableNodes] are the same for node selectors, whose terms are
// alternatives: where one of them may lie within several others together, [ImpliesNodes]
// leaves the [Answer] open. All other answers are exact.
//
// The rules and the invariants are in rules.md.
//
// For r requirements that have v values together, an answer takes O((r + v) log (r + v))
// time; that of node selectors as much for each pair of terms.
package algebra
