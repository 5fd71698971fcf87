// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

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
