// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// What a write makes of an object is what Apply of its planner's package says. It is asked
// once for each write and each state of the one object that is written to.

// phaseOf returns how the pod with a name is.
func phaseOf(pods []podorder.Pod, name string) podPhase {
	i := slices.IndexFunc(pods, func(p podorder.Pod) bool { return p.Name == name })
	switch {
	case i < 0:
		return phaseGone
	case !pods[i].DeletionTimestamp.IsZero():
		return phaseEnding
	case pods[i].Ready:
		return phaseReady
	}
	return phaseFresh
}

// created returns how a pod is that a ReplicaSet has just created.
func created() podPhase {
	s, err := replicaset.Apply(replicaset.Snapshot{ReplicaSet: replicaset.ReplicaSet{Name: "web", UID: "web"}}, replicaset.CreatePods{Count: 1}, now)
	if err != nil || len(s.Pods) != 1 {
		return phaseGone
	}
	return phaseOf(s.Pods, s.Pods[0].Name)
}

// A podEffect is how a pod is after a write, which may have been refused.
type podEffect struct {
	to      podPhase
	refused bool
}

// deleted carries out the deletion of a pod.
func deleted(is podPhase) podEffect {
	pod := podOf("web", 0, is == phaseReady, is == phaseEnding)
	s := replicaset.Snapshot{}
	if is != phaseGone {
		s.Pods = []podorder.Pod{pod}
	}
	s, err := replicaset.Apply(s, replicaset.DeletePod{Name: pod.Name, UID: pod.UID}, now)
	return podEffect{phaseOf(s.Pods, pod.Name), err != nil}
}

// A deploymentStep is a write to a ReplicaSet, which has no pods here, or to the
// Deployment. Last is the highest rank that there is.
type deploymentStep struct {
	write deploymentWrite
	set   setState
	last  int8
}

// A deploymentEffect is what becomes of the ReplicaSet, or the revision of the Deployment.
type deploymentEffect struct {
	set      setState
	revision int8
	refused  bool
}

// after carries out a write, unless it is refused.
func (d *Deployments) after(s deploymentState, w deploymentWrite) (deploymentState, bool) {
	step, pods := deploymentStep{write: w, set: s.sets[w.set]}, s.sets[w.set].pods
	step.set.pods = deploymentPods{}
	for _, set := range s.sets {
		step.last = max(step.last, set.rank)
	}
	e := d.effects.of(step, func() deploymentEffect { return d.carryOut(step) })
	if e.refused {
		return s, false
	}
	if w.what == verbNumber {
		s.revision = e.revision
		return s, true
	}
	s.sets[w.set], s.sets[w.set].pods = e.set, pods
	return s, true
}

func (d *Deployments) carryOut(step deploymentStep) deploymentEffect {
	i := step.write.set
	v := deploymentView{template: i}
	v.sets[i] = step.set
	s, err := deploy.Apply(d.snapshot(v), d.actions[step.write], now.Add(time.Duration(step.last+1)*time.Second))
	if err != nil {
		return deploymentEffect{refused: true}
	}
	e := deploymentEffect{set: step.set, revision: number(s.Deployment.Annotations[revision.AnnotationRevision])}
	for _, rs := range s.ReplicaSets {
		e.set.rank, e.set.size = int8(rs.CreationTimestamp.Sub(now)/time.Second), int8(*rs.Replicas)
		e.set.desired, e.set.revision = number(rs.Annotations[revision.AnnotationDesired]), number(rs.Annotations[revision.AnnotationRevision])
		e.set.report.seen = rs.Status.ObservedGeneration == rs.Generation
	}
	return e
}

// A daemonWrite is a write to a node: the creation that is due there, or the deletion of
// one of its pods.
type daemonWrite struct {
	node    nodeState
	deletes int8 // the number of the pod, or -1
}

// after returns a node after the write that is due there.
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
