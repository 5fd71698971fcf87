// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A model is what checks that hold for every planner know about one of them.
type model[S, O, P any] struct {
	lists   []string // of the snapshot, in any order
	actions func(p *P) []fmt.Stringer
	// apply carries out actions, or none if a precondition of one fails.
	apply func(s *S, actions []fmt.Stringer, now time.Time) error
	// finish writes what is not an action: status and tables.
	finish func(s *S, p *P)
	// settle is what a fair cluster does until the next pass, at now.
	settle func(s *S, now time.Time)
	// counts is a text of the spec and the counts that the planner controls, and of what
	// it has noted that decides which counts come next.
	counts func(s *S, now time.Time) string
	// ends is what is promised of the end of a run, whatever prefix of the plan p came
	// first.
	ends func(p *Pass[S, O, P], s *S) string
	// bound is how many passes lead from s to rest.
	bound func(s *S, o O) int
	// within returns the bounds of the pass that a later state breaks by more than
	// slack pods.
	within func(p *Pass[S, O, P], after *S, slack int64) []string
	// first tells whether an action has to be carried out before all others, so that no
	// part of a plan is without it.
	first func(a fmt.Stringer) bool
	// strictly tells that the actions depend on each other in their order.
	strictly bool
	// blind makes of s what a controller plans with that has made p and has not seen
	// anything of it yet, but remembers that it has.
	blind func(s *S, p *P, now time.Time)
	// moves is how many pods a plan creates, deletes or updates. Creations are those
	// that a second plan would make again.
	moves     func(p *P) int64
	creations func(p *P) int64
	// unseen tells that the effect of an action is not in the snapshot.
	unseen func(a fmt.Stringer) bool
	// lost tells that by a known defect a crash may lead to another end.
	lost func(p *Pass[S, O, P]) bool
	// endless and repeats tell that a known defect makes plans forever, or again.
	endless func(s *S, o O) bool
	repeats func(s *S, o O) bool
}

func texts[A fmt.Stringer](actions []A) []fmt.Stringer {
	all := make([]fmt.Stringer, len(actions))
	for i, a := range actions {
		all[i] = a
	}
	return all
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// settleDeployment lets every ReplicaSet reach its size, with all pods available.
func settleDeployment(s *deploy.Snapshot, _ time.Time) {
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		n := int32(sizeOf(rs))
		rs.Status.ObservedGeneration = rs.Generation
		rs.Status.Replicas, rs.Status.FullyLabeledReplicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = n, n, n, n
		rs.Status.TerminatingReplicas = new(int32)
	}
	s.Pods = nil // those of other sizes than the status tells are gone
}

func countsOfDeployment(s *deploy.Snapshot, _ time.Time) string {
	var parts []string
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		part := fmt.Sprintf("%s[%s]=%d/%d/%d", rs.Name, rs.ControllerUID, sizeOf(rs), rs.Status.Replicas, rs.Status.AvailableReplicas)
		if sizeOf(rs) > 0 { // sizes may come back once in each scaling, which gives shares that the rollout takes away
			part += " of " + rs.Annotations[revision.AnnotationDesired]
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return s.Deployment.Template.ID + " " + strings.Join(parts, " ")
}

// endsOfDeployment is the sizes that are not 0, which of the empty sets the history keeps
// aside; and nothing for Deployments whose rollout rests: how they share out replicas is
// decided by rounding, and by what is available at the time.
func endsOfDeployment(_ *DeploymentPass, s *deploy.Snapshot) string {
	if s.Deployment.Paused || s.Deployment.Partitioned != nil {
		return "at rest"
	}
	var parts []string
	for i := range s.ReplicaSets {
		if rs := &s.ReplicaSets[i]; sizeOf(rs) > 0 {
			parts = append(parts, fmt.Sprintf("%s[%s]=%d", rs.Name, rs.ControllerUID, sizeOf(rs)))
		}
	}
	slices.Sort(parts)
	return s.Deployment.Template.ID + " " + strings.Join(parts, " ")
}

// settleReplicaSet makes all pods ready, and available.
func settleReplicaSet(s *replicaset.Snapshot, now time.Time) {
	s.Pods = slices.DeleteFunc(s.Pods, func(p podorder.Pod) bool { return !p.DeletionTimestamp.IsZero() })
	for i := range s.Pods {
		if p := &s.Pods[i]; runs(p) && !p.Ready {
			p.NodeName, p.Phase, p.Ready, p.ReadySince = "n", podorder.Running, true, now
		}
	}
}

func countsOfReplicaSet(s *replicaset.Snapshot, now time.Time) string {
	c := podsOfSet(s, replicaset.Options{}, now)
	return fmt.Sprintf("%d of %d, %d ready, %d available", c.active, sizeOf(&s.ReplicaSet), c.ready, c.available)
}

// settleDaemonSet is the scheduler and the kubelet: pods are bound to the nodes that they
// are pinned to, those that are to go are gone, containers run their images, and pods
// whose gates are open become ready.
func settleDaemonSet(s *daemonset.Snapshot, now time.Time) {
	s.Pods = slices.DeleteFunc(s.Pods, func(p daemonset.Pod) bool { return !p.DeletionTimestamp.IsZero() })
	for i := range s.Pods {
		p := &s.Pods[i]
		p.Containers = slices.Clone(p.Containers)
		for c := range p.Containers {
			p.Containers[c].Status = &inplace.ContainerStatus{Image: p.Containers[c].Image, ImageID: "id-" + p.Containers[c].Image, Ready: true}
		}
		if p.NodeName == "" {
			p.NodeName = p.PinnedNode
		}
		closed := p.InPlace != nil && !p.InPlace.True
		if runs(&p.Pod) && !p.Ready && !closed && p.NodeName != "" {
			p.Ready, p.ReadySince, p.Phase = true, now, podorder.Running
		}
	}
}

// countsOfDaemonSet counts orphans, too, since adoption makes pods of them; and the nodes
// of the last status, of which shares may be taken.
func countsOfDaemonSet(s *daemonset.Snapshot, _ time.Time) string {
	var parts []string
	for i := range s.Pods {
		p := &s.Pods[i]
		if p.ControllerUID == s.DaemonSet.UID || p.ControllerUID == "" {
			part := fmt.Sprintf("%s=%s/%v/%v/%v%s", daemonNode(p), p.Labels[daemonset.LabelHash], p.Phase, p.Ready,
				p.DeletionTimestamp.IsZero(), p.Labels[daemonset.LabelState])
			if p.ControllerUID == "" {
				part += "/orphan"
			}
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return fmt.Sprint(s.DaemonSet.Template.Hash, " of ", s.DaemonSet.Status.DesiredNumberScheduled, " ", strings.Join(parts, " "))
}

// daemonNode returns the node that a pod is bound or pinned to.
func daemonNode(p *daemonset.Pod) string {
	if p.NodeName != "" {
		return p.NodeName
	}
	return p.PinnedNode
}

// endsOfDaemonSet is every pod, where nothing is left out of the update and no node is
// crowded. Otherwise the order of what happens decides which nodes are updated and which pod
// of several stays: then it is the nodes where pods should run that have one; but for a
// progressive update, which keeps pods from nodes.
func endsOfDaemonSet(p *DaemonSetPass, s *daemonset.Snapshot) string {
	d, v := &s.DaemonSet, daemonsOf(p)
	leavesOut := !d.Partition.IsZero() || d.NodeSelector != nil || d.Paused || d.PreDelete != nil || p.Options.PartitionCreatesOld
	if !leavesOut && !v.crowded() && !v.choosesDead() {
		return countsOfDaemonSet(s, time.Time{})
	}
	var nodes []string
	for i := range s.Pods {
		if n := v.byName[daemonNode(&s.Pods[i])]; s.Pods[i].ControllerUID == d.UID && n != nil && n.run && !d.Progressive {
			nodes = append(nodes, n.name)
		}
	}
	slices.Sort(nodes)
	return "pods on " + strings.Join(slices.Compact(nodes), " ")
}

// choosesDead tells that there are more dead nodes than may be passed over: which of them keep
// their old pods is a matter of which are ready in time.
func (v *daemonView) choosesDead() bool {
	dead := 0
	for i := range v.nodes {
		if v.nodes[i].dead {
			dead++
		}
	}
	return v.o.SkipDeadNodes > 0 && dead > int(v.o.SkipDeadNodes)
}

// crowded tells that a node has several pods, or that a pod is on none that is there.
func (v *daemonView) crowded() bool {
	return len(v.missing) > 0 || slices.ContainsFunc(v.nodes, func(n daemonsOn) bool { return len(n.pods) > 1 })
}
