// SPDX-License-Identifier: Apache-2.0

// Package podordertest tests who decides which pods go first: orders of your own, or what you
// have built around package podorder. It draws pods that are alike in most respects, so that
// every rule decides now and then, and checks what holds for every such decision, with
// pgregory.net/rapid, which makes a failing case small.
//
//	func TestVictims(t *testing.T) {
//		podordertest.Check(t, podordertest.Chooser{Choose: victims})
//	}
//
// [Check] is for a [Chooser]; [Property] is the same for rapid.MakeFuzz and for numbers of
// cases of your own; [CheckCost] is for who reads the cost of deleting a pod. [Pods] and
// [Orders] are the generators behind them; all times are around [Now].
//
// Each check has a name that stays. [Names] lists them; README.md is a table of them with
// what each promises, which function runs it, and a planted bug that it finds. [Only] and
// [Except] take names, and [In] the orders in which to choose.
package podordertest
