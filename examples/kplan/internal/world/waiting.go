// SPDX-License-Identifier: Apache-2.0

package world

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// Waiting returns a sentence for each ReplicaSet, set and DaemonSet of the workload with pods that
// wait for a node at the end: their number, and why no node takes them, close to the words of the
// scheduler. It also returns one for each whose pods the API server refuses.
func (r *Run) Waiting(namespace string) (texts []string) {
	report := r.Report()
	if report.Waiting == 0 && len(report.Refused) == 0 {
		return nil
	}
	w := r.waits()
	tell := func(name, uid string, wanted int32, explain func([]waitingPod) scheduler.Explanation, nodes ...string) {
		if !r.owns(uid) {
			return
		}
		name = strings.TrimPrefix(name, namespace+"/")
		if pods := w.pods[uid]; len(pods) > 0 {
			if why := explain(pods); why.Fit == 0 && why.Nodes > 0 {
				texts = append(texts, waitText(name, len(pods), nodes)+why.Text(w.Resources))
			}
		}
		if why := report.Refused[uid]; why != "" && w.owned[uid] < wanted {
			texts = append(texts, refusedText(name, why))
		}
	}
	for i := range w.ReplicaSets {
		rs := &w.ReplicaSets[i]
		tell(rs.Name, rs.UID, orOne(rs.Replicas), w.anywhere, "a node", "a node")
	}
	for i := range w.Sets {
		o := &w.Sets[i]
		tell(o.Name, o.UID, o.DesiredReplicas(), w.anywhere, "a node", "a node")
	}
	for _, d := range r.View().DaemonSets() {
		tell(d.Name, d.UID, d.Status.DesiredNumberScheduled, w.onTheirNodes, "its node", "their nodes")
	}
	return texts
}

// waitText returns the text about the waiting pods of a workload. Nodes are the words for the node
// of one pod and of several.
func waitText(name string, pods int, nodes []string) string {
	if pods == 1 {
		return fmt.Sprintf("1 pod of %s waits for %s: ", name, nodes[0])
	}
	return fmt.Sprintf("%d pods of %s wait for %s: ", pods, name, nodes[1])
}

// anywhere explains why no node takes the first of the pods of a workload.
func (w *waiting) anywhere(pods []waitingPod) scheduler.Explanation {
	return w.nodes.Explain(pods[0].Pod)
}

// onTheirNodes explains why pinned pods do not fit on their nodes.
func (w *waiting) onTheirNodes(pods []waitingPod) scheduler.Explanation {
	to := map[string]scheduler.Pod{}
	for _, p := range pods {
		to[p.node] = p.Pod
	}
	return w.nodes.ExplainPinned(to)
}

// refusedText returns the text about the API server's refusal of pods of a workload, without the
// name of a pod.
func refusedText(name, why string) string {
	if _, after, ok := strings.Cut(why, " is forbidden: "); ok {
		why = after
	}
	return fmt.Sprintf("pods of %s are refused: %s", name, why)
}

// A waiting holds the pods of a snapshot that wait for a node.
type waiting struct {
	cluster.Snapshot
	nodes *scheduler.Nodes
	pods  map[string][]waitingPod // by the UID of their controller
	owned map[string]int32        // number of pods that have not finished, by the same UID
}

type waitingPod struct {
	scheduler.Pod
	node string // the node of a pinned pod, or ""
}

// waitingIn returns the waiting pods of a world.
func waitingIn(world *sim.World) *waiting {
	w := &waiting{Snapshot: world.Snapshot(), pods: map[string][]waitingPod{}, owned: map[string]int32{}}
	w.nodes = scheduler.New(w.Nodes, len(w.Resources))
	template := templatesOf(&w.Snapshot)
	for i := range w.Pods {
		w.add(&w.Pods[i], template(&w.Pods[i]), "")
	}
	for i := range w.DaemonPods {
		p := &w.DaemonPods[i]
		w.add(&p.Pod, w.Templates[p.Labels[daemonset.LabelHash]], p.PinnedNode)
	}
	return w
}

// add adds a pod. Node is the node of a pinned pod.
func (w *waiting) add(p *podorder.Pod, t cluster.Template, node string) {
	pod := scheduler.Pod{Pod: p, Template: t}
	if !p.Finished() {
		w.owned[p.ControllerUID]++
	}
	switch {
	case p.Finished():
	case p.NodeName != "":
		w.nodes.Take(pod, p.NodeName)
	case !w.Held[p.Name].Unplaced && !t.Unplaceable:
		w.pods[p.ControllerUID] = append(w.pods[p.ControllerUID], waitingPod{pod, node})
	}
}
