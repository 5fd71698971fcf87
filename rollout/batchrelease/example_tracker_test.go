// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/workload"
)

// followed is the shop, followed by a Tracker, with one pod of the new template.
func followed() (t batchrelease.Tracker) {
	s := shop()
	_ = t.Apply(batchrelease.Delta{Rest: &s})
	_ = t.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{New: &workload.Pod{Name: "web-a", TemplateHash: "7d4c"}}})
	return t
}

// A pod that nobody has added cannot change.
func ExampleTracker_Apply() {
	web := followed()
	b := workload.Pod{Name: "web-b", TemplateHash: "7d4c"}
	fmt.Println(web.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{Old: &b, New: &b}}))
	fmt.Println(web.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{New: &b}}), len(web.Snapshot().Pods))
	// Output:
	// Pod.New.Name: "web-b": must be that of a pod that has been added and not removed
	// <nil> 2
}

// The new pod is one of the two of the first batch.
func ExampleTracker_Plan() {
	web := followed()
	plan, err := web.Plan(noon, batchrelease.Options{})
	label := plan.Actions[1].(batchrelease.LabelPod)
	fmt.Println(label.Name, label.Labels[workload.LabelBatchID], err)
	// Output: web-a 1 <nil>
}

// What is asked of a clone changes nothing in what it was cloned from.
func ExampleTracker_Clone() {
	web := followed()
	whatIf := web.Clone()
	_ = whatIf.Apply(batchrelease.Delta{Pod: batchrelease.PodEvent{Old: &workload.Pod{Name: "web-a"}}})
	fmt.Println(len(whatIf.Snapshot().Pods), len(web.Snapshot().Pods))
	// Output: 0 1
}

func ExampleTracker_Snapshot() {
	web := followed()
	s := web.Snapshot()
	fmt.Println(s.Workload.Ref.Name, s.Pods[0].Name)
	// Output: web web-a
}
