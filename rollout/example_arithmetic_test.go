// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
)

func ExampleGrow() {
	b := rollout.Budget{Replicas: 10, Surge: 2}
	fmt.Println(rollout.Grow(b, 10, 0, rollout.Counting{}), rollout.Grow(b, 5, 0, rollout.Counting{}))
	// Output: 2 7
}

func ExampleGrowTo() {
	b := rollout.Budget{Replicas: 6, Surge: 2}
	fmt.Println(rollout.GrowTo(b, 2, 6, 0), rollout.GrowTo(b, 6, 6, 0), rollout.GrowTo(b, 2, 1, 1))
	// Output: 2 2 6
}

func ExampleSurplus() {
	fmt.Println(rollout.Surplus(6, 2, 6, 2), rollout.Surplus(6, 2, 3, 0))
	// Output: 2 -1
}

func ExampleRecreate() {
	fmt.Println(rollout.Recreate(3, 0, 1))
	fmt.Println(rollout.Recreate(3, 0, 0))
	// Output:
	// 0 false
	// 3 true
}

func ExampleSaturated() {
	fmt.Println(rollout.Saturated(rollout.Set{Wanted: 3, Available: 3}, 3, 3))
	// Output: true
}

func ExampleLeaveRoom() {
	fmt.Println(rollout.LeaveRoom(13, 10, 1), rollout.LeaveRoom(13, 10, 9))
	// Output: 12 10
}

func ExampleShrink() {
	b := rollout.Budget{Replicas: 10, Surge: 3, Unavailable: 2}
	old := []rollout.Set{{Wanted: 4, Available: 4}, {Wanted: 6, Available: 4}}
	s := rollout.Shrink(b, rollout.Set{Wanted: 3, Available: 1}, old, rollout.Counting{})
	fmt.Println("unavailable", s.Unavailable, "then available", s.Available)
	fmt.Println(s.Have, "stay available of at least", s.Limit)
	// Output:
	// unavailable [0 2] then available [1 0]
	// 8 stay available of at least 8
}

func ExampleRoll() {
	b := rollout.Budget{Replicas: 10, Surge: 3, Unavailable: 2}
	newSet, old := rollout.Set{}, []rollout.Set{{Wanted: 10, Available: 10}}
	one := rollout.Roll(b, newSet, old, 0, rollout.Policy{})
	both := rollout.Roll(b, newSet, old, 0, rollout.Policy{Together: true})
	fmt.Println(one.Size, one.Shrinking.Removed)
	fmt.Println(both.Size, both.Shrinking.Removed)
	// Output:
	// 3 0
	// 3 2
}

func ExampleServing() {
	fmt.Println(rollout.Serving(rollout.Set{Wanted: 3, Available: 1}, 10, rollout.Counting{}))
	// Output: 11
}

func ExampleAvailable() {
	old := []rollout.Set{{Wanted: 7, Available: 9}}
	fmt.Println(rollout.Available(rollout.Set{Wanted: 3, Available: 1}, old, rollout.Counting{}))
	fmt.Println(rollout.Available(rollout.Set{Wanted: 3, Available: 1}, old, rollout.Counting{CapOld: true}))
	// Output:
	// 10
	// 8
}

func ExampleSpare() {
	b := rollout.Budget{Replicas: 10, Unavailable: 2}
	fmt.Println(rollout.Spare(b, 11, rollout.Counting{}), rollout.Spare(b, 7, rollout.Counting{}))
	// Output: 3 0
}

func ExampleRemoveUnavailable() {
	old := []rollout.Set{{Wanted: 3, Available: 1}, {Wanted: 2, Available: 2}, {Wanted: 4}}
	fmt.Println(rollout.RemoveUnavailable(old, 5, rollout.Counting{}))
	fmt.Println(rollout.RemoveUnavailable([]rollout.Set{{Wanted: 3}, {Wanted: 2, Available: 5}}, 5, rollout.Counting{}))
	// Output:
	// [2 0 3] 5 -1
	// [3 0] 3 1
}

func ExampleRemaining() {
	fmt.Println(rollout.Remaining([]rollout.Set{{Wanted: 3}, {Wanted: 5}}, []int32{2, 0}))
	// Output: [1 5]
}

func ExampleRemoveAvailable() {
	fmt.Println(rollout.RemoveAvailable([]int32{3, 0, 5}, 4))
	// Output: [3 0 1] 4
}

func ExampleBySize() {
	sets := []rollout.Set{{Wanted: 5, Age: 1}, {Wanted: 8, Age: 2}, {Wanted: 5, Age: 3}}
	fmt.Println(rollout.BySize(sets, 5), rollout.BySize(sets, -5))
	// Output: [1 2 0] [1 0 2]
}

func ExampleProportional() {
	sets := []rollout.Set{{Wanted: 8, Before: 13}, {Wanted: 5, Before: 13}}
	fmt.Println(rollout.Proportional(sets, rollout.Budget{Replicas: 15, Surge: 3}, 5, rollout.Counting{}))
	// Output: [11 7]
}

func ExampleProportion() {
	b := rollout.Budget{Replicas: 15, Surge: 3}
	fmt.Println(rollout.Proportion(rollout.Set{Wanted: 5, Before: 13}, b, 5, 3, rollout.Counting{}))
	// Output: 2
}

func ExampleFraction() {
	scaled := rollout.Budget{Replicas: 15, Surge: 3}
	fmt.Println(rollout.Fraction(scaled, 8, 13, rollout.Counting{}), rollout.Fraction(scaled, 5, 13, rollout.Counting{}))
	large := rollout.Budget{Replicas: 100_000, Surge: 1}
	fmt.Println(rollout.Fraction(large, 50_000, 95_000, rollout.Counting{ExactProducts: true}))
	// Output:
	// 3 2
	// 2632
}

func ExampleWeights() {
	fmt.Println(rollout.Weights([]rollout.Set{{Wanted: 12, Before: 20}, {Wanted: 8, Before: 20}}))
	// Output: [12 8]
}

func ExampleApportion() {
	parts := []rollout.Part{{Weight: 12, Size: 12, Age: 1}, {Weight: 8, Size: 8, Age: 2}}
	fmt.Println(rollout.Apportion(16, parts, nil, rollout.LeftoverMostCut))
	fmt.Println(rollout.Apportion(16, parts, nil, rollout.LeftoverNewest))
	// Output:
	// [10 6]
	// [9 7]
}
