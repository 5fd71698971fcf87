// SPDX-License-Identifier: Apache-2.0

// Package selectortest tests who reads selectors, compares them, or claims by them: code of
// your own, or what you have built around package selector. It draws selectors, labels,
// owners and children that often have to do with each other, and checks what holds for each,
// with pgregory.net/rapid, which makes a failing case small.
//
//	func TestMatches(t *testing.T) {
//		selectortest.Check(t, selectortest.Reader{Matches: matches})
//	}
//
// [Check] is for a [Reader] of selectors, and [CheckClaim] for who decides which children an
// owner adopts, keeps and releases. [Property] and [ClaimProperty] are the same for
// rapid.MakeFuzz and for numbers of cases of your own. [LabelSelectors] and [Labels] are the
// generators behind them.
//
// Each check has a name that stays. [Names] lists them; README.md is a table of them with
// what each promises, which function runs it, and a planted bug that it finds. [Only] and
// [Except] take names.
package selectortest
