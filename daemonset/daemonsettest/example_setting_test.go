// SPDX-License-Identifier: Apache-2.0

package daemonsettest_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/daemonsettest"
)

func ExampleNow() {
	fmt.Println(daemonsettest.Now())
	// Output: 2026-03-01 12:00:00 +0000 UTC
}

// Each policy is drawn, and each repair alone.
func ExampleOptions() {
	dialects := map[daemonset.Dialect]bool{}
	for i := range 100 {
		dialects[daemonsettest.Options().Example(i).Dialect] = true
	}
	fmt.Println(len(dialects), "dialects")
	// Output: 2 dialects
}

// What differs on purpose is left out, and the rest is looked at.
func ExampleExcept() {
	t := printer{}
	plan, err := forgetful(fleet(), daemonsettest.Now(), daemonset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	daemonsettest.CheckPass(t, daemonsettest.Pass{Snapshot: fleet(), Now: daemonsettest.Now(), Plan: plan}, daemonsettest.Except("one pod per node"))
	// Output:
	// daemonsettest:
	//     DaemonSet status recount: 0 nodes have a pod, not 1
	//     DaemonSet status recount: 0 nodes are updated, not 1
}

// Sizes of any magnitude are drawn of Anything only.
func ExampleOver() {
	t, most := printer{}, 0
	watched := func(s daemonset.Snapshot, now time.Time, opts daemonset.Options) (daemonset.Plan, error) {
		most = max(most, len(s.Nodes))
		return daemonset.Reconcile(s, now, opts)
	}
	daemonsettest.Check(t, watched, daemonsettest.Only("one pod per node"), daemonsettest.Over(daemonsettest.CaughtUp))
	fmt.Println("never more than 12 nodes:", most <= 12)
	// Output: never more than 12 nodes: true
}

// All that is tried begins with what the generator draws.
func ExampleFrom() {
	t, sizes := printer{}, map[int]bool{}
	watched := func(s daemonset.Snapshot, now time.Time, opts daemonset.Options) (daemonset.Plan, error) {
		sizes[len(s.Nodes)] = true
		return daemonset.Reconcile(s, now, opts)
	}
	daemonsettest.Check(t, watched, daemonsettest.Only("one pod per node"), daemonsettest.From(rapid.Just(fleet())))
	fmt.Println(sizes)
	// Output: map[2:true]
}

// A planner that has one policy is tried with nothing else.
func ExampleWith() {
	t, others := printer{}, 0
	one := daemonset.Options{SkipDeadNodes: 2}
	mine := func(s daemonset.Snapshot, now time.Time, opts daemonset.Options) (daemonset.Plan, error) {
		if opts.SkipDeadNodes != one.SkipDeadNodes {
			others++
		}
		return daemonset.Reconcile(s, now, one)
	}
	daemonsettest.Check(t, mine, daemonsettest.Only("one pod per node"), daemonsettest.With(rapid.Just(one)))
	fmt.Println(others, "calls with other options")
	// Output: 0 calls with other options
}

// With all repairs no quirk is left to explain anything.
func ExampleStrict() {
	t := printer{}
	repaired := rapid.Just(daemonset.Options{Repair: daemonset.RepairAll})
	daemonsettest.Check(t, daemonset.Reconcile, daemonsettest.Strict(), daemonsettest.With(repaired))
	fmt.Println("nothing found")
	// Output: nothing found
}
