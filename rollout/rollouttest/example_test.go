// SPDX-License-Identifier: Apache-2.0

package rollouttest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/rollouttest"
)

// A printer stands for the *testing.T of a test, and prints what it finds.
type printer struct{ testing.TB }

func (printer) Helper()             {}
func (printer) Logf(string, ...any) {}
func (printer) Failed() bool        { return false }
func (printer) Name() string        { return "Example" }
func (printer) Fatal(args ...any) {
	found, _, _ := strings.Cut(fmt.Sprint(args...), "plan:")
	found, _, _ = strings.Cut(found, "\nfrom:")
	fmt.Println(strings.TrimSpace(found))
}

// halfway is a canary of 4 pods that is to have 1 new one, with a surge of 1.
func halfway() argo.Snapshot {
	replicas, share, index := int32(4), int32(25), int32(0)
	old := argo.ReplicaSet{Name: "web-v1", Hash: "v1", DesiredReplicas: &replicas, Size: argo.Size{Replicas: 4, StatusReplicas: 4, AvailableReplicas: 4}}
	fresh := argo.ReplicaSet{Name: "web-v2", Hash: "v2", DesiredReplicas: &replicas}
	return argo.Snapshot{
		Rollout: argo.Rollout{
			Name: "web", TemplateHash: "v2", Replicas: &replicas, MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0), Steps: []argo.Step{{SetWeight: &share}},
			Status: argo.Status{CurrentPodHash: "v2", StableRS: "v1", CurrentStepIndex: &index},
		},
		Sets: []argo.ReplicaSet{old, fresh},
	}
}

// eager forgets the steps and the surge: it creates all new pods at once.
func eager(s argo.Snapshot, now time.Time, opts argo.Options) (argo.Plan, error) {
	p, err := argo.Reconcile(s, now, opts)
	for i, a := range p.Actions {
		if a, ok := a.(argo.ScaleReplicaSet); ok && a.To > a.From {
			a.To = *s.Rollout.Replicas
			p.Actions[i] = a
		}
	}
	return p, err
}

// In a test, t is its *testing.T, and the planner is yours.
func ExampleCheck() {
	t := printer{}
	rollouttest.Check(t, argo.Reconcile)
	fmt.Println("nothing found")
	// Output: nothing found
}

// A planner that has no repairs, and reports little, is held to what it does.
func ExampleOnly() {
	t := printer{}
	none := rapid.Just(kruise.Options{})
	rollouttest.Check(t, kruise.Reconcile, rollouttest.Only("steps in order", "manual pause"), rollouttest.Over(rollouttest.Truthful|rollouttest.Midway), rollouttest.With(none))
	fmt.Println("nothing found")
	// Output: nothing found
}

// A property runs under any number of cases, and as a fuzz target:
//
//	func FuzzPlanner(f *testing.F) { f.Fuzz(rapid.MakeFuzz(rollouttest.Property(planner))) }
func ExampleProperty() {
	t := printer{}
	rapid.Check(t, rollouttest.Property(kruise.Reconcile, rollouttest.Only("timed pause")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleMachine() {
	t := printer{}
	rapid.Check(t, rollouttest.Machine(argo.Reconcile, rollouttest.Except("everything explained")))
	fmt.Println("nothing found")
	// Output: nothing found
}

func ExampleCheckPass() {
	t := printer{}
	plan, err := eager(halfway(), rollouttest.Now(), argo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rollouttest.CheckPass(t, rollouttest.ArgoPass{Snapshot: halfway(), Now: rollouttest.Now(), Plan: plan})
	// Output:
	// rollouttest:
	//     surge bound: 8 pods wanted, at most max(4+1, 4)+0
}

// A controller that writes objects has no plan. What it has written is enough.
func ExampleCheckChange() {
	t := printer{}
	after := halfway() // or what a fake client holds by now
	after.Sets[1].Replicas = 4
	rollouttest.CheckChange(t, rollouttest.Change{Before: halfway(), After: after, Now: rollouttest.Now()})
	// Output:
	// rollouttest:
	//     bounds after every prefix: 8 pods wanted, at most max(4+1, 4)+0
	//     surge bound: 8 pods wanted, at most max(4+1, 4)+0
}

// A release is looked at as a whole: it is over, and an old pod is left.
func ExampleCheckTrace() {
	t := printer{}
	replicas := int32(4)
	view := rollouttest.View{At: rollouttest.Now(), New: 3, Old: 1, NewReady: 3, Available: 4}
	view.Rollout.Status.Phase, view.Workload.Replicas = kruise.PhaseProgressing, &replicas
	over := view
	over.Rollout.Status.Phase = kruise.PhaseHealthy
	rollouttest.CheckTrace(t, rollouttest.Trace{Views: []rollouttest.View{view, over}, Fair: true}, rollouttest.Strict(), rollouttest.Only("end of a release"))
	// Output:
	// rollouttest:
	//     end of a release: view 2: the release is over with 3 new and 1 old pods
}

// The generators are there for tests of your own.
func ExampleSnapshots() {
	t := printer{}
	rapid.Check(t, func(t *rapid.T) {
		s := rollouttest.Snapshots[argo.Snapshot](rollouttest.CaughtUp|rollouttest.Midway).Draw(t, "snapshot")
		opts := rollouttest.Options[argo.Options]().Draw(t, "options")
		if _, err := argo.Reconcile(s, rollouttest.Now(), opts); err != nil {
			t.Fatal(err)
		}
	})
	fmt.Println("all are planned for")
	// Output: all are planned for
}

func ExampleNames() {
	fmt.Println(rollouttest.Names()[8:11])
	// Output: [timed pause steps in order new template restarts]
}
