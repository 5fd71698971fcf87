// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// A Change is an event of a Deployment, a ReplicaSet or a pod, as informers deliver it.
type Change struct {
	Deployment DeploymentEvent
	ReplicaSet ReplicaSetEvent
	Pod        replicaset.PodEvent
}

// A DeploymentEvent is a change of one Deployment: an addition if Old is nil, a deletion if
// New is, and an update otherwise.
type DeploymentEvent struct {
	Old, New *Deployment
}

// Effects returns the names of the Deployments to plan for after a change. Pass the
// Deployments and ReplicaSets of the namespace from the caches. It reads Name, UID, Selector
// and Strategy of Deployments, and UID and ControllerUID of ReplicaSets. Objects without a
// UID or selector that the event refers to may be left out. Name and Reconcile of a
// [replicaset.Effect] are set.
//
//   - A Deployment concerns itself, even if an update changes nothing.
//   - A ReplicaSet concerns its controller, and its former controller if that is another one.
//     A new orphan, or an orphan with changed labels or controller, concerns all Deployments
//     that select it, since one of them may adopt it. An update with the same resource version
//     is a repetition and concerns none.
//   - A pod that is gone concerns the Deployment of its ReplicaSet if the strategy is
//     Recreate: the Deployment may have waited for this pod. No other event of a pod
//     concerns a Deployment.
//
// It mirrors addDeployment, updateDeployment, deleteDeployment, addReplicaSet,
// updateReplicaSet, deleteReplicaSet and deletePod of the deployment controller of Kubernetes.
func Effects(c Change, deployments []Deployment, replicaSets []replicaset.ReplicaSet) []replicaset.Effect {
	r := routing{deployments: deployments}
	r.concerns(cmp.Or(c.Deployment.New, c.Deployment.Old))
	r.replicaSet(c.ReplicaSet.Old, c.ReplicaSet.New)
	if c.Pod.New == nil && c.Pod.Old != nil {
		r.podGone(c.Pod.Old, replicaSets)
	}
	slices.Sort(r.names)
	var effects []replicaset.Effect
	for _, name := range slices.Compact(r.names) {
		effects = append(effects, replicaset.Effect{Name: name, Reconcile: true})
	}
	return effects
}

// A routing collects the names of the Deployments that a change concerns.
type routing struct {
	deployments []Deployment
	names       []string
}

func (r *routing) replicaSet(before, after *replicaset.ReplicaSet) {
	switch {
	case before == nil && after == nil:
	case after == nil:
		r.concerns(r.controller(before))
	case before == nil:
		if r.concerns(r.controller(after)); after.ControllerUID == "" && after.DeletionTimestamp.IsZero() {
			r.orphaned(after)
		}
	case before.ResourceVersion == after.ResourceVersion && before.ResourceVersion != "":
	default:
		r.concerns(r.controller(before))
		r.concerns(r.controller(after))
		if after.ControllerUID == "" && (before.ControllerUID != "" || !maps.Equal(before.Labels, after.Labels)) {
			r.orphaned(after)
		}
	}
}

// podGone adds the Deployment that waits until the pods of its ReplicaSets are gone.
func (r *routing) podGone(p *podorder.Pod, replicaSets []replicaset.ReplicaSet) {
	i := slices.IndexFunc(replicaSets, func(rs replicaset.ReplicaSet) bool { return rs.UID == p.ControllerUID })
	if i < 0 || p.ControllerUID == "" {
		return
	}
	if d := r.controller(&replicaSets[i]); d != nil && d.Strategy == Recreate {
		r.concerns(d)
	}
}

// controller returns the Deployment that controls a ReplicaSet, or nil.
func (r *routing) controller(rs *replicaset.ReplicaSet) *Deployment {
	for i := range r.deployments {
		if d := &r.deployments[i]; rs.ControllerUID != "" && d.UID == rs.ControllerUID {
			return d
		}
	}
	return nil
}

// concerns adds a Deployment, if it is not nil.
func (r *routing) concerns(d *Deployment) {
	if d != nil {
		r.names = append(r.names, d.Name)
	}
}

// orphaned adds the Deployments that select a ReplicaSet.
func (r *routing) orphaned(rs *replicaset.ReplicaSet) {
	for i := range r.deployments {
		if s, err := selector.FromLabelSelector(r.deployments[i].Selector); err == nil && s.Selects(rs.Labels) {
			r.concerns(&r.deployments[i])
		}
	}
}
