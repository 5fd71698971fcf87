// SPDX-License-Identifier: Apache-2.0

package plantest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/replicasettest"
	"github.com/kplan-go/kplan/rollout/plantest"
	"github.com/kplan-go/kplan/selector"
)

// A printer stands for the *testing.T of a test, and prints what it finds.
type printer struct{ testing.TB }

func (printer) Helper()             {}
func (printer) Logf(string, ...any) {}
func (printer) Failed() bool        { return false }
func (printer) Name() string        { return "Example" }
func (printer) Fatal(args ...any) {
	found, _, _ := strings.Cut(fmt.Sprint(args...), "plan:")
	fmt.Print(found)
}

// short is a ReplicaSet of 3 pods of which one is there.
func short() replicaset.Snapshot {
	replicas := int32(3)
	labels := map[string]string{"app": "web"}
	return replicaset.Snapshot{
		ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "r1", Replicas: &replicas, Selector: selector.FromLabels(labels), TemplateLabels: labels},
		Pods:       []podorder.Pod{{Name: "web-a", UID: "p1", ControllerUID: "r1", Labels: labels, Phase: podorder.Running}},
	}
}

// forgetful does not count the pods that are there.
func forgetful(s replicaset.Snapshot, now time.Time, opts replicaset.Options) (replicaset.Plan, error) {
	s.Pods = nil
	return replicaset.Reconcile(s, now, opts)
}

// In a test, t is its *testing.T, and the planner is yours.
func ExampleKit_Check() {
	t := printer{}
	replicasettest.Kit().Over(plantest.Truthful).Check(t, replicaset.Reconcile)
	fmt.Println("nothing found")
	// Output: nothing found
}

// A planner without policies, which reports no status, is held to what it does.
func ExampleKit_Only() {
	t := printer{}
	none := rapid.Just(replicaset.Options{})
	replicasettest.Kit().Only("exact difference", "no surplus deletion").Over(plantest.Truthful|plantest.Midway).With(none).Check(t, replicaset.Reconcile)
	fmt.Println("nothing found")
	// Output: nothing found
}

// A property runs under any number of cases, and as a fuzz target:
//
//	func FuzzPlanner(f *testing.F) { f.Fuzz(rapid.MakeFuzz(replicasettest.Kit().Property(planner))) }
func ExampleKit_Property() {
	t := printer{}
	rapid.Check(t, replicasettest.Kit().Only("convergence").Property(replicaset.Reconcile))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleKit_Machine() {
	t := printer{}
	rapid.Check(t, replicasettest.Kit().Except("everything explained").Machine(replicaset.Reconcile))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleKit_CheckPass() {
	t := printer{}
	plan, err := forgetful(short(), plantest.Now(), replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	replicasettest.Kit().Only("exact difference").CheckPass(t, plantest.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{Snapshot: short(), Now: plantest.Now(), Plan: plan})
	// Output:
	// replicasettest:
	//     exact difference: 3 pods are created, not 2: 1 of 3 are active
}

// A controller that writes objects has no plan. What it has written is enough.
func ExampleKit_CheckChange() {
	t := printer{}
	plan, err := forgetful(short(), plantest.Now(), replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := plan.Apply(short(), plantest.Now()) // or what a fake client holds by now
	if err != nil {
		t.Fatal(err)
	}
	replicasettest.Kit().CheckChange(t, plantest.Change[replicaset.Snapshot, replicaset.Options]{Before: short(), After: after, Now: plantest.Now()})
	// Output:
	// replicasettest:
	//     bounds after every prefix: 4 active pods, at most max(1, 3)+0
	//     exact difference: 3 pods are created, not 2: 1 of 3 are active
}

// A loop is checked as a whole, too: sizes must not come back.
func ExampleKit_CheckTrace() {
	t := printer{}
	s := replicasettest.Kit().Over(plantest.CaughtUp).Snapshots().Example(1)
	var passes []plantest.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan]
	for i := range 3 {
		now := plantest.Now().Add(time.Duration(i) * time.Minute)
		plan, err := replicaset.Reconcile(s, now, replicaset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		passes = append(passes, plantest.Pass[replicaset.Snapshot, replicaset.Options, replicaset.Plan]{Snapshot: s, Now: now, Plan: plan})
		s, _ = plan.Apply(s, now)
	}
	replicasettest.Kit().CheckTrace(t, passes, false)
	fmt.Println(len(passes), "passes")
	// Output: 3 passes
}

// The generators are there for tests of your own.
func ExampleKit_Snapshots() {
	t := printer{}
	rapid.Check(t, func(t *rapid.T) {
		s := replicasettest.Kit().Over(plantest.CaughtUp|plantest.Midway).Snapshots().Draw(t, "snapshot")
		opts := replicasettest.Kit().Options().Draw(t, "options")
		if _, err := replicaset.Reconcile(s, plantest.Now(), opts); err != nil {
			t.Fatal(err)
		}
	})
	fmt.Println("all are planned for")
	// Output: all are planned for
}

func ExampleKit_Names() {
	fmt.Println(replicasettest.Kit().Names()[15:18])
	// Output: [exact difference own active pods only no surplus deletion]
}
