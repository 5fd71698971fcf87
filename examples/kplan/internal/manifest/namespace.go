// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A namespace is the pods and ReplicaSets of one.
type namespace struct {
	pods     []podorder.Pod
	families map[string][]replicaset.ReplicaSet // by the UID of the controller
	owned    map[string]int                     // pods, by the UID of the controller
}

// namespaces sorts pods and ReplicaSets by namespace. Every namespace of a
// Deployment has an entry.
func (l *loader) namespaces() map[string]*namespace {
	all := map[string]*namespace{}
	of := func(name string) *namespace {
		if all[name] == nil {
			all[name] = &namespace{families: map[string][]replicaset.ReplicaSet{}, owned: map[string]int{}}
		}
		return all[name]
	}
	for _, d := range l.deployments {
		of(d.object.Namespace)
	}
	for _, rs := range slices.Concat(l.replicaSets, l.controllers) {
		r := snapshotOf(rs.object)
		families := of(rs.object.Namespace).families
		families[r.ControllerUID] = append(families[r.ControllerUID], r)
	}
	for _, p := range l.pods {
		n, pod := of(p.object.Namespace), kube.Pod(p.object)
		n.pods = append(n.pods, pod)
		n.owned[pod.ControllerUID]++
	}
	return all
}

// snapshot returns the input of the planner of a ReplicaSet of the namespace.
func (n *namespace) snapshot(rs replicaset.ReplicaSet) replicaset.Snapshot {
	s := replicaset.Snapshot{ReplicaSet: rs, Pods: n.pods}
	if rs.ControllerUID != "" {
		s.Siblings = slices.DeleteFunc(slices.Clone(n.families[rs.ControllerUID]), func(other replicaset.ReplicaSet) bool {
			return other.Name == rs.Name && other.Kind == rs.Kind
		})
	}
	return s
}

// hasPodsOf reports whether the input holds the pods of a ReplicaSet: some of them,
// or pods of others while it reports none of its own.
func (n *namespace) hasPodsOf(rs *replicaset.ReplicaSet) bool {
	return n.owned[rs.UID] > 0 || rs.Status.Replicas == 0 && len(n.pods) > 0
}

// PodSnapshots returns the inputs of the planner of the ReplicaSets that the
// Deployment controls, of those whose pods are in the input.
func (w *Workload) PodSnapshots() []replicaset.Snapshot {
	var snapshots []replicaset.Snapshot
	for _, rs := range w.Controlled() {
		if r := kube.ReplicaSet(rs); w.namespace.hasPodsOf(&r) {
			snapshots = append(snapshots, w.namespace.snapshot(r))
		}
	}
	return snapshots
}
