// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// oneOfTwo is a ReplicaSet that wants two pods and has one.
func oneOfTwo() *replicaset.Tracker {
	t := &replicaset.Tracker{}
	_ = t.Apply(replicaset.Delta{
		ReplicaSet: &replicaset.ReplicaSet{Name: "web", UID: "r1", Replicas: number(2)},
		Pod:        added("a"),
	})
	return t
}

func added(name string) replicaset.PodEvent {
	return replicaset.PodEvent{New: &podorder.Pod{Name: name, UID: "uid-" + name, ControllerUID: "r1", NodeName: "n1", Phase: podorder.Running}}
}

var soon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// An update of a pod that nobody has added is refused, and changes nothing.
func ExampleTracker_Apply() {
	web := oneOfTwo()
	fmt.Println(web.Apply(replicaset.Delta{Pod: added("b")}), len(web.Snapshot().Pods))
	c := added("c")
	c.Old = c.New
	fmt.Println(web.Apply(replicaset.Delta{Pod: c}))
	// Output:
	// <nil> 2
	// Pod.New.Name: "c": must be that of a pod that has been added and not removed
}

// The deletion of pod a was lost. The next list of the cache has the pods b and c.
func ExampleTracker_Replace() {
	web := oneOfTwo()
	s := web.Snapshot()
	s.Pods = []podorder.Pod{*added("b").New, *added("c").New}
	fmt.Println(web.Replace(s))
	for _, p := range web.Snapshot().Pods {
		fmt.Println(p.Name)
	}
	// Output:
	// <nil>
	// b
	// c
}

func ExampleTracker_Plan() {
	web := oneOfTwo()
	fmt.Println(web.Plan(soon, replicaset.Options{}))
	// Output:
	// Created 1 pods (TooFew) <nil>
}

// Changes of a clone do not change the original.
func ExampleTracker_Clone() {
	web := oneOfTwo()
	whatIf := web.Clone()
	_ = whatIf.Apply(replicaset.Delta{Pod: added("b")})
	fmt.Println(len(whatIf.Snapshot().Pods), len(web.Snapshot().Pods))
	// Output: 2 1
}

func ExampleTracker_Snapshot() {
	web := oneOfTwo()
	s := web.Snapshot()
	fmt.Println(s.ReplicaSet.Name, s.Pods[0].Name, len(s.Pods))
	// Output: web a 1
}

// The pod could not be created: nothing is expected, and the status says why.
func ExampleTracker_Pass() {
	web := oneOfTwo()
	pass, _ := web.Pass(soon, replicaset.Options{})
	result := pass.Finish(replicaset.Report{Creates: []kplan.Outcome{{Answer: kplan.Failed, Err: fmt.Errorf("no room")}}})
	fmt.Println(result.Err, result.Status.Conditions[0].Type)
	// Output: no room ReplicaFailure
}
