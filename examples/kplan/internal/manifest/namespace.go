// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A namespace is the pods and ReplicaSets of one.
type namespace struct {
	pods     []podorder.Pod
	families map[types.UID][]*heldSet // by the UID of the controller
	owned    map[string]int           // pods, by the UID of the controller

	last     string // controller whose family is below: one after the other is looked at
	siblings []replicaset.ReplicaSet
}

// namespaces sorts pods and ReplicaSets by namespace, once. Every namespace of a
// Deployment has an entry.
func (l *loader) namespaces() map[string]*namespace {
	if l.byNamespace == nil {
		l.byNamespace = l.sortByNamespace()
	}
	return l.byNamespace
}

func (l *loader) sortByNamespace() map[string]*namespace {
	all := map[string]*namespace{}
	of := func(name string) *namespace {
		if all[name] == nil {
			all[name] = &namespace{families: map[types.UID][]*heldSet{}, owned: map[string]int{}}
		}
		return all[name]
	}
	for _, d := range l.deployments {
		of(d.object.namespace)
	}
	for _, rs := range slices.Concat(l.replicaSets, l.controllers) {
		families, controller := of(rs.object.namespace).families, rs.object.controller
		families[controller] = append(families[controller], rs.object)
	}
	for _, p := range l.pods {
		n, pod := of(p.object.Namespace), kube.Pod(p.object)
		n.pods = append(n.pods, pod)
		n.owned[pod.ControllerUID]++
	}
	return all
}

// drop gives away the ReplicaSets of a controller.
func (n *namespace) drop(controller types.UID) {
	n.forget(controller)
	delete(n.families, controller)
}

// forget closes the ReplicaSets of a controller.
func (n *namespace) forget(controller types.UID) {
	for _, rs := range n.families[controller] {
		rs.close()
	}
	n.last, n.siblings = "", nil
}

// snapshot returns the input of the planner of a ReplicaSet of the namespace.
func (n *namespace) snapshot(rs replicaset.ReplicaSet) replicaset.Snapshot {
	s := replicaset.Snapshot{ReplicaSet: rs, Pods: n.pods}
	if rs.ControllerUID != "" {
		s.Siblings = slices.DeleteFunc(slices.Clone(n.family(rs.ControllerUID)), func(other replicaset.ReplicaSet) bool {
			return other.Name == rs.Name && other.Kind == rs.Kind
		})
	}
	return s
}

// family returns the ReplicaSets of a controller.
func (n *namespace) family(controller string) []replicaset.ReplicaSet {
	if n.last != controller {
		n.last, n.siblings = controller, nil
		for _, rs := range n.families[types.UID(controller)] {
			n.siblings = append(n.siblings, snapshotOf(rs.open()))
		}
	}
	return n.siblings
}

// hasPodsOf reports whether the input holds the pods of a ReplicaSet: some of them,
// or pods of others while it reports none of its own.
func (n *namespace) hasPodsOf(rs *heldSet) bool {
	return n.owned[string(rs.uid)] > 0 || rs.replicas == 0 && len(n.pods) > 0
}

// PodSnapshots returns the inputs of the planner of the ReplicaSets that the
// Deployment controls, of those whose pods are in the input.
func (w *Workload) PodSnapshots() []replicaset.Snapshot {
	var snapshots []replicaset.Snapshot
	for _, rs := range w.sets {
		if controls(w.Deployment, rs.open()) && w.namespace.hasPodsOf(rs) {
			snapshots = append(snapshots, w.namespace.snapshot(kube.ReplicaSet(rs.open())))
		}
	}
	return snapshots
}
