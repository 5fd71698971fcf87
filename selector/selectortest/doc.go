// SPDX-License-Identifier: Apache-2.0

// Package selectortest tests code that reads selectors, compares them, or claims objects by
// them: your own code, or your code around package selector. It draws selectors, labels,
// owners and children that often refer to the same keys and owners, and checks properties of
// each, with pgregory.net/rapid, which shrinks failing cases.
//
//	func TestMatches(t *testing.T) {
//		selectortest.Readers().Check(t, selectortest.Reader{Matches: matches})
//	}
//
// [Readers] is the suite for a [Reader] of selectors, and [Classifiers] for a [Classifier], which
// decides which children an owner adopts, keeps and releases. plantest.Suite describes their
// methods. [LabelSelectors] and [Labels] are the generators. The table in README.md says for each
// check which property it promises, which suite has it, and a planted bug that it finds.
package selectortest
