// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/daemonset"
)

// The pod of a node fails again and again: it is deleted after a second, then after two,
// then after four.
func ExampleBackoff_Advance() {
	key := daemonset.BackoffKey{UID: "d1", Generation: 1, Node: "node-a"}
	var b daemonset.Backoff
	for i := range 3 {
		b = b.Advance(key, noon.Add(time.Duration(i)*time.Minute))
		fmt.Println(b.Delay(key))
	}
	// Output:
	// 1s
	// 2s
	// 4s
}

// A new generation of the DaemonSet starts afresh.
func ExampleBackoff_Delay() {
	key := daemonset.BackoffKey{UID: "d1", Generation: 1, Node: "node-a"}
	b := daemonset.Backoff{}.Advance(key, noon)
	fmt.Println(b.Delay(key))
	key.Generation = 2
	fmt.Println(b.Delay(key))
	// Output:
	// 1s
	// 0s
}

func ExampleBackoff_Until() {
	key := daemonset.BackoffKey{UID: "d1", Generation: 1, Node: "node-a"}
	b := daemonset.Backoff{}.Advance(key, noon)
	until, ok := b.Until(key, noon)
	fmt.Println(until.Format(time.TimeOnly), ok)
	_, ok = b.Until(key, noon.Add(time.Minute))
	fmt.Println(ok)
	// Output:
	// 12:00:01 true
	// false
}

// A node is forgotten when its pod has not failed for half an hour.
func ExampleBackoff_Sweep() {
	b := daemonset.Backoff{}.Advance(daemonset.BackoffKey{UID: "d1", Node: "node-a"}, noon)
	fmt.Println(len(b.Sweep(noon.Add(29*time.Minute))), len(b.Sweep(noon.Add(31*time.Minute))))
	// Output: 1 0
}

// A table that a caller has put together is sorted once, before it is used.
func ExampleBackoff_Sorted() {
	b := daemonset.Backoff{
		{BackoffKey: daemonset.BackoffKey{UID: "d1", Node: "node-b"}, Delay: time.Second, Since: noon},
		{BackoffKey: daemonset.BackoffKey{UID: "d1", Node: "node-a"}, Delay: 2 * time.Second, Since: noon},
	}
	for _, e := range b.Sorted() {
		fmt.Println(e.Node, e.Delay)
	}
	// Output:
	// node-a 2s
	// node-b 1s
}

func ExampleNewTrigger() {
	d := logs().DaemonSet
	_, err := daemonset.NewTrigger(&d, daemonset.Options{})
	fmt.Println(err)
	d.Selector.MatchLabels["app"] = "a b"
	_, err = daemonset.NewTrigger(&d, daemonset.Options{})
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// true
}

// A new node needs a pod. One that has its pod and gets a label starts no plan, one that
// may not keep it does.
func ExampleTrigger_Node() {
	d := logs().DaemonSet
	t, _ := daemonset.NewTrigger(&d, daemonset.Options{})
	old, changed := daemonset.Node{Name: "node-a"}, daemonset.Node{Name: "node-a", Labels: map[string]string{"rack": "7"}}
	fmt.Println(t.Node(nil, &changed, false), t.Node(&old, &changed, true))
	changed.Taints = []daemonset.Taint{{Key: "maintenance", Effect: daemonset.NoExecute}}
	fmt.Println(t.Node(&old, &changed, true))
	// Output:
	// true false
	// true
}

// Its own pods start a plan, and those of another owner do not.
func ExampleTrigger_Pod() {
	s := logs()
	t, _ := daemonset.NewTrigger(&s.DaemonSet, daemonset.Options{})
	foreign := s.Pods[0]
	foreign.ControllerUID = "d9"
	fmt.Println(t.Pod(nil, &s.Pods[0]), t.Pod(nil, &foreign), t.Pod(&s.Pods[0], nil))
	// Output: true false true
}
