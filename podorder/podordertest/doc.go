// SPDX-License-Identifier: Apache-2.0

// Package podordertest tests code that decides which pods are deleted first: your own orders,
// or your code around package podorder. It draws pods that are equal in most respects, so
// that every rule decides now and then, and checks properties of every such decision, with
// pgregory.net/rapid, which shrinks failing cases.
//
//	func TestVictims(t *testing.T) {
//		podordertest.Check(t, podordertest.Chooser{Choose: victims})
//	}
//
// [Check] is for a [Chooser]; [Property] is the same for rapid.MakeFuzz and for your own
// number of cases; [CheckCost] is for parsers of the deletion cost of a pod. [Pods] and
// [Orders] are their generators; all times are around [Now].
//
// Each check has a stable name. [Names] lists them. The table in README.md says for each
// check which property it promises, which function runs it, and a planted bug that it finds.
// [Only] and [Except] take names, and [In] takes the orders to try.
package podordertest
