// SPDX-License-Identifier: Apache-2.0

package daemonset

// A nodeKey is a node with the pods that belong to it, or only its name.
type nodeKey struct {
	name         string
	node         int32 // -1: there is no such node
	first, count int32 // its pods in grouped
	run, cont    bool  // should run, should continue running
}

// located is where the nodes and pods of an excerpt belong, as the Tracker has found out.
type located struct {
	keys []nodeKey // of the nodes
	of   []int32   // the nodes of the pods, -1 for a missing node
}

// add adds a node.
func (l *located) add(name string, run, cont bool) {
	l.keys = append(l.keys, nodeKey{name: name, node: int32(len(l.keys)), run: run, cont: cont})
}
