// SPDX-License-Identifier: Apache-2.0

package invariant

// RunDeployment carries out plans in a fair cluster until nothing changes any more.
func RunDeployment(c *DeploymentPlanner) (DeploymentTrace, bool) {
	return deploymentModel.run(c, c.Snapshot, c.Now)
}

// RunDaemonSet is RunDeployment for a DaemonSet.
func RunDaemonSet(c *DaemonSetPlanner) (DaemonSetTrace, bool) {
	return daemonSetModel.run(c, c.Snapshot, c.Now)
}

// RunReplicaSet is RunDeployment for a ReplicaSet.
func RunReplicaSet(c *ReplicaSetPlanner) (ReplicaSetTrace, bool) {
	return replicaSetModel.run(c, c.Snapshot, c.Now)
}

// RunArgo is RunDeployment for a Rollout of Argo.
func RunArgo(c *ArgoPlanner) (ArgoTrace, bool) { return argoModel.run(c, c.Snapshot, c.Now) }
