// SPDX-License-Identifier: Apache-2.0

package daemonsettest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/daemonsettest"
	"github.com/kplan-go/kplan/podorder"
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

// fleet is a DaemonSet that has one pod on two nodes.
func fleet() daemonset.Snapshot {
	labels := map[string]string{"app": "agent", daemonset.LabelHash: "v1"}
	return daemonset.Snapshot{
		DaemonSet: daemonset.DaemonSet{
			Name: "agent", UID: "d1", Selector: selector.FromLabels(map[string]string{"app": "agent"}),
			Template: daemonset.Template{Hash: "v1", Data: []byte("{}"), Labels: map[string]string{"app": "agent"}},
		},
		Nodes: []daemonset.Node{{Name: "n1"}, {Name: "n2"}},
		Pods:  []daemonset.Pod{{Pod: podorder.Pod{Name: "agent-a", UID: "p1", ControllerUID: "d1", Labels: labels, NodeName: "n1", Phase: podorder.Running}}},
	}
}

// forgetful does not count the pods that are there.
func forgetful(s daemonset.Snapshot, now time.Time, opts daemonset.Options) (daemonset.Plan, error) {
	s.Pods = nil
	return daemonset.Reconcile(s, now, opts)
}

// In a test, t is its *testing.T, and the planner is yours.
func ExampleCheck() {
	t := printer{}
	daemonsettest.Check(t, daemonset.Reconcile)
	fmt.Println("nothing found")
	// Output: nothing found
}

// A planner without policies, which reports no status, is held to what it does.
func ExampleOnly() {
	t := printer{}
	none := rapid.Just(daemonset.Options{})
	daemonsettest.Check(t, daemonset.Reconcile, daemonsettest.Only("placement", "one pod per node"), daemonsettest.Over(daemonsettest.Truthful|daemonsettest.Midway), daemonsettest.With(none))
	fmt.Println("nothing found")
	// Output: nothing found
}

// A property runs under any number of cases, and as a fuzz target:
//
//	func FuzzPlanner(f *testing.F) { f.Fuzz(rapid.MakeFuzz(daemonsettest.Property(planner))) }
func ExampleProperty() {
	t := printer{}
	rapid.Check(t, daemonsettest.Property(daemonset.Reconcile, daemonsettest.Only("convergence")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleMachine() {
	t := printer{}
	rapid.Check(t, daemonsettest.Machine(daemonset.Reconcile, daemonsettest.Except("everything explained")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleCheckPass() {
	t := printer{}
	plan, err := forgetful(fleet(), daemonsettest.Now(), daemonset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	daemonsettest.CheckPass(t, daemonsettest.Pass{Snapshot: fleet(), Now: daemonsettest.Now(), Plan: plan}, daemonsettest.Only("one pod per node"))
	// Output:
	// daemonsettest:
	//     one pod per node: n1 gets a pod and has 2 then, at most 1
}

// A controller that writes objects has no plan. What it has written is enough.
func ExampleCheckChange() {
	t := printer{}
	plan, err := forgetful(fleet(), daemonsettest.Now(), daemonset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := plan.Apply(fleet(), daemonsettest.Now()) // or what a fake client holds by now
	if err != nil {
		t.Fatal(err)
	}
	daemonsettest.CheckChange(t, daemonsettest.Change{Before: fleet(), After: after, Now: daemonsettest.Now()})
	// Output:
	// daemonsettest:
	//     bounds after every prefix: 1 pods too many, at most 0
	//     one pod per node: n1 gets a pod and has 2 then, at most 1
}

// A loop is checked as a whole, too: sizes must not come back.
func ExampleCheckTrace() {
	t := printer{}
	s := daemonsettest.Snapshots(daemonsettest.CaughtUp).Example(1)
	var passes []daemonsettest.Pass
	for i := range 3 {
		now := daemonsettest.Now().Add(time.Duration(i) * time.Minute)
		plan, err := daemonset.Reconcile(s, now, daemonset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		passes = append(passes, daemonsettest.Pass{Snapshot: s, Now: now, Plan: plan})
		s, _ = plan.Apply(s, now)
	}
	daemonsettest.CheckTrace(t, passes, false)
	fmt.Println(len(passes), "passes")
	// Output: 3 passes
}

// The generators are there for tests of your own.
func ExampleSnapshots() {
	t := printer{}
	rapid.Check(t, func(t *rapid.T) {
		s := daemonsettest.Snapshots(daemonsettest.CaughtUp|daemonsettest.Midway).Draw(t, "snapshot")
		opts := daemonsettest.Options().Draw(t, "options")
		if _, err := daemonset.Reconcile(s, daemonsettest.Now(), opts); err != nil {
			t.Fatal(err)
		}
	})
	fmt.Println("all are planned for")
	// Output: all are planned for
}

func ExampleNames() {
	fmt.Println(daemonsettest.Names()[15:18])
	// Output: [placement one pod per node unavailable nodes bound]
}
