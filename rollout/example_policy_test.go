// SPDX-License-Identifier: Apache-2.0

package rollout_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
)

// A set that wants three pods, of which five are there since two are still to go.
func ExamplePolicy_Existing() {
	s := rollout.Set{Wanted: 3, There: 5}
	fmt.Println(rollout.Policy{}.Existing(s), rollout.Policy{CountLarger: true}.Existing(s))
	s = rollout.Set{Wanted: 3, There: 1}
	fmt.Println(rollout.Policy{CountLarger: true}.Existing(s), rollout.Policy{CountThere: true}.Existing(s))
	// Output:
	// 3 5
	// 3 1
}

// Of four pods that are wanted two are in use: it shrinks no further, unless they stand apart.
func ExampleCounting_Keeps() {
	s := rollout.Set{Wanted: 4, Protected: 2}
	fmt.Println(rollout.Counting{}.Keeps(s), rollout.Counting{ProtectedApart: true}.Keeps(s))
	// Output: 2 0
}

func ExampleCounting_MaxTotal() {
	huge := rollout.Budget{Replicas: 2_000_000_000, Surge: 2_000_000_000}
	fmt.Println(rollout.Counting{ExactSums: true}.MaxTotal(huge))
	fmt.Println(rollout.Counting{}.MaxTotal(huge)) // less 2^32
	// Output:
	// 4000000000
	// -294967296
}

func ExampleCounting_MinAvailable() {
	fmt.Println(rollout.Counting{}.MinAvailable(rollout.Budget{Replicas: 10, Unavailable: 2}))
	// Output: 8
}

// 2^31 is one more than an int32 holds.
func ExampleCounting_Sum() {
	fmt.Println(rollout.Counting{}.Sum(1<<31), rollout.Counting{ExactSums: true}.Sum(1<<31))
	// Output: -2147483648 2147483648
}

// What is written to an object has to fit in an int32 in any case.
func ExampleCounting_Size() {
	fmt.Println(rollout.Counting{}.Size(1<<31), rollout.Counting{ExactSums: true}.Size(1<<31))
	// Output: -2147483648 2147483647
}

// Somebody has deleted an old pod: its set gives it up, and in the next step the new set
// takes its place.
func ExampleOnDelete() {
	old := []rollout.Set{{Wanted: 3, There: 2, Available: 2}}
	size, sizes := rollout.OnDelete(3, rollout.Set{}, old)
	fmt.Println(size, sizes)
	size, sizes = rollout.OnDelete(3, rollout.Set{}, []rollout.Set{{Wanted: 2, There: 2}})
	fmt.Println(size, sizes)
	// Output:
	// 0 [2]
	// 1 [2]
}

// Replicas grow from 10 to 14 in the middle of a rollout: both sets keep their shares, or
// the new one gets all of it.
func ExampleScale() {
	b := rollout.Budget{Replicas: 14}
	sets := []rollout.Set{{Wanted: 5, Before: 10, Age: 1}, {Wanted: 5, Before: 10, Age: 2}}
	fmt.Println(rollout.Scale(b, sets, 1, rollout.Policy{}))
	fmt.Println(rollout.Scale(b, sets, 1, rollout.Policy{ScaleNewest: true}))
	// Output:
	// [7 7]
	// [5 9]
}

// Of four and six wanted pods an unavailable one of the second and two available ones of
// the first go.
func ExampleShrinking_Sizes() {
	old := []rollout.Set{{Wanted: 4, Available: 4}, {Wanted: 6, Available: 5}}
	s := rollout.Shrinking{Unavailable: []int32{0, 1}, Available: []int32{2, 0}}
	fmt.Println(s.Sizes(old))
	// Output: [2 5]
}

// Nine pods are available and eight must stay. Kubernetes would remove the two that are not
// available and one more; where nobody knows which pods go, one may.
func ExampleShrinkWorstCase() {
	b := rollout.Budget{Replicas: 10, Surge: 1, Unavailable: 2}
	newSet := rollout.Set{Wanted: 1, Available: 1, There: 1}
	old := []rollout.Set{{Wanted: 10, Available: 8, There: 10}}
	fmt.Println(rollout.Shrink(b, newSet, old, rollout.Counting{}).Removed)
	fmt.Println(rollout.ShrinkWorstCase(b, newSet, 1, old, nil).Removed)
	// Output:
	// 3
	// 1
}

// One of three old pods never becomes available, and all sets have what they want. That old
// set may lose a pod, unless a new one may still become available.
func ExampleDeadlock() {
	old := []rollout.Set{{Wanted: 3, There: 3, Available: 2}}
	fmt.Println(rollout.Deadlock(rollout.Set{Wanted: 1, There: 1, Available: 1}, old))
	fmt.Println(rollout.Deadlock(rollout.Set{Wanted: 1, There: 1}, old))
	// Output:
	// 0
	// -1
}

func ExampleRolling_BreakDeadlock() {
	newSet, old := rollout.Set{Wanted: 1, There: 1, Available: 1}, []rollout.Set{{Wanted: 3, There: 3, Available: 2}}
	still := rollout.Rolling{Size: 1, Shrinking: rollout.Shrinking{Unavailable: []int32{0}, Available: []int32{0}}}
	step := still.BreakDeadlock(newSet, old)
	fmt.Println(step.Size, step.Shrinking.Sizes(old), step.Shrinking.Removed)
	// Output: 1 [2] 1
}

// The new set makes one pod beyond the three, so that the first of these can move. It makes
// none when a pod is to move to it already.
func ExampleInPlace() {
	newSet, old := rollout.Set{}, []rollout.Set{{Wanted: 3, There: 3, Available: 3}}
	fmt.Println(rollout.InPlace(3, newSet, 1, old, []int32{3}, false))
	fmt.Println(rollout.InPlace(3, newSet, 1, old, []int32{2}, false))
	// Output:
	// 1
	// 0
}
