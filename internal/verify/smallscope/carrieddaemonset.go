// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
)

// A daemonWrite is a write to a node: the planned creation, or the deletion of one of its
// pods.
type daemonWrite struct {
	node    nodeState
	deletes int8 // the number of the pod, or -1
}

// after returns a node after its planned creation, or after a deletion.
func (d *DaemonSets) after(n nodeState, deletes int8) nodeState {
	w := daemonWrite{n, deletes}
	return d.effects.of(w, func() nodeState { return d.carryOut(w) })
}

func (d *DaemonSets) carryOut(w daemonWrite) nodeState {
	var state daemonSetState
	state.nodes[0] = w.node
	var action daemonset.Action
	if k := w.deletes; k >= 0 {
		name := podName(nodeName(0), int(k))
		action = daemonset.DeletePod{Object: daemonset.Object{Name: name, UID: name}, Node: nodeName(0)}
	} else {
		action = daemonset.CreatePod{Node: nodeName(0), Hash: templateOf(w.node.create - 1).Hash}
	}
	one := *d
	one.Nodes = 1
	s, err := daemonset.Apply(one.snapshot(state), action, now)
	if err != nil {
		return w.node // refused
	}
	n := nodeState{create: w.node.create}
	for k, p := range s.Pods {
		pod := daemonPod{is: phaseOf([]podorder.Pod{p.Pod}, p.Name), template: int8(p.Labels[daemonset.LabelHash][0] - 'a')}
		if k < len(w.node.pods) {
			pod.deleted = w.node.pods[k].deleted
		}
		n.add(pod)
	}
	if k := w.deletes; k >= 0 {
		n.pods[k].deleted = false
	} else {
		n.create = 0
	}
	return n
}
