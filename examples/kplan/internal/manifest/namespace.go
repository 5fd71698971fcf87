// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A namespace holds the pods and ReplicaSets of a namespace.
type namespace struct {
	pods     []podorder.Pod
	families map[types.UID][]*heldSet // by the UID of the controller
	owned    map[string]int           // number of pods, by the UID of the controller

	last     string // controller of siblings: callers ask for one after the other
	siblings []replicaset.ReplicaSet
}

// drop releases and forgets the ReplicaSets of a controller.
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

// hasPodsOf reports whether the input has the pods of a ReplicaSet: some of its pods, or only other
// pods if its status reports no pods.
func (n *namespace) hasPodsOf(rs *heldSet) bool {
	return n.owned[string(rs.uid)] > 0 || rs.replicas == 0 && len(n.pods) > 0
}
