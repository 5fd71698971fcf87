// SPDX-License-Identifier: Apache-2.0

package scheduler_test

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/selector"
)

// Two nodes with room for two pods each are filled one after the other.
func ExampleBinPack() {
	n := scheduler.New([]cluster.Node{
		{Node: daemonset.Node{Name: "a"}, Room: []int64{2}},
		{Node: daemonset.Node{Name: "b"}, Room: []int64{2}},
	}, 1)
	for _, name := range []string{"web-1", "web-2", "web-3", "web-4", "web-5"} {
		p := scheduler.Pod{Pod: &podorder.Pod{Name: name, UID: name}, Template: cluster.Template{Needs: []int64{1}}}
		node := scheduler.BinPack(p, n)
		fmt.Printf("%s: %q\n", name, node)
		n.Take(p, node)
	}
	// Output:
	// web-1: "a"
	// web-2: "a"
	// web-3: "b"
	// web-4: "b"
	// web-5: ""
}

// Pods of an app keep apart: two of them are not on one node.
func ExampleNodes_Fits() {
	n := scheduler.New([]cluster.Node{
		{Node: daemonset.Node{Name: "a", Labels: map[string]string{"kubernetes.io/hostname": "a"}}},
		{Node: daemonset.Node{Name: "b", Labels: map[string]string{"kubernetes.io/hostname": "b"}}},
	}, 0)
	web := map[string]string{"app": "web"}
	apart := cluster.Template{PodAntiAffinity: []cluster.PodTerm{{
		Selector: &selector.LabelSelector{MatchLabels: web}, TopologyKey: "kubernetes.io/hostname",
	}}}
	n.Take(scheduler.Pod{Pod: &podorder.Pod{Name: "web-1", UID: "1", Labels: web}, Template: apart}, "a")

	next := scheduler.Pod{Pod: &podorder.Pod{Name: "web-2", UID: "2", Labels: web}, Template: apart}
	fmt.Println(n.Fits(0, next), n.Fits(1, next))
	fmt.Println(n.Why(0, next))
	n.Release("1")
	fmt.Println(n.Fits(0, next), n.Fits(1, next))
	// Output:
	// false true
	// PodAntiAffinity
	// true true
}

// A pod that fits no node, and why.
func ExampleNodes_Explain() {
	taint := daemonset.Taint{Key: "dedicated", Value: "db", Effect: daemonset.NoSchedule}
	n := scheduler.New([]cluster.Node{
		{Node: daemonset.Node{Name: "a"}, Room: []int64{1000}},
		{Node: daemonset.Node{Name: "b"}, Room: []int64{1500}},
		{Node: daemonset.Node{Name: "c"}, Room: []int64{8000}, Cordoned: true},
		{Node: daemonset.Node{Name: "d", Taints: []daemonset.Taint{taint}}, Room: []int64{8000}},
	}, 1)
	p := scheduler.Pod{Pod: &podorder.Pod{Name: "web-1", UID: "1"}, Template: cluster.Template{Needs: []int64{2000}}}
	e := n.Explain(p)
	for _, r := range e.Refusals {
		fmt.Println(r.Reason, r.Nodes)
	}
	fmt.Println(e.Text([]string{"cpu"}))
	// Output:
	// Insufficient 2
	// TaintNotTolerated 1
	// Unschedulable 1
	// 0/4 nodes are available: 2 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.
}
