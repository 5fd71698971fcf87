// SPDX-License-Identifier: Apache-2.0

package ordinal_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/ordinal"
)

// Four groups are updated with one more than these, and none may be missing: the surge
// group comes first, and goes when all others are done.
func ExampleRoll() {
	b := ordinal.Limits(4, rollout.Int(1), rollout.Int(0))
	s := ordinal.State{Size: 4, Replicas: 4, Changed: true, Groups: make([]ordinal.Group, 4)}
	for i := range s.Groups {
		s.Groups[i].Ready = true
	}
	for {
		next := ordinal.Roll(b, s, 0)
		fmt.Printf("%d groups, new from %d\n", next.Size, next.Partition)
		if next.Size == 4 && next.Partition == 0 {
			break
		}
		s.Size, s.Partition, s.Changed = next.Size, next.Partition, false
		s.Groups = make([]ordinal.Group, s.Size)
		for i := range s.Groups {
			s.Groups[i] = ordinal.Group{Ready: true, Updated: int32(i) >= s.Partition}
		}
	}
	// Output:
	// 5 groups, new from 4
	// 5 groups, new from 3
	// 5 groups, new from 2
	// 5 groups, new from 1
	// 5 groups, new from 0
	// 4 groups, new from 0
}

func ExamplePartition() {
	old, done, coming := ordinal.Group{Ready: true}, ordinal.Group{Ready: true, Updated: true}, ordinal.Group{Updated: true}
	fmt.Println(ordinal.Partition([]ordinal.Group{old, old, old, coming}, 4, 1, 3))
	fmt.Println(ordinal.Partition([]ordinal.Group{old, old, old, done}, 4, 1, 3))
	// Output:
	// 3
	// 2
}

func ExampleReplace() {
	old, coming := ordinal.Group{Ready: true}, ordinal.Group{Updated: true}
	pods := []ordinal.Group{old, old, old, old, coming}
	fmt.Println(ordinal.Replace(pods, 1, 3), ordinal.ReplaceOne(pods, 1))
	// Output: [3 2] -1
}

func ExampleSize() {
	b := rollout.Budget{Replicas: 4, Surge: 2, Unavailable: 1}
	for _, waiting := range []int32{4, 2, 1} {
		fmt.Println(waiting, "wait:", ordinal.Size(b, waiting))
	}
	// Output:
	// 4 wait: 6
	// 2 wait: 5
	// 1 wait: 4
}

// The pods count from the highest ordinal down, and the first that is not ready ends it.
func ExampleDone() {
	old, done, coming := ordinal.Group{Ready: true}, ordinal.Group{Ready: true, Updated: true}, ordinal.Group{Updated: true}
	fmt.Println(ordinal.Done([]ordinal.Group{old, old, done, done}, 4))
	fmt.Println(ordinal.Done([]ordinal.Group{old, done, coming, done}, 4))
	// Output:
	// 2
	// 1
}

// Of five groups the surge group does not count, and of the others two wait: an old one
// and one that is coming.
func ExampleWaiting() {
	old, done, coming := ordinal.Group{Ready: true}, ordinal.Group{Ready: true, Updated: true}, ordinal.Group{Updated: true}
	fmt.Println(ordinal.Waiting([]ordinal.Group{old, done, coming, done, done}, 4))
	// Output: 2
}

// A quarter of ten is rounded up for the surge and down for what may be unavailable, and
// neither is more than there are.
func ExampleLimits() {
	fmt.Println(ordinal.Limits(10, rollout.Percent(25), rollout.Percent(25)))
	b := ordinal.Limits(4, rollout.Int(9), rollout.Int(0))
	fmt.Println(b.Surge, b.Unavailable)
	// Output:
	// at most 13, at least 8 available
	// 4 0
}

// What there is beyond the replicas may be in change as well.
func ExampleStep() {
	b := rollout.Budget{Replicas: 4, Surge: 2, Unavailable: 1}
	fmt.Println(ordinal.Step(b, 4), ordinal.Step(b, 6))
	// Output: 1 3
}

// The highest ordinal goes first, nothing goes while it comes back, and the partition
// ends it.
func ExampleReplaceOne() {
	old, done, coming := ordinal.Group{Ready: true}, ordinal.Group{Ready: true, Updated: true}, ordinal.Group{Updated: true}
	fmt.Println(ordinal.ReplaceOne([]ordinal.Group{old, old, old}, 1))
	fmt.Println(ordinal.ReplaceOne([]ordinal.Group{old, old, coming}, 1))
	fmt.Println(ordinal.ReplaceOne([]ordinal.Group{old, old, done}, 1))
	fmt.Println(ordinal.ReplaceOne([]ordinal.Group{old, done, done}, 1))
	// Output:
	// 2
	// -1
	// 1
	// -1
}

// Six groups by two take three steps, four by one take four: the larger is when both are
// done.
func ExampleRoleSteps() {
	fmt.Println(ordinal.RoleSteps([]ordinal.Role{
		{Before: 6, Target: 6, Surge: 2},
		{Before: 4, Target: 4, Unavailable: 1},
	}))
	// Output: 4
}
