// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Two pods were requested: until the cache shows them, no further pod is created.
func ExampleExpectCreations() {
	e := replicaset.ExpectCreations(2, noon)
	fmt.Println(e.Fulfilled(), e.CreationObserved().Fulfilled(), e.CreationObserved().CreationObserved().Fulfilled())
	// Output: false false true
}

// A name counts once, however often the deletion of the pod shows.
func ExampleExpectDeletions() {
	e := replicaset.ExpectDeletions([]string{"b", "a", "b"}, noon)
	fmt.Println(e.Deletions, e.Pending)
	// Output: 2 [a b]
}

func ExampleExpectations_CreationObserved() {
	e := replicaset.ExpectCreations(3, noon).CreationObserved()
	fmt.Println(e.Creations, "more to be seen")
	// Output: 2 more to be seen
}

// The deletion of a pod that nobody asked for changes nothing.
func ExampleExpectations_DeletionObserved() {
	e := replicaset.ExpectDeletions([]string{"a", "b"}, noon)
	fmt.Println(e.DeletionObserved("a").Pending, e.DeletionObserved("c").Pending)
	// Output: [b] [a b]
}

// Three creations were expected, and the last call failed: it will never be seen.
func ExampleExpectations_Lower() {
	fmt.Println(replicaset.ExpectCreations(3, noon).Lower(1, 0).Creations)
	// Output: 2
}

func ExampleExpectations_Raise() {
	e := replicaset.ExpectCreations(3, noon).Raise(2, 1)
	fmt.Println(e.Creations, e.Deletions)
	// Output: 5 1
}

func ExampleExpectations_Fulfilled() {
	fmt.Println(replicaset.Expectations{}.Fulfilled(), replicaset.ExpectCreations(1, noon).Fulfilled())
	// Output: true false
}

// After five minutes the planner goes on all the same.
func ExampleExpectations_Satisfied() {
	e := replicaset.ExpectCreations(1, noon)
	fmt.Println(e.Satisfied(noon.Add(5*time.Minute)), e.Satisfied(noon.Add(5*time.Minute+time.Nanosecond)))
	// Output: false true
}

func ExampleExpectations_Remaining() {
	e := replicaset.ExpectCreations(1, noon)
	fmt.Println(e.Remaining(noon.Add(2*time.Minute)).Round(time.Second), e.CreationObserved().Remaining(noon))
	// Output: 3m0s 0s
}

func ExampleExpectations_Equal() {
	a, b := replicaset.ExpectCreations(1, noon), replicaset.ExpectCreations(2, noon)
	fmt.Println(a.Equal(b), a.Equal(b.CreationObserved()))
	// Output: false true
}

// The expectations of a plan are stored before its writes are made.
func ExamplePlan_Expect() {
	s, now := shop(5)
	plan, _ := replicaset.Reconcile(s, now, replicaset.Options{})
	fmt.Println(plan, "-", plan.Expect(s.Expectations, now).Creations, "expected")
	// Output: Created 3 pods (TooFew) - 3 expected
}

// A ReplicaSet with the same name and another UID is another ReplicaSet.
func ExampleNeedsForget() {
	before, after := replicaset.ReplicaSet{Name: "web", UID: "r1"}, replicaset.ReplicaSet{Name: "web", UID: "r2"}
	fmt.Println(replicaset.NeedsForget(&before, &before), replicaset.NeedsForget(&before, &after), replicaset.NeedsForget(&before, nil))
	// Output: false true true
}

// A new pod is one that its ReplicaSet has created, and an orphan concerns all that select it.
func ExampleEffects() {
	labels := map[string]string{"app": "web"}
	sets := []replicaset.ReplicaSet{{Name: "web", UID: "r1", Selector: selector.FromLabels(labels)}, {Name: "api", UID: "r2"}}
	for _, pod := range []podorder.Pod{{Name: "a", ControllerUID: "r1"}, {Name: "orphan", Labels: labels}} {
		for _, e := range replicaset.Effects(replicaset.PodEvent{New: &pod}, sets) {
			fmt.Println(pod.Name, "concerns", e.Name, "created:", e.Created, "plan now:", e.Reconcile)
		}
	}
	// Output:
	// a concerns web created: true plan now: true
	// orphan concerns web created: false plan now: true
}

// Versions are numbers of any length: 10 is newer than 9.
func ExampleCompareVersions() {
	fmt.Println(replicaset.CompareVersions("10", "9"))
	_, ok := replicaset.CompareVersions("10", "v9")
	fmt.Println(ok)
	// Output:
	// 1 true
	// false
}

// A pod was written as version 120, and the cache has read up to 110.
func ExampleVersions_Check() {
	v := replicaset.Versions{}.WrotePod("r1", "120")
	fmt.Println(v.Check(replicaset.Versions{OwnerUID: "r1", Pods: "110"}) != nil)
	fmt.Println(v.Check(replicaset.Versions{OwnerUID: "r1", Pods: "120"}))
	// Output:
	// true
	// <nil>
}

// The highest version counts, and another ReplicaSet starts anew.
func ExampleVersions_WrotePod() {
	v := replicaset.Versions{}.WrotePod("r1", "120").WrotePod("r1", "115")
	fmt.Println(v.Pods, v.WrotePod("r2", "101").Pods)
	// Output: 120 101
}

func ExampleVersions_WroteStatus() {
	v := replicaset.Versions{}.WrotePod("r1", "120").WroteStatus("r1", "121")
	fmt.Println(v.Pods, v.ReplicaSets)
	// Output: 120 121
}
