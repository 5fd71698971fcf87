// SPDX-License-Identifier: Apache-2.0

package rollouttest_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/rollouttest"
	"github.com/kplan-go/kplan/rollout/workload"
)

func ExampleNow() {
	fmt.Println(rollouttest.Now())
	// Output: 2026-03-01 12:00:00 +0000 UTC
}

// Some of the options have all repairs, the others none.
func ExampleOptions() {
	repairs := map[bool]bool{}
	for i := range 100 {
		repairs[rollouttest.Options[argo.Options]().Example(i).Repair == argo.RepairAll] = true
	}
	fmt.Println(repairs)
	// Output: map[false:true true:true]
}

// What differs on purpose is left out, and the rest is looked at.
func ExampleExcept() {
	t := printer{}
	plan, err := eager(halfway(), rollouttest.Now(), argo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rollouttest.CheckPass(t, rollouttest.ArgoPass{Snapshot: halfway(), Now: rollouttest.Now(), Plan: plan}, rollouttest.Except("surge bound"))
	fmt.Println("nothing else found")
	// Output: nothing else found
}

// Sizes of any magnitude are drawn of Anything only.
func ExampleOver() {
	t, most := printer{}, int32(0)
	watched := func(s argo.Snapshot, now time.Time, opts argo.Options) (argo.Plan, error) {
		most = max(most, *s.Rollout.Replicas)
		return argo.Reconcile(s, now, opts)
	}
	rollouttest.Check(t, watched, rollouttest.Only("surge bound"), rollouttest.Over(rollouttest.CaughtUp))
	fmt.Println("never more than 9 replicas:", most <= 9)
	// Output: never more than 9 replicas: true
}

// All that is tried begins with what the generator draws.
func ExampleFrom() {
	t, sizes := printer{}, map[int32]bool{}
	watched := func(s argo.Snapshot, now time.Time, opts argo.Options) (argo.Plan, error) {
		sizes[*s.Rollout.Replicas] = true
		return argo.Reconcile(s, now, opts)
	}
	rollouttest.Check(t, watched, rollouttest.Only("surge bound"), rollouttest.From(rapid.Just(halfway())))
	fmt.Println(sizes)
	// Output: map[4:true]
}

// A planner without repairs is tried with none.
func ExampleWith() {
	t, others := printer{}, 0
	mine := func(s argo.Snapshot, now time.Time, opts argo.Options) (argo.Plan, error) {
		if opts.Repair != 0 {
			others++
		}
		return argo.Reconcile(s, now, argo.Options{})
	}
	rollouttest.Check(t, mine, rollouttest.Only("surge bound"), rollouttest.With(rapid.Just(argo.Options{})))
	fmt.Println(others, "calls with other options")
	// Output: 0 calls with other options
}

// With all repairs no quirk is left to explain anything.
func ExampleStrict() {
	t := printer{}
	repaired := rapid.Just(argo.Options{Repair: argo.RepairAll})
	rollouttest.Check(t, argo.Reconcile, rollouttest.Strict(), rollouttest.With(repaired))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleRollingBack() {
	t := printer{}
	rollouttest.Check(t, batchrelease.Reconcile, rollouttest.From(rollouttest.RollingBack()))
	fmt.Println(rollouttest.RollingBack().Example(1).Release.Annotations[workload.AnnotationRollbackInBatch])
	// Output: true
}
