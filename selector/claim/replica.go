// SPDX-License-Identifier: Apache-2.0

package claim

import "github.com/kplan-go/kplan/internal/base/zero"

// DecideActive is [Decide] for the pods of a ReplicaSet or ReplicationController. These
// consider only pods in their namespace that have no controller or a controller with their
// UID, with any kind and name, and only active pods: a pod that is finished or being deleted
// is neither adopted nor released. A pod that would be kept but is being deleted gets
// ReasonTerminating, since it is counted.
//
// It mirrors FilterPodsByOwner, FilterActivePods and FilterClaimedPods of Kubernetes, except
// that the first also compares kind and name. With that comparison, an owner whose pods have
// another kind in their references would create pods in every pass.
func DecideActive(o *Owner, c *Child) Decision {
	o, c = zero.Or(o), zero.Or(c)
	controlled := c.Controlled()
	switch {
	case controlled && c.ControllerUID != o.UID:
		return Decision{Ignore, ReasonOwnedByOther}
	case c.Namespace != o.Namespace:
		return Decision{Ignore, ReasonOtherNamespace}
	case !c.Deleting && !c.Finished:
		return Decide(o, c)
	case controlled && !c.Finished && o.matches(c):
		return Decision{Ignore, ReasonTerminating}
	}
	return Decision{Ignore, ReasonInactive}
}
