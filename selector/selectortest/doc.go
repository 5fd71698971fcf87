// SPDX-License-Identifier: Apache-2.0

// Package selectortest tests code that reads selectors, compares them, or claims objects by
// them: your own code, or your code around package selector. It draws selectors, labels,
// owners and children that often refer to the same keys and owners, and checks properties of
// each, with pgregory.net/rapid, which shrinks failing cases.
//
//	func TestMatches(t *testing.T) {
//		selectortest.Check(t, selectortest.Reader{Matches: matches})
//	}
//
// [Check] is for a [Reader] of selectors, and [CheckClaim] for a [Classifier], which decides
// which children an owner adopts, keeps and releases. [Property] and [ClaimProperty] are the
// same for rapid.MakeFuzz and for your own number of cases. [LabelSelectors] and [Labels] are
// their generators.
//
// Each check has a stable name. [Names] lists them. The table in README.md says for each
// check which property it promises, which function runs it, and a planted bug that it finds.
// [Only] and [Except] take names.
package selectortest
