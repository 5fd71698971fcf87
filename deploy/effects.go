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

// A Change holds events of a Deployment, a ReplicaSet and a pod, as informers deliver them. Usually
// only one of them is set. A zero event affects no Deployment.
type Change struct {
	Deployment DeploymentEvent
	ReplicaSet ReplicaSetEvent
	Pod        replicaset.PodEvent
}

// A DeploymentEvent is a change of one Deployment: an addition if Old is nil, a deletion if New is
// nil, an update if both are set, and no event if both are nil.
type DeploymentEvent struct {
	Old, New *Deployment
}

// Effects returns the Deployments to plan for after a change, sorted by name. It sets Name and
// Reconcile of each [replicaset.Effect].
//
// Pass the Deployments and ReplicaSets of the namespace from the caches. Effects reads the fields:
//
//	deployments            Name, UID, Selector, Strategy
//	replicaSets            UID, ControllerUID
//	the Deployment in c    Name
//	the ReplicaSet in c    Labels, ControllerUID, DeletionTimestamp, ResourceVersion
//	the pod in c           ControllerUID
//
// The arguments may leave out Deployments that neither control nor select the ReplicaSet in c or
// the controller of the pod in c, and ReplicaSets that do not control the pod in c.
//
//   - An event of a Deployment affects this Deployment, even if an update changes nothing.
//   - An event of a ReplicaSet affects the Deployment that controls it and, after an update, the
//     Deployment that controlled it before.
//   - A ReplicaSet without a controller affects all Deployments that select it, since one of them
//     may adopt it. This applies to an addition, unless the ReplicaSet is being deleted, and to an
//     update that removes the controller or changes the labels.
//   - An update of a ReplicaSet that keeps the resource version affects no Deployment, unless the
//     version is empty.
//   - The deletion of a pod affects the Deployment of its ReplicaSet if the strategy is
//     Recreate, since the Deployment may wait for this pod. No other event of a pod affects a
//     Deployment.
//
// It mirrors addDeployment, updateDeployment, deleteDeployment, addReplicaSet,
// updateReplicaSet, deleteReplicaSet and deletePod of the deployment controller of Kubernetes.
func Effects(c Change, deployments []Deployment, replicaSets []replicaset.ReplicaSet) []replicaset.Effect {
	r := affected{deployments: deployments}
	r.add(cmp.Or(c.Deployment.New, c.Deployment.Old))
	r.addForReplicaSet(c.ReplicaSet.Old, c.ReplicaSet.New)
	if c.Pod.New == nil && c.Pod.Old != nil {
		r.addForDeletedPod(c.Pod.Old, replicaSets)
	}
	slices.Sort(r.names)
	var effects []replicaset.Effect
	for _, name := range slices.Compact(r.names) {
		effects = append(effects, replicaset.Effect{Name: name, Reconcile: true})
	}
	return effects
}

// An affected holds the names of the Deployments that a change affects, while they are collected.
type affected struct {
	deployments []Deployment
	names       []string
}

// addForReplicaSet adds the Deployments that an event of a ReplicaSet affects.
func (r *affected) addForReplicaSet(before, after *replicaset.ReplicaSet) {
	switch {
	case before == nil && after == nil:
	case after == nil:
		r.add(r.controller(before))
	case before == nil:
		if r.add(r.controller(after)); after.ControllerUID == "" && after.DeletionTimestamp.IsZero() {
			r.addSelecting(after)
		}
	case before.ResourceVersion == after.ResourceVersion && before.ResourceVersion != "":
	default:
		r.add(r.controller(before))
		r.add(r.controller(after))
		if after.ControllerUID == "" && (before.ControllerUID != "" || !maps.Equal(before.Labels, after.Labels)) {
			r.addSelecting(after)
		}
	}
}

// addForDeletedPod adds the Deployment of a deleted pod if its strategy is Recreate.
func (r *affected) addForDeletedPod(p *podorder.Pod, replicaSets []replicaset.ReplicaSet) {
	i := slices.IndexFunc(replicaSets, func(rs replicaset.ReplicaSet) bool { return rs.UID == p.ControllerUID })
	if i < 0 || p.ControllerUID == "" {
		return
	}
	if d := r.controller(&replicaSets[i]); d != nil && d.Strategy == Recreate {
		r.add(d)
	}
}

// controller returns the Deployment that controls a ReplicaSet, or nil.
func (r *affected) controller(rs *replicaset.ReplicaSet) *Deployment {
	for i := range r.deployments {
		if d := &r.deployments[i]; rs.ControllerUID != "" && d.UID == rs.ControllerUID {
			return d
		}
	}
	return nil
}

// add adds a Deployment, if it is not nil.
func (r *affected) add(d *Deployment) {
	if d != nil {
		r.names = append(r.names, d.Name)
	}
}

// addSelecting adds the Deployments that select a ReplicaSet. An invalid selector selects none.
func (r *affected) addSelecting(rs *replicaset.ReplicaSet) {
	for i := range r.deployments {
		if s, err := selector.FromLabelSelector(r.deployments[i].Selector); err == nil && s.Selects(rs.Labels) {
			r.add(&r.deployments[i])
		}
	}
}
