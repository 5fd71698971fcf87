// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
)

// tracked is the log agent on three nodes, followed by a Tracker.
func tracked() *daemonset.Tracker {
	t, s := &daemonset.Tracker{}, logs()
	_ = t.Apply(daemonset.Delta{DaemonSet: &s.DaemonSet, Revisions: s.Revisions})
	for i := range s.Nodes {
		_ = t.Apply(daemonset.Delta{Node: daemonset.NodeEvent{New: &s.Nodes[i]}})
	}
	for i := range s.Pods {
		_ = t.Apply(daemonset.Delta{Pod: daemonset.PodEvent{New: &s.Pods[i]}})
	}
	return t
}

// An update of a node that nobody has added is refused, and changes nothing.
func ExampleTracker_Apply() {
	agent := tracked()
	d := daemonset.Node{Name: "node-d"}
	fmt.Println(agent.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: &d, New: &d}}))
	fmt.Println(agent.Apply(daemonset.Delta{Node: daemonset.NodeEvent{New: &d}}), len(agent.Snapshot().Nodes))
	// Output:
	// Node.New.Name: "node-d": must be that of a node that has been added and not removed
	// <nil> 4
}

// The deletion of the first node was lost. The next list of the cache does not have it.
func ExampleTracker_Replace() {
	agent, s := tracked(), logs()
	s.Nodes = s.Nodes[1:]
	fmt.Println(agent.Replace(s))
	for _, n := range agent.Snapshot().Nodes {
		fmt.Println(n.Name)
	}
	// Unordered output:
	// <nil>
	// node-b
	// node-c
}

func ExampleTracker_Plan() {
	agent := tracked()
	fmt.Println(agent.Plan(noon, daemonset.Options{}))
	// Output:
	// Created pod on node node-c (Missing) <nil>
}

// What is asked of a clone changes nothing in what it was cloned from.
func ExampleTracker_Clone() {
	agent := tracked()
	whatIf := agent.Clone()
	gone := daemonset.Node{Name: "node-c"}
	_ = whatIf.Apply(daemonset.Delta{Node: daemonset.NodeEvent{Old: &gone}})
	fmt.Println(whatIf.Plan(noon, daemonset.Options{}))
	fmt.Println(len(agent.Snapshot().Nodes))
	// Output:
	// nothing to do <nil>
	// 3
}

func ExampleTracker_Snapshot() {
	agent := tracked()
	s := agent.Snapshot()
	fmt.Println(s.DaemonSet.Name, len(s.Nodes), len(s.Pods))
	// Output: logs 3 2
}

// The pod could not be created, and an event says so.
func ExampleTracker_Pass() {
	agent := tracked()
	pass, _ := agent.Pass(noon, daemonset.Options{})
	result := pass.Finish(daemonset.Report{Outcomes: []kplan.Outcome{{Answer: kplan.Failed, Err: fmt.Errorf("no room")}}})
	fmt.Println(result.Events[0].Reason, len(result.Errs))
	// Output: FailedCreate 1
}
