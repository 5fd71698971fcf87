// SPDX-License-Identifier: Apache-2.0

package deploytest_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/deploytest"
	"github.com/kplan-go/kplan/rollout"
)

func ExampleNow() {
	fmt.Println(deploytest.Now())
	// Output: 2026-03-01 12:00:00 +0000 UTC
}

// Half of the options have all repairs, the others none.
func ExampleOptions() {
	repairs := map[bool]bool{}
	for i := range 100 {
		repairs[deploytest.Options().Example(i).Repair == deploy.RepairAll] = true
	}
	fmt.Println(repairs)
	// Output: map[false:true true:true]
}

// What differs on purpose is left out, and the rest is looked at.
func ExampleExcept() {
	t := printer{}
	plan, err := eager(edited(), deploytest.Now(), deploy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	deploytest.CheckPass(t, deploytest.Pass{Snapshot: edited(), Now: deploytest.Now(), Plan: plan}, deploytest.Except("surge bound"))
	fmt.Println("nothing else found")
	// Output: nothing else found
}

// Sizes of any magnitude are drawn of Anything only.
func ExampleOver() {
	t, most := printer{}, int32(0)
	watched := func(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error) {
		most = max(most, *s.Deployment.Replicas)
		return deploy.Reconcile(s, now, opts)
	}
	deploytest.Check(t, watched, deploytest.Only("surge bound"), deploytest.Over(deploytest.CaughtUp))
	fmt.Println("never more than 12 replicas:", most <= 12)
	// Output: never more than 12 replicas: true
}

// All that is tried begins with what the generator draws.
func ExampleFrom() {
	t, sizes := printer{}, map[int32]bool{}
	watched := func(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error) {
		sizes[*s.Deployment.Replicas] = true
		return deploy.Reconcile(s, now, opts)
	}
	deploytest.Check(t, watched, deploytest.Only("surge bound"), deploytest.From(rapid.Just(edited())))
	fmt.Println(sizes)
	// Output: map[10:true]
}

// A planner that has one policy is tried with nothing else.
func ExampleWith() {
	t, others := printer{}, 0
	one := deploy.Options{Adoption: deploy.AdoptNone}
	mine := func(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error) {
		if opts.Adoption != one.Adoption {
			others++
		}
		return deploy.Reconcile(s, now, one)
	}
	deploytest.Check(t, mine, deploytest.Only("surge bound"), deploytest.With(rapid.Just(one)))
	fmt.Println(others, "calls with other options")
	// Output: 0 calls with other options
}

// With all repairs no quirk is left to explain anything.
func ExampleStrict() {
	t := printer{}
	repaired := rapid.Just(deploy.Options{Repair: deploy.RepairAll})
	deploytest.Check(t, deploy.Reconcile, deploytest.Strict(), deploytest.With(repaired))
	fmt.Println("nothing found")
	// Output: nothing found
}

// How many pods there are is not what is wanted, and none more may be there.
func ExampleScaling() {
	shares := true
	for i := range 100 {
		s := deploytest.Scaling().Example(i)
		old, fresh := *s.ReplicaSets[0].Replicas, *s.ReplicaSets[1].Replicas
		shares = shares && old >= 10 && fresh >= 10 && s.Deployment.MaxSurge == rollout.Int(0)
	}
	fmt.Println("two sets of at least 10 pods, no surge:", shares)
	// Output: two sets of at least 10 pods, no surge: true
}

func ExamplePartitioned() {
	t := printer{}
	deploytest.Check(t, deploy.Reconcile, deploytest.From(deploytest.Partitioned()))
	fmt.Println("by partition:", deploytest.Partitioned().Example(1).Deployment.Partitioned != nil)
	// Output: by partition: true
}
