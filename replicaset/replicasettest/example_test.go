// SPDX-License-Identifier: Apache-2.0

package replicasettest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/replicasettest"
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
func ExampleCheck() {
	t := printer{}
	replicasettest.Check(t, replicaset.Reconcile)
	fmt.Println("nothing found")
	// Output: nothing found
}

// A planner without policies, which reports no status, is held to what it does.
func ExampleOnly() {
	t := printer{}
	none := rapid.Just(replicaset.Options{})
	replicasettest.Check(t, replicaset.Reconcile, replicasettest.Only("exact difference", "no surplus deletion"), replicasettest.Over(replicasettest.Truthful|replicasettest.Midway), replicasettest.With(none))
	fmt.Println("nothing found")
	// Output: nothing found
}

// A property runs under any number of cases, and as a fuzz target:
//
//	func FuzzPlanner(f *testing.F) { f.Fuzz(rapid.MakeFuzz(replicasettest.Property(planner))) }
func ExampleProperty() {
	t := printer{}
	rapid.Check(t, replicasettest.Property(replicaset.Reconcile, replicasettest.Only("convergence")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleMachine() {
	t := printer{}
	rapid.Check(t, replicasettest.Machine(replicaset.Reconcile, replicasettest.Except("everything explained")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleCheckPass() {
	t := printer{}
	plan, err := forgetful(short(), replicasettest.Now(), replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	replicasettest.CheckPass(t, replicasettest.Pass{Snapshot: short(), Now: replicasettest.Now(), Plan: plan}, replicasettest.Only("exact difference"))
	// Output:
	// replicasettest:
	//     exact difference: 3 pods are created, not 2: 1 of 3 are active
}

// A controller that writes objects has no plan. What it has written is enough.
func ExampleCheckChange() {
	t := printer{}
	plan, err := forgetful(short(), replicasettest.Now(), replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := plan.Apply(short(), replicasettest.Now()) // or what a fake client holds by now
	if err != nil {
		t.Fatal(err)
	}
	replicasettest.CheckChange(t, replicasettest.Change{Before: short(), After: after, Now: replicasettest.Now()})
	// Output:
	// replicasettest:
	//     bounds after every prefix: 4 active pods, at most max(1, 3)+0
	//     exact difference: 3 pods are created, not 2: 1 of 3 are active
}

// A loop is checked as a whole, too: sizes must not come back.
func ExampleCheckTrace() {
	t := printer{}
	s := replicasettest.Snapshots(replicasettest.CaughtUp).Example(1)
	var passes []replicasettest.Pass
	for i := range 3 {
		now := replicasettest.Now().Add(time.Duration(i) * time.Minute)
		plan, err := replicaset.Reconcile(s, now, replicaset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		passes = append(passes, replicasettest.Pass{Snapshot: s, Now: now, Plan: plan})
		s, _ = plan.Apply(s, now)
	}
	replicasettest.CheckTrace(t, passes, false)
	fmt.Println(len(passes), "passes")
	// Output: 3 passes
}

// The generators are there for tests of your own.
func ExampleSnapshots() {
	t := printer{}
	rapid.Check(t, func(t *rapid.T) {
		s := replicasettest.Snapshots(replicasettest.CaughtUp|replicasettest.Midway).Draw(t, "snapshot")
		opts := replicasettest.Options().Draw(t, "options")
		if _, err := replicaset.Reconcile(s, replicasettest.Now(), opts); err != nil {
			t.Fatal(err)
		}
	})
	fmt.Println("all are planned for")
	// Output: all are planned for
}

func ExampleNames() {
	fmt.Println(replicasettest.Names()[15:18])
	// Output: [exact difference own active pods only no surplus deletion]
}
