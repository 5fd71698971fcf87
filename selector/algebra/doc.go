// SPDX-License-Identifier: Apache-2.0

// Package algebra answers questions about selectors: whether two select a common object,
// whether one selects everything that another selects, whether one selects anything at all.
//
// Start with [Compare], which returns the relation of two selectors and an example for each
// part. [Overlap], [Implies], [Equivalent] and [Satisfiable] answer one question each.
//
//	   a          b
//	┌──────┬─────────┬──────┐
//	│  in  │ in both │  in  │     Overlap: labels in both, or there are none
//	│   a  │         │   b  │     Implies: labels in a alone, or there are none
//	└──────┴─────────┴──────┘     Compare: an example of all three, and a Relation
//
// [Normalize] returns the normal form of a selector, [And] the intersection of two, and
// [Contradictions] the reason why a selector selects nothing. [OverlapNodes], [ImpliesNodes]
// and [SatisfiableNodes] are the same for node selectors, whose terms are alternatives: if a
// term may lie within several other terms together, [ImpliesNodes] returns the [Answer]
// Unknown. All other answers are exact.
//
// The rules and the invariants are in rules.md.
//
// For r requirements with v values in total, an answer takes O((r + v) log (r + v)) time; for
// node selectors, as much for each pair of terms.
package algebra
