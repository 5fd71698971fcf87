// SPDX-License-Identifier: Apache-2.0

package daemonset

import "math"

// A Daemon is a DaemonSet as those ask about it who add nodes: where its pods belong, and
// what one of them requests. It is compiled once, and then asked about many nodes.
type Daemon struct {
	Placer Placer
	// Requests is what a pod requests of its node, by resource, in whole numbers of any
	// unit, such as thousandths of a CPU and bytes.
	Requests map[string]int64
}

// Overhead returns what the pods of all daemons that should run on a node request of it
// together, and how many they are. The node need not exist: an autoscaler asks about one that
// it may add, with the name, labels and taints that it is going to have.
//
// A node does not have to have room for them: the controller creates a pod that does not fit,
// too, and it waits. Sums that do not fit are cut off. Taints that a node has only while it
// starts keep pods off for no longer than that, and those who ask leave them out; a label
// that it gets later on has to be there. Without a name, a template that names its node
// excludes the node, and conditions of an affinity on the name hold.
//
// The requests are added up in into, which is emptied before, so that a map which is used
// again and again costs no allocation; nil makes one.
//
// Whether a pod belongs on a node is what NodeShouldRunDaemonPod of the daemon package of
// Kubernetes 1.37 says.
func Overhead(daemons []Daemon, n *Node, into map[string]int64) (requests map[string]int64, pods int) {
	if into == nil {
		into = map[string]int64{}
	}
	clear(into)
	for i := range daemons {
		d := &daemons[i]
		if !d.Placer.Place(n).ShouldRun {
			continue
		}
		pods++
		for resource, amount := range d.Requests {
			into[resource] = sum(into[resource], amount)
		}
	}
	return into, pods
}

// sum adds two numbers, up to the largest and down to the smallest that there is.
func sum(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
