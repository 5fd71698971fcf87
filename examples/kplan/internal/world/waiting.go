// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// Waiting says, in a sentence for each ReplicaSet and DaemonSet of the workload, how many of its pods wait for a
// node at the end, and why none takes them, near the words of the scheduler.
func (r *Run) Waiting(namespace string) (texts []string) {
	if r.Report().Waiting == 0 {
		return nil
	}
	say := func(name string, pods int, one, more string, why scheduler.Explanation, resources []string) {
		if why.Fit > 0 || why.Nodes == 0 {
			return
		}
		name = strings.TrimPrefix(name, namespace+"/")
		head := fmt.Sprintf("%d pods of %s wait for %s", pods, name, more)
		if pods == 1 {
			head = fmt.Sprintf("1 pod of %s waits for %s", name, one)
		}
		texts = append(texts, fmt.Sprintf("%s: %s", head, why.Text(resources)))
	}
	w := r.waits()
	for i := range w.ReplicaSets {
		rs := &w.ReplicaSets[i]
		if pods := w.pods[rs.UID]; len(pods) > 0 && r.owns(rs.UID) {
			say(rs.Name, len(pods), "a node", "a node", w.nodes.Explain(pods[0].Pod), w.Resources)
		}
	}
	for _, d := range r.View().DaemonSets() {
		if !r.owns(d.UID) {
			continue
		}
		to := map[string]scheduler.Pod{}
		for _, p := range w.pods[d.UID] {
			to[p.node] = p.Pod
		}
		say(d.Name, len(to), "its node", "their nodes", w.nodes.ExplainPinned(to), w.Resources)
	}
	return texts
}

// A waiting is the pods of a snapshot that wait for a node.
type waiting struct {
	cluster.Snapshot
	nodes     *scheduler.Nodes
	templates map[string]cluster.Template // of ReplicaSets, by UID
	pods      map[string][]waitingPod     // by the UID of their controller
}

type waitingPod struct {
	scheduler.Pod
	node string // that is to take it; "" for any
}

// waitingIn returns the pods that wait in a world.
func waitingIn(world *sim.World) *waiting {
	w := &waiting{Snapshot: world.Snapshot(), templates: map[string]cluster.Template{}, pods: map[string][]waitingPod{}}
	w.nodes = scheduler.New(w.Nodes, len(w.Resources))
	for i := range w.ReplicaSets {
		w.templates[w.ReplicaSets[i].UID] = templateOf(w.Templates, &w.ReplicaSets[i])
	}
	for i := range w.Pods {
		w.add(&w.Pods[i], w.templates[w.Pods[i].ControllerUID], "", replicaset.Kind)
	}
	for i := range w.DaemonPods {
		p := &w.DaemonPods[i]
		w.add(&p.Pod, w.Templates[p.Labels[daemonset.LabelHash]], p.PinnedNode, daemonset.Kind)
	}
	return w
}

// add notes a pod, with the node that is to take it and the kind of its controller.
func (w *waiting) add(p *podorder.Pod, t cluster.Template, node, kind string) {
	pod := scheduler.Pod{Pod: p, Template: t}
	switch {
	case p.Finished():
	case p.NodeName != "":
		w.nodes.Take(pod, p.NodeName)
	case p.ControllerKind == kind && !w.Held[p.Name].Unplaced && !t.Unplaceable:
		w.pods[p.ControllerUID] = append(w.pods[p.ControllerUID], waitingPod{pod, node})
	}
}
