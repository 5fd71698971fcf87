// SPDX-License-Identifier: Apache-2.0

package plantest_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/replicaset/replicasettest"
	"github.com/kplan-go/kplan/rollout/plantest"
)

func ExampleNow() {
	fmt.Println(plantest.Now())
	// Output: 2026-03-01 12:00:00 +0000 UTC
}

// Each policy is drawn, and each repair alone.
func ExampleKit_Options() {
	bursts := map[int32]bool{}
	for i := range 100 {
		bursts[replicasettest.Kit().Options().Example(i).Burst] = true
	}
	fmt.Println(len(bursts), "limits of a burst")
	// Output: 3 limits of a burst
}

// What differs on purpose is left out, and the rest is looked at.
func ExampleKit_Except() {
	t := printer{}
	plan, err := forgetful(short(), plantest.Now(), replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	replicasettest.Kit().Except("exact difference").CheckPass(t, plantest.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{Snapshot: short(), Now: plantest.Now(), Plan: plan})
	// Output:
	// replicasettest:
	//     finished pods do not count: 0 pods count, and 1 of them run
	//     ReplicaSet status recount: 0 labelled pods, and a recount finds 1
}

// Sizes of any magnitude are drawn of Anything only.
func ExampleKit_Over() {
	t, most := printer{}, int32(0)
	watched := func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
		most = max(most, *s.ReplicaSet.Replicas)
		return replicaset.Reconcile(s, now, opts)
	}
	replicasettest.Kit().Only("exact difference").Over(plantest.CaughtUp).Check(t, watched)
	fmt.Println("never more than 12 replicas:", most <= 12)
	// Output: never more than 12 replicas: true
}

// All that is tried begins with what the generator draws.
func ExampleKit_From() {
	t, sizes := printer{}, map[int32]bool{}
	watched := func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
		sizes[*s.ReplicaSet.Replicas] = true
		return replicaset.Reconcile(s, now, opts)
	}
	replicasettest.Kit().Only("exact difference").From(rapid.Just(short())).Check(t, watched)
	fmt.Println(sizes)
	// Output: map[3:true]
}

// A planner that has one policy is tried with nothing else.
func ExampleKit_With() {
	t, others := printer{}, 0
	one := replicaset.Options{Burst: 3}
	mine := func(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
		if opts.Burst != one.Burst {
			others++
		}
		return replicaset.Reconcile(s, now, one)
	}
	replicasettest.Kit().Only("exact difference").With(rapid.Just(one)).Check(t, mine)
	fmt.Println(others, "calls with other options")
	// Output: 0 calls with other options
}

// With all repairs no quirk is left to explain anything.
func ExampleKit_Strict() {
	t := printer{}
	repaired := rapid.Just(replicaset.Options{Repair: quirk.All})
	replicasettest.Kit().Strict().With(repaired).Over(plantest.CaughtUp|plantest.Truthful|plantest.Midway).Check(t, replicaset.Reconcile)
	fmt.Println("nothing found")
	// Output: nothing found
}
