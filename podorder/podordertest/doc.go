// SPDX-License-Identifier: Apache-2.0

// Package podordertest tests code that decides which pods are deleted first: your own orders,
// or your code around package podorder. It draws pods that are equal in most respects, so
// that every rule decides now and then, and checks properties of every such decision, with
// pgregory.net/rapid, which shrinks failing cases.
//
//	func TestVictims(t *testing.T) {
//		podordertest.Choosers().Check(t, podordertest.Chooser{Choose: victims})
//	}
//
// [Choosers] is the suite for a [Chooser], and [CostParsers] for parsers of the deletion cost of
// a pod. plantest.Suite describes their methods. [Pods] and [Orders] are the generators; all times
// are around plantest.Now. The table in README.md says for each check which property it promises,
// which suite has it, and a planted bug that it finds.
package podordertest
