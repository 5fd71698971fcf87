// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"cmp"
	"fmt"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// Of six pods 20% are 1.2, rounded up; only 100% means all.
func ExampleLimit() {
	for _, p := range []rollout.IntOrPercent{rollout.Percent(20), rollout.Percent(99), rollout.Percent(100), rollout.Int(9)} {
		fmt.Println(p, partition.Limit(p, 6))
	}
	// Output:
	// 20% 2
	// 99% 5
	// 100% 6
	// 9 6
}

// Without any limits nothing may surge or be unavailable.
func ExampleBudget() {
	quarter := partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)}
	fmt.Println(partition.Budget(10, &quarter, false))
	fmt.Println(partition.Budget(10, nil, false))
	// Output:
	// at most 13, at least 8 available
	// at most 10, at least 10 available
}

// Without a surge the first new pod comes before an old one goes.
func ExampleLowerBound() {
	fmt.Println(partition.LowerBound(rollout.Budget{Replicas: 10, Surge: 2}))
	fmt.Println(partition.LowerBound(rollout.Budget{Replicas: 10, Unavailable: 2}))
	// Output:
	// 0
	// 1
}

// Partition 0 asks for no new pod, and OpenKruise creates one all the same.
func ExampleCreationSize() {
	b := rollout.Budget{Replicas: 10, Unavailable: 2}
	fmt.Println(partition.CreationSize(rollout.Int(0), b, 10, false))
	fmt.Println(partition.CreationSize(rollout.Int(0), b, 10, true))
	// Output:
	// 1
	// 0
}

// Half of ten pods are to be new. The surge has room for two at a time, and five are the
// end.
func ExampleNewSize() {
	b := rollout.Budget{Replicas: 10, Surge: 2}
	half := rollout.Percent(50)
	fmt.Println(partition.NewSize(half, b, 10, 0)) // 10 old
	fmt.Println(partition.NewSize(half, b, 10, 2)) // 8 old
	fmt.Println(partition.NewSize(half, b, 10, 4)) // 6 old
	// Output:
	// 2
	// 4
	// 5
}

// With half of ten pods new five old ones are enough, of eight three may go; of four one
// is missing.
func ExampleOldLimit() {
	half := rollout.Percent(50)
	fmt.Println(partition.OldLimit(half, 10, 8, 2), partition.OldLimit(half, 10, 4, 5))
	// Output: 3 -1
}

// A number and a percentage are compared as if there were 10,000,000 pods.
func ExampleAtLeast() {
	fmt.Println(partition.AtLeast(rollout.Percent(50), rollout.Percent(20)))
	fmt.Println(partition.AtLeast(rollout.Int(2), rollout.Int(5)))
	fmt.Println(partition.AtLeast(rollout.Percent(20), rollout.Int(5)))
	// Output:
	// true
	// false
	// true
}

func ExampleBatchSize() {
	fmt.Println(partition.BatchSize(rollout.Percent(25), 10), partition.BatchSize(rollout.Int(20), 10))
	// Output: 3 10
}

// One of 300 pods is a third of a percent: the least that is not 0% keeps three.
func ExampleStableShare() {
	fmt.Println(partition.StableShare(5, 10, rollout.Percent(50)))
	share := partition.StableShare(1, 300, rollout.Int(299))
	fmt.Println(share, share.OfUp(300))
	// Output:
	// 50%
	// 1% 3
}

// 33% of three pods, rounded up, are one; but of 300 pods no percentage keeps one, since 1%
// are three.
func ExampleExactShare() {
	fmt.Println(partition.ExactShare(5, 10), partition.ExactShare(1, 3), partition.ExactShare(1, 300))
	// Output: true true false
}

func ExampleParseStrategy() {
	s, err := partition.ParseStrategy(`{"rollingStyle":"Partition","partition":"20%","paused":true}`)
	fmt.Println(s.RollingStyle, s.Partition, s.Paused, err)
	_, err = partition.ParseStrategy(`20%`)
	fmt.Println(err != nil)
	// Output:
	// Partition 20% true <nil>
	// true
}

func ExampleStrategy_Text() {
	s := partition.Strategy{RollingStyle: partition.Style, Partition: rollout.Percent(20)}
	fmt.Println(s.Text())
	fmt.Println(partition.Strategy{}.Text())
	// Output:
	// {"rollingStyle":"Partition","partition":"20%"}
	// {"partition":0}
}

// An unset surge is to become 25%; OpenKruise writes it into the other limit.
func ExampleStrategy_Default() {
	tenth := partition.RollingUpdate{MaxUnavailable: rollout.Percent(10)}
	s := partition.Strategy{RollingStyle: partition.Style, RollingUpdate: &tenth}
	for _, separately := range []bool{false, true} {
		ru := s.Default(separately).RollingUpdate
		fmt.Println("unavailable", ru.MaxUnavailable, "surge", cmp.Or(ru.MaxSurge, rollout.Int(0)))
	}
	// Output:
	// unavailable 25% surge 0
	// unavailable 10% surge 25%
}

func ExampleParseExtraStatus() {
	fmt.Println(partition.ParseExtraStatus(`{"updatedReadyReplicas":2,"expectedUpdatedReplicas":3}`).UpdatedReadyReplicas)
	fmt.Println(partition.ParseExtraStatus(`unreadable`).UpdatedReadyReplicas)
	// Output:
	// 2
	// 0
}

func ExampleExtraStatus_Text() {
	fmt.Println(partition.ExtraStatus{UpdatedReadyReplicas: 2, ExpectedUpdatedReplicas: 3}.Text())
	// Output: {"updatedReadyReplicas":2,"expectedUpdatedReplicas":3}
}

// Half of ten pods are to be new, and one is still missing.
func ExampleProgress_Waiting() {
	p := partition.Progress{Generation: 7, ObservedGeneration: 7, Partition: rollout.Percent(50), Replicas: 10, StatusReplicas: 10, UpdatedReplicas: 4}
	fmt.Println(p.Waiting())
	p.UpdatedReplicas = 5
	_, waits := p.Waiting()
	fmt.Println(waits)
	// Output:
	// held back: TooFewUpdated (4 of 5) true
	// false
}
