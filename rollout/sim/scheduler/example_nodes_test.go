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

// two are nodes with 4 CPUs each.
func two() *scheduler.Nodes {
	return scheduler.New([]cluster.Node{
		{Node: daemonset.Node{Name: "a"}, Room: []int64{4}},
		{Node: daemonset.Node{Name: "b"}, Room: []int64{4}},
	}, 1)
}

// needs is a pod that needs so many CPUs.
func needs(name string, cpus int64) scheduler.Pod {
	return scheduler.Pod{Pod: &podorder.Pod{Name: name, UID: name}, Template: cluster.Template{Needs: []int64{cpus}}}
}

func ExampleNew() {
	n := two()
	fmt.Println(n.Len(), n.At(1).Name, n.Free(1, 0))
	// Output: 2 b 4
}

func ExampleNodes_Len() {
	n := two()
	n.Remove("a")
	fmt.Println(n.Len())
	// Output: 1
}

func ExampleNodes_At() {
	fmt.Println(two().At(1).Name, two().At(2) == nil)
	// Output: b true
}

func ExampleNodes_Index() {
	n := two()
	i, ok := n.Index("b")
	fmt.Println(i, ok)
	_, ok = n.Index("c")
	fmt.Println(ok)
	// Output:
	// 1 true
	// false
}

// A node that does not limit a resource has all that an int64 can hold.
func ExampleNodes_Free() {
	n := two()
	n.Take(needs("web-1", 3), "a")
	fmt.Println(n.Free(0, 0), n.Free(1, 0))
	n.Set(cluster.Node{Node: daemonset.Node{Name: "b"}})
	fmt.Println(n.Free(1, 0))
	// Output:
	// 1 4
	// 9223372036854775807
}

// A node is cordoned. Its pods stay.
func ExampleNodes_Set() {
	n := two()
	n.Take(needs("web-1", 3), "a")
	n.Set(cluster.Node{Node: daemonset.Node{Name: "a"}, Room: []int64{4}, Cordoned: true})
	fmt.Println(n.Free(0, 0), n.Why(0, needs("web-2", 1)))
	// Output: 1 Unschedulable
}

func ExampleNodes_Remove() {
	n := two()
	n.Remove("a")
	fmt.Println(n.At(0).Name)
	// Output: b
}

// A pod that was seen on a node counts there, though it does not fit.
func ExampleNodes_Take() {
	n := two()
	n.Take(needs("web-1", 6), "a")
	fmt.Println(n.Free(0, 0))
	n.Take(needs("web-1", 6), "b")
	fmt.Println(n.Free(0, 0), n.Free(1, 0))
	// Output:
	// -2
	// 4 -2
}

func ExampleNodes_Release() {
	n := two()
	n.Take(needs("web-1", 3), "a")
	n.Release("web-1")
	fmt.Println(n.Free(0, 0))
	// Output: 4
}

// A pod gets the label that another pod keeps away from.
func ExampleNodes_Relabel() {
	n := scheduler.New([]cluster.Node{{Node: daemonset.Node{Name: "a", Labels: map[string]string{"rack": "1"}}}}, 0)
	n.Take(needs("web-1", 0), "a")
	noisy := map[string]string{"noisy": "yes"}
	p := needs("db-1", 0)
	p.Template.PodAntiAffinity = []cluster.PodTerm{{Selector: &selector.LabelSelector{MatchLabels: noisy}, TopologyKey: "rack"}}
	fmt.Println(n.Fits(0, p))
	n.Relabel("web-1", noisy)
	fmt.Println(n.Fits(0, p))
	// Output:
	// true
	// false
}

func ExampleNodes_Why() {
	fmt.Println(two().Why(0, needs("web-1", 5)))
	// Output: Insufficient
}

func ExampleNodes_Short() {
	fmt.Println(two().Short(0, needs("web-1", 5)))
	// Output: [0]
}

// The controller of a DaemonSet has decided that its pod belongs on a cordoned node.
func ExampleNodes_FitsPinned() {
	n := two()
	n.Set(cluster.Node{Node: daemonset.Node{Name: "a"}, Room: []int64{4}, Cordoned: true})
	p := needs("agent-1", 1)
	fmt.Println(n.Fits(0, p), n.FitsPinned(0, p))
	// Output: false true
}

// A scheduler that takes nodes in turn asks for the first that fits from the next one on.
func ExampleNodes_First() {
	n := two()
	fmt.Println(n.First(0, needs("web-1", 1)), n.First(1, needs("web-1", 1)), n.First(2, needs("web-1", 1)))
	// Output: 0 1 -1
}

func ExampleExplanation_Text() {
	e := two().Explain(needs("web-1", 5))
	fmt.Println(e.Text([]string{"cpu"}))
	// Output: 0/2 nodes are available: 2 Insufficient cpu.
}

// Each pod of a DaemonSet has its node: cordons do not matter there, and room does.
func ExampleNodes_ExplainPinned() {
	e := two().ExplainPinned(map[string]scheduler.Pod{"a": needs("agent-1", 5), "gone": needs("agent-2", 1)})
	fmt.Println(e.Text([]string{"cpu"}))
	// Output: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) are not for the pod.
}
