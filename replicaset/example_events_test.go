// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"fmt"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

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
