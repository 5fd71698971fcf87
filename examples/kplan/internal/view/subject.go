// SPDX-License-Identifier: Apache-2.0

package view

// Subject returns the Deployment.
func (p Plan) Subject() Subject { return deployment(p.Namespace, p.Snapshot.Deployment.Name) }

// Subject returns the Deployment.
func (c Comparison) Subject() Subject { return deployment(c.Namespace, c.Name) }

// Subject returns the Deployment.
func (u Undo) Subject() Subject { return deployment(u.Namespace, u.Name) }

// Subject returns the DaemonSet.
func (u DaemonUndo) Subject() Subject { return daemonSet(u.Namespace, u.Name, false) }

// Subject returns the Deployment or DaemonSet.
func (h History) Subject() Subject {
	if h.Daemon {
		return daemonSet(h.Namespace, h.Name, h.Advanced)
	}
	return deployment(h.Namespace, h.Name)
}

// Subject returns the DaemonSet.
func (p DaemonPlan) Subject() Subject {
	return daemonSet(p.Namespace, p.Snapshot.DaemonSet.Name, p.Advanced)
}

// Subject returns the ReplicaSet or ReplicationController.
func (p ReplicaPlan) Subject() Subject { return replicaSet(p.Kind, p.Namespace, p.Name) }

// Subject returns the ReplicaSet or ReplicationController.
func (o Order) Subject() Subject { return replicaSet(o.Kind, o.Namespace, o.Name) }

// Subject returns the Rollout.
func (p RolloutPlan) Subject() Subject {
	return kruiseRollout(p.Namespace, p.Snapshot.Rollout.Name)
}

// Subject returns the Rollout.
func (p ArgoPlan) Subject() Subject { return argoRollout(p.Namespace, p.Snapshot.Rollout.Name) }

// Subject returns the Rollout.
func (h ArgoHistory) Subject() Subject { return argoRollout(h.Namespace, h.Name) }

// Subject returns the Rollout.
func (u ArgoUndo) Subject() Subject { return argoRollout(u.Namespace, u.Name) }

// Drives returns the workload of the Rollout, without its group.
func (p RolloutPlan) Drives() Subject {
	ref := &p.Snapshot.Rollout.WorkloadRef
	return Subject{Kind: ref.Kind, Namespace: p.Namespace, Name: ref.Name}
}
