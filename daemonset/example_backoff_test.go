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

// A new node needs a pod. One that has its pod and gets a label starts no plan, one that
// may not keep it does. Of pods the own ones are observed, and those of others are not.
func ExampleEffects() {
	s := logs()
	old, changed := daemonset.Node{Name: "node-a"}, daemonset.Node{Name: "node-a", Labels: map[string]string{"rack": "7"}}
	tell := func(c daemonset.Change) {
		effects := daemonset.Effects(c, []daemonset.DaemonSet{s.DaemonSet}, daemonset.Options{})
		fmt.Println(len(effects), "concerned, created:", len(effects) > 0 && effects[0].Created)
	}
	tell(daemonset.Change{Node: daemonset.NodeEvent{New: &changed}})
	tell(daemonset.Change{Node: daemonset.NodeEvent{Old: &old, New: &changed}, Bound: []string{s.DaemonSet.UID}})
	changed.Taints = []daemonset.Taint{{Key: "maintenance", Effect: daemonset.NoExecute}}
	tell(daemonset.Change{Node: daemonset.NodeEvent{Old: &old, New: &changed}, Bound: []string{s.DaemonSet.UID}})
	tell(daemonset.Change{Pod: daemonset.PodEvent{New: &s.Pods[0]}})
	// Output:
	// 1 concerned, created: false
	// 0 concerned, created: false
	// 1 concerned, created: false
	// 1 concerned, created: true
}
