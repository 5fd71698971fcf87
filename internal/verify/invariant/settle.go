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

// A model describes one planner for the checks of all planners.
type model[S, O, P any] struct {
	lists   []string // lists of the snapshot without an order
	actions func(p *P) []fmt.Stringer
	// apply carries out actions, or none if a precondition of one fails.
	apply func(s *S, actions []fmt.Stringer, now time.Time) error
	// finish writes the results of a plan that are not actions: status and tables.
	finish func(s *S, p *P)
	// settle brings a fair cluster to its state at the next pass, at now.
	settle func(s *S, now time.Time)
	// counts returns a text with the spec, the counts that the planner controls, and the recorded
	// values that decide the next counts.
	counts func(s *S, now time.Time) string
	// ends returns the guaranteed part of the end of a run, whatever prefix of the plan p came
	// first.
	ends func(p *Pass[S, O, P], s *S) string
	// bound returns the largest number of passes from s to rest.
	bound func(s *S, o O) int
	// within returns the bounds of the pass that a later state violates by more than slack pods.
	within func(p *Pass[S, O, P], after *S, slack int64) []string
	// first reports whether an action must precede all others, so that every part of a plan
	// contains it.
	first func(a fmt.Stringer) bool
	// strictly is set if each action depends on the earlier ones.
	strictly bool
	// blind adds to s the memory of a controller that has made p and has not seen its effects yet.
	blind func(s *S, p *P, now time.Time)
	// moves returns the number of pods that a plan creates, deletes or updates, and creations the
	// number of creations that a second plan would repeat.
	moves     func(p *P) int64
	creations func(p *P) int64
	// unseen reports whether the effect of an action does not appear in the snapshot.
	unseen func(a fmt.Stringer) bool
	// lost reports whether a known defect lets a crash lead to another end.
	lost func(p *Pass[S, O, P]) bool
	// endless and repeats report whether a known defect makes plans endless, or repeats actions.
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

// settleDeployment brings every ReplicaSet to its size, with all pods available.
func settleDeployment(s *deploy.Snapshot, _ time.Time) {
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		n := int32(sizeOf(rs))
		rs.Status.ObservedGeneration = rs.Generation
		rs.Status.Replicas, rs.Status.FullyLabeledReplicas, rs.Status.ReadyReplicas, rs.Status.AvailableReplicas = n, n, n, n
		rs.Status.TerminatingReplicas = new(int32)
	}
	s.Pods = nil // pods that the statuses do not count are gone
}

func countsOfDeployment(s *deploy.Snapshot, _ time.Time) string {
	var parts []string
	for i := range s.ReplicaSets {
		rs := &s.ReplicaSets[i]
		part := fmt.Sprintf("%s[%s]=%d/%d/%d", rs.Name, rs.ControllerUID, sizeOf(rs), rs.Status.Replicas, rs.Status.AvailableReplicas)
		if sizeOf(rs) > 0 { // a scaling may restore sizes once: the rollout takes the shares away again
			part += " of " + rs.Annotations[revision.AnnotationDesired]
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return s.Deployment.Template.ID + " " + strings.Join(parts, " ")
}

// endsOfDeployment returns the sizes other than 0, since only the history limit decides which empty
// sets remain. For paused and partitioned Deployments it returns a constant: rounding and available
// pods decide how replicas are distributed.
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

// settleReplicaSet makes all pods ready and available.
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

// settleDaemonSet does the work of the scheduler and the kubelet: pods are bound to their nodes,
// deleted pods disappear, containers run their images, and pods with open readiness gates become
// ready.
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

// countsOfDaemonSet includes orphans, since they may be adopted, and the number of nodes in the
// last status, since percentages may refer to it.
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

// endsOfDaemonSet returns every pod if the update covers all nodes and no node has several pods.
// Otherwise the order of events decides which nodes are updated and which of several pods stays:
// then it returns the desired nodes that have a pod, or none of them for a progressive update,
// which may leave nodes without pods.
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

// choosesDead reports whether there are more dead nodes than may be skipped: the nodes that are
// ready first then decide which keep their old pods.
func (v *daemonView) choosesDead() bool {
	dead := 0
	for i := range v.nodes {
		if v.nodes[i].dead {
			dead++
		}
	}
	return v.o.SkipDeadNodes > 0 && dead > int(v.o.SkipDeadNodes)
}

// crowded reports whether a node has several pods, or a pod belongs to a missing node.
func (v *daemonView) crowded() bool {
	return len(v.missing) > 0 || slices.ContainsFunc(v.nodes, func(n daemonsOn) bool { return len(n.pods) > 1 })
}
