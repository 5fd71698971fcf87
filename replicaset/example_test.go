// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// number returns a pointer to n: a field that is nil is not set.
func number(n int32) *int32 { return &n }

func Example() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	running := func(name string, ready bool) podorder.Pod {
		return podorder.Pod{
			Name: name, UID: name, ControllerUID: "r1", NodeName: "n1", Phase: podorder.Running,
			Ready: ready, ReadySince: noon.Add(-time.Hour), CreationTimestamp: noon.Add(-time.Hour),
		}
	}
	plan, err := replicaset.Reconcile(replicaset.Snapshot{
		ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "r1", Replicas: number(1)},
		Pods:       []podorder.Pod{running("a", true), running("b", false)},
	}, noon, replicaset.Options{})
	fmt.Println(plan, err)
	fmt.Println(plan.Status)
	// Output:
	// Deleted pod: b (TooMany) <nil>
	// 2 replicas, 1 ready, 1 available
}

// A ready pod counts as available only after minReadySeconds; the plan says when.
func ExampleReconcile_waiting() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	plan, _ := replicaset.Reconcile(replicaset.Snapshot{
		ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "r1", MinReadySeconds: 30},
		Pods: []podorder.Pod{{
			Name: "a", ControllerUID: "r1", NodeName: "n1", Phase: podorder.Running, Ready: true, ReadySince: noon.Add(-10 * time.Second),
		}},
	}, noon, replicaset.Options{})
	fmt.Println(plan)
	fmt.Println("look again at", plan.RecheckAt.Format(time.TimeOnly))
	// Output:
	// held back: NotAvailable (0 of 1)
	// look again at 12:00:20
}

// A whole scale-down: five pods, one of them an orphan that the selector selects, and
// two wanted. The pods go, one call fails, and the next pass makes up for it.
func Example_scaleDown() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	labels := map[string]string{"app": "web"}
	s := replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{
		Name: "web", UID: "r1", Replicas: number(2), Selector: &selector.LabelSelector{MatchLabels: labels},
	}}
	for i, name := range []string{"a", "b", "c", "d", "orphan"} {
		p := podorder.Pod{
			Name: name, UID: name, Labels: labels, ControllerUID: "r1", NodeName: "n1", Phase: podorder.Running,
			Ready: true, ReadySince: noon.Add(-time.Duration(i) * 10 * time.Minute), CreationTimestamp: noon.Add(-time.Hour),
		}
		if name == "orphan" {
			p.ControllerUID = ""
		}
		s.Pods = append(s.Pods, p)
	}
	for pass := 1; ; pass++ {
		p, _ := replicaset.NewPass(s, noon, replicaset.Options{})
		plan := p.Plan
		fmt.Printf("pass %d:\n%v\n", pass, plan)
		if len(plan.Actions) == 0 {
			break
		}
		report := replicaset.Report{Expectations: plan.Expect(s.Expectations, noon)}
		for _, a := range plan.Actions {
			outcome := kplan.Outcome{Answer: kplan.Done}
			switch a := a.(type) {
			case replicaset.AdoptPod:
				s.Pods[4].ControllerUID = a.Reference.UID
				report.Claims = append(report.Claims, outcome)
			case replicaset.DeletePod:
				if pass == 1 && len(report.Deletes) == 1 {
					outcome = kplan.Outcome{Answer: kplan.Failed, Err: errors.New("timeout")}
				} else {
					s.Pods = slices.DeleteFunc(s.Pods, func(p podorder.Pod) bool { return p.UID == a.UID })
				}
				report.Deletes = append(report.Deletes, outcome)
			}
		}
		result := p.Finish(report)
		fmt.Println("error:", result.Err, "- still to be seen:", result.Expectations.Pending)
		s.Expectations, s.ReplicaSet.Status = result.Expectations, result.Status
		for _, name := range s.Expectations.Pending {
			s.Expectations = s.Expectations.DeletionObserved(name)
		}
	}
	// Output:
	// pass 1:
	// Adopted pod: orphan (Orphan)
	// Deleted pod: a (TooMany)
	// Deleted pod: b (TooMany)
	// Deleted pod: c (TooMany)
	// error: unable to delete pods: timeout - still to be seen: [a c]
	// pass 2:
	// Deleted pod: b (TooMany)
	// error: <nil> - still to be seen: [b]
	// pass 3:
	// nothing to do
}

// Each event is applied once, and the next plan counts one pod. A clone answers what-if questions.
func ExampleTracker() {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var web replicaset.Tracker
	_ = web.Apply(replicaset.Delta{ReplicaSet: &replicaset.ReplicaSet{Name: "web", UID: "r1", Replicas: number(1)}})
	pod := podorder.Pod{Name: "a", UID: "u1", ControllerUID: "r1", NodeName: "n1", Phase: podorder.Running}
	_ = web.Apply(replicaset.Delta{Pod: replicaset.PodEvent{New: &pod}})
	fmt.Println(web.Plan(noon, replicaset.Options{}))

	ready := pod
	ready.Ready, ready.ReadySince = true, noon
	_ = web.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: &pod, New: &ready}})
	fmt.Println(web.Plan(noon, replicaset.Options{}))

	whatIf := web.Clone()
	_ = whatIf.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: &ready}})
	fmt.Println(whatIf.Plan(noon, replicaset.Options{}))
	fmt.Println(web.Apply(replicaset.Delta{Pod: replicaset.PodEvent{Old: &podorder.Pod{Name: "b"}, New: &podorder.Pod{Name: "b"}}}))
	// Output:
	// held back: NotReady (0 of 1) <nil>
	// nothing to do <nil>
	// Created 1 pods (TooFew) <nil>
	// Pod.New.Name: "b": must be that of a pod that has been added and not removed
}
