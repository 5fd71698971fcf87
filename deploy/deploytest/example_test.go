// SPDX-License-Identifier: Apache-2.0

package deploytest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/deploytest"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
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

// edited is a Deployment of 10 replicas whose template has just been edited. 13 pods may be
// wanted, and 8 must be available.
func edited() deploy.Snapshot {
	replicas := int32(10)
	return deploy.Snapshot{
		Deployment: deploy.Deployment{
			Name: "web", UID: "d1", Replicas: &replicas, Template: revision.Template{ID: "image:2", Hash: "7d4c665cf7"},
			MaxSurge: rollout.Int(3), MaxUnavailable: rollout.Int(2),
		},
		ReplicaSets: []replicaset.ReplicaSet{{
			Name: "web-66cf68d45", UID: "r1", ControllerUID: "d1", Replicas: &replicas, Template: revision.Template{ID: "image:1"},
			Annotations: map[string]string{revision.AnnotationRevision: "1"},
			Status:      replicaset.Status{Replicas: 10, ReadyReplicas: 10, AvailableReplicas: 10},
		}},
	}
}

// eager forgets the surge: it creates all new pods at once.
func eager(s deploy.Snapshot, now time.Time, opts deploy.Options) (deploy.Plan, error) {
	p, err := deploy.Reconcile(s, now, opts)
	for i, a := range p.Actions {
		if a, ok := a.(deploy.CreateReplicaSet); ok {
			a.Replicas = p.Budget.Replicas
			p.Actions[i] = a
		}
	}
	return p, err
}

// In a test, t is its *testing.T, and the planner is yours.
func ExampleCheck() {
	t := printer{}
	deploytest.Check(t, deploy.Reconcile)
	fmt.Println("nothing found")
	// Output: nothing found
}

// A planner without policies, which reports no status, is held to what it does.
func ExampleOnly() {
	t := printer{}
	none := rapid.Just(deploy.Options{})
	deploytest.Check(t, deploy.Reconcile, deploytest.Only("surge bound", "availability bound"), deploytest.Over(deploytest.Truthful|deploytest.Midway), deploytest.With(none))
	fmt.Println("nothing found")
	// Output: nothing found
}

// A property runs under any number of cases, and as a fuzz target:
//
//	func FuzzPlanner(f *testing.F) { f.Fuzz(rapid.MakeFuzz(deploytest.Property(planner))) }
func ExampleProperty() {
	t := printer{}
	rapid.Check(t, deploytest.Property(deploy.Reconcile, deploytest.Only("no stuck rollout")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleMachine() {
	t := printer{}
	rapid.Check(t, deploytest.Machine(deploy.Reconcile, deploytest.Except("everything explained")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleCheckPass() {
	t := printer{}
	plan, err := eager(edited(), deploytest.Now(), deploy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	deploytest.CheckPass(t, deploytest.Pass{Snapshot: edited(), Now: deploytest.Now(), Plan: plan}, deploytest.Except("everything explained"))
	// Output:
	// deploytest:
	//     surge bound: after 1 actions: 20 pods wanted, at most max(10+3, 10)+0
	//     surge bound: after 2 actions: 20 pods wanted, at most max(10+3, 10)+0
	//     surge bound: after 3 actions: 18 pods wanted, at most max(10+3, 10)+0
}

// A controller that writes objects has no plan. What it has written is enough.
func ExampleCheckChange() {
	t := printer{}
	plan, err := eager(edited(), deploytest.Now(), deploy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := plan.Apply(edited(), deploytest.Now()) // or what a fake client holds by now
	if err != nil {
		t.Fatal(err)
	}
	deploytest.CheckChange(t, deploytest.Change{Before: edited(), After: after, Now: deploytest.Now()})
	// Output:
	// deploytest:
	//     bounds after every prefix: 18 pods wanted, at most max(10+3, 10)+0
	//     surge bound: after 2 actions: 18 pods wanted, at most max(10+3, 10)+0
}

// A loop is checked as a whole, too: sizes must not come back.
func ExampleCheckTrace() {
	t := printer{}
	s := deploytest.Snapshots(deploytest.CaughtUp).Example(1)
	var passes []deploytest.Pass
	for i := range 3 {
		now := deploytest.Now().Add(time.Duration(i) * time.Minute)
		plan, err := deploy.Reconcile(s, now, deploy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		passes = append(passes, deploytest.Pass{Snapshot: s, Now: now, Plan: plan})
		s, _ = plan.Apply(s, now)
	}
	deploytest.CheckTrace(t, passes, false)
	fmt.Println(len(passes), "passes")
	// Output: 3 passes
}

// The generators are there for tests of your own.
func ExampleSnapshots() {
	t := printer{}
	rapid.Check(t, func(t *rapid.T) {
		s := deploytest.Snapshots(deploytest.CaughtUp|deploytest.Midway).Draw(t, "snapshot")
		opts := deploytest.Options().Draw(t, "options")
		if _, err := deploy.Reconcile(s, deploytest.Now(), opts); err != nil {
			t.Fatal(err)
		}
	})
	fmt.Println("all are planned for")
	// Output: all are planned for
}

func ExampleNames() {
	fmt.Println(deploytest.Names()[15:18])
	// Output: [surge bound availability bound rounding of limits]
}
