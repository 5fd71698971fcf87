// SPDX-License-Identifier: Apache-2.0

package daemonset

import "math"

// A Daemon is a DaemonSet for an autoscaler that adds nodes: where its pods belong, and the
// requests of one pod. It is compiled once, and then used for many nodes.
type Daemon struct {
	Placer Placer
	// Requests are the requests of a pod, by resource, in whole numbers of any unit, such as
	// thousandths of a CPU and bytes.
	Requests map[string]int64
}

// Overhead returns the total requests of the pods of all daemons that should run on a node,
// and the number of these pods. The node need not exist: an autoscaler passes the name, labels
// and taints of a node that it may add.
//
// A node may lack room for them: the controller creates a pod that does not fit, too, and it
// waits. Sums that overflow are cut off. Leave out taints that a node has only while it
// starts, since they keep pods off only until then; include labels that it gets later. Without
// a name, a template that names its node excludes the node, and conditions of an affinity on
// the name hold.
//
// The requests are added up in into, which is emptied first, so that a reused map costs no
// allocation; nil makes a map.
//
// Placement follows NodeShouldRunDaemonPod of the daemon package of Kubernetes 1.37.
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

// sum adds two numbers, and cuts the result off at the largest and smallest number.
func sum(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}
