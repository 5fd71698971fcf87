// SPDX-License-Identifier: Apache-2.0

package replicasettest_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/replicasettest"
)

func ExampleNow() {
	fmt.Println(replicasettest.Now())
	// Output: 2026-03-01 12:00:00 +0000 UTC
}

// Each policy is drawn, and each repair alone.
func ExampleOptions() {
	bursts := map[int32]bool{}
	for i := range 100 {
		bursts[replicasettest.Options().Example(i).Burst] = true
	}
	fmt.Println(len(bursts), "limits of a burst")
	// Output: 3 limits of a burst
}

// What differs on purpose is left out, and the rest is looked at.
func ExampleExcept() {
	t := printer{}
	plan, err := forgetful(short(), replicasettest.Now(), replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	replicasettest.CheckPass(t, replicasettest.Pass{Snapshot: short(), Now: replicasettest.Now(), Plan: plan}, replicasettest.Except("exact difference"))
	// Output:
	// replicasettest:
	//     finished pods do not count: 0 pods count, and 1 of them run
	//     ReplicaSet status recount: 0 labelled pods, and a recount finds 1
}

// Sizes of any magnitude are drawn of Anything only.
func ExampleOver() {
	t, most := printer{}, int32(0)
	watched := func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
		most = max(most, *s.ReplicaSet.Replicas)
		return replicaset.Reconcile(s, now, opts)
	}
	replicasettest.Check(t, watched, replicasettest.Only("exact difference"), replicasettest.Over(replicasettest.CaughtUp))
	fmt.Println("never more than 12 replicas:", most <= 12)
	// Output: never more than 12 replicas: true
}

// All that is tried begins with what the generator draws.
func ExampleFrom() {
	t, sizes := printer{}, map[int32]bool{}
	watched := func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
		sizes[*s.ReplicaSet.Replicas] = true
		return replicaset.Reconcile(s, now, opts)
	}
	replicasettest.Check(t, watched, replicasettest.Only("exact difference"), replicasettest.From(rapid.Just(short())))
	fmt.Println(sizes)
	// Output: map[3:true]
}

// A planner that has one policy is tried with nothing else.
func ExampleWith() {
	t, others := printer{}, 0
	one := replicaset.Options{Burst: 3}
	mine := func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
		if opts.Burst != one.Burst {
			others++
		}
		return replicaset.Reconcile(s, now, one)
	}
	replicasettest.Check(t, mine, replicasettest.Only("exact difference"), replicasettest.With(rapid.Just(one)))
	fmt.Println(others, "calls with other options")
	// Output: 0 calls with other options
}

// With all repairs no quirk is left to explain anything.
func ExampleStrict() {
	t := printer{}
	repaired := rapid.Just(replicaset.Options{Repair: replicaset.RepairAll})
	replicasettest.Check(t, replicaset.Reconcile, replicasettest.Strict(), replicasettest.With(repaired), replicasettest.Over(replicasettest.CaughtUp|replicasettest.Truthful|replicasettest.Midway))
	fmt.Println("nothing found")
	// Output: nothing found
}
