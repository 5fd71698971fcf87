// SPDX-License-Identifier: Apache-2.0

package invariant

// deployment returns the invariants of Deployments.
func deployment() []Invariant {
	wrap := []string{"deploy.ProductsWrapAround", "deploy.SumsWrapAround"}
	share := append([]string{"deploy.ScalingLosesShares", "deploy.RollbackCreatesAbandonedSet"}, wrap...)
	pass := func(f func(*DeploymentPass) []string) []check { return []check{on[DeploymentPass](f)} }
	return []Invariant{
		{Name: "surge bound", Title: "no more pods are wanted than replicas plus surge, or than before", Source: "upstream: NewRSNewReplicas",
			Corrected: true, Defects: share, checks: append(pass(surgeBound), on[ArgoPass](argoSurge))},
		{Name: "availability bound", Title: "a rolling update keeps the minimum of available pods, or as many as before", Source: "upstream: reconcileOldReplicaSets",
			Corrected: true, Defects: []string{"deploy.StatusAheadStopsCleanup", "deploy.ExcessAvailableCounts", "deploy.SumsWrapAround", "deploy.ScalingTakesAvailable"}, checks: pass(availabilityBound)},
		{Name: "rounding of limits", Title: "surge is rounded up, unavailable down, and both 0 mean 1 unavailable", Source: "upstream: ResolveFenceposts", checks: pass(roundingOfLimits)},
		{Name: "limits never both zero", Title: "limits of 0 and 0 are never both in force", Source: "upstream: validation", checks: pass(limitsNeverBothZero)},
		{Name: "proportional scaling", Title: "proportional scaling is exact, keeps shares within a pod and scales no set in the opposite direction", Source: "kubernetes#20273",
			Corrected: true, Defects: []string{"deploy.ProductsWrapAround", "deploy.ScalingLosesShares", "deploy.ScalingKeepsUnavailable"}, checks: pass(proportionalScaling)},
		{Name: "scaled to zero", Title: "at 0 replicas, every ReplicaSet is scaled to 0", Source: "upstream: scale",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround"}, checks: pass(scaledToZero)},
		{Name: "paused Deployment", Title: "while paused, nothing is created, rolled out or rolled back", Source: "upstream: sync while paused", checks: pass(pausedDeployment)},
		{Name: "Recreate waits for old pods", Title: "Recreate starts no pod before all old pods have ended", Source: "upstream: rolloutRecreate", checks: pass(recreateWaitsForOldPods)},
		{Name: "one new ReplicaSet", Title: "at most one ReplicaSet is new: the oldest with the template", Source: "kubernetes#40415",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround"}, checks: pass(oneNewReplicaSet)},
		{Name: "one active ReplicaSet in the end", Title: "in the end exactly one ReplicaSet is active", Source: "upstream e2e: rollover", checks: pass(oneActiveReplicaSetInTheEnd)},
		{Name: "unhealthy old pods first", Title: "unavailable old pods are deleted first, within the limits", Source: "kubernetes#16737",
			Corrected: true, Defects: []string{"deploy.StatusAheadStopsCleanup", "deploy.ExcessAvailableCounts"}, checks: pass(unhealthyOldPodsFirst)},
		{Name: "no stuck rollout", Title: "an update is never stuck while a step is permitted", Source: "cluster-api: DeadlockBreaker; lws#779",
			Corrected: true, Defects: []string{"deploy.StaleAnnotationBlocksRollout", "deploy.RecreateStuckAfterScaling", "deploy.StatusAheadStopsCleanup"}, checks: pass(noStuckRollout)},
		{Name: "progress deadline", Title: "the deadline is exceeded only after its time without progress, and never while paused", Source: "kubernetes#49637", checks: pass(progressDeadline)},
		{Name: "revisions grow", Title: "a new template gets a higher revision, and the history keeps the former ones", Source: "upstream: SetNewReplicaSetAnnotations", checks: pass(revisionsGrow)},
		{Name: "history limit", Title: "the history stays within its limit, and ReplicaSets with pods are kept", Source: "kubernetes#40068",
			Corrected: true, Defects: []string{"deploy.UsedSetsFillHistory", "deploy.CleanupDeletesStartedSet"}, checks: pass(historyLimit)},
		{Name: "hash collision", Title: "a hash collision raises the count by one, and an own ReplicaSet with the name is used", Source: "upstream e2e: HashCollision",
			checks: []check{on[Collision](hashCollision), on[DeploymentTrace](hashCollisionTrace)}},
		{Name: "rollback template", Title: "a rollback restores the template of its revision, and keeps the bookkeeping", Source: "upstream: rollbackToTemplate", checks: pass(rollbackTemplate)},
		{Name: "Deployment status recount", Title: "the counts of the status equal a recount", Source: "upstream: calculateStatus",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround", "deploy.UnavailableReplicasLag"}, checks: pass(deploymentStatusRecount)},
		{Name: "terminating pods policy", Title: "terminating pods count if the policy says so", Source: "KEP-5882", checks: pass(terminatingPodsPolicy)},
		{Name: "desired-replicas recorded", Title: "a scaled ReplicaSet records the desired and maximum replicas", Source: "kubernetes#102551",
			Corrected: true, Defects: []string{"deploy.StaleAnnotationBlocksRollout", "deploy.SumsWrapAround"}, checks: pass(desiredReplicasRecorded)},
		{Name: "interrupted scaling", Title: "an interrupted and changed scaling ends like an uninterrupted one", Source: "kubernetes#44734",
			Corrected: true, Defects: []string{"deploy.ScalingLosesShares"}, checks: []check{on[DeploymentPlanner](interruptedScaling)}},
		{Name: "sizes within int32", Title: "sizes are correct over the whole range of int32", Source: "kubernetes#128535",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround"}, checks: pass(sizesWithinInt32)},
	}
}
