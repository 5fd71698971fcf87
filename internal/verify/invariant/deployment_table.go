// SPDX-License-Identifier: Apache-2.0

package invariant

// deployment returns the invariants of Deployments.
func deployment() []Invariant {
	wrap := []string{"deploy.ProductsWrapAround", "deploy.SumsWrapAround"}
	share := append([]string{"deploy.ScalingLosesShares", "deploy.RollbackCreatesAbandonedSet"}, wrap...)
	pass := func(f func(*DeploymentPass) []string) []check { return []check{on[DeploymentPass](f)} }
	return []Invariant{
		{Name: "surge bound", Title: "no more pods are wanted than replicas and surge, or than before", Source: "upstream: NewRSNewReplicas",
			Corrected: true, Defects: share, checks: append(pass(surgeBound), on[ArgoPass](argoSurge))},
		{Name: "availability bound", Title: "a rolling update leaves the minimum available, or what is", Source: "upstream: reconcileOldReplicaSets",
			Corrected: true, Defects: []string{"deploy.StatusAheadStopsCleanup", "deploy.ExcessAvailableCounts", "deploy.SumsWrapAround", "deploy.ScalingTakesAvailable"}, checks: pass(availabilityBound)},
		{Name: "rounding of limits", Title: "surge is rounded up, unavailable down, and both 0 mean 1 unavailable", Source: "upstream: ResolveFenceposts", checks: pass(roundingOfLimits)},
		{Name: "limits never both zero", Title: "limits of 0 and 0 are never both in force", Source: "upstream: validation", checks: pass(limitsNeverBothZero)},
		{Name: "proportional scaling", Title: "proportional scaling is exact, keeps shares within a pod and moves no set against the whole", Source: "kubernetes#20273",
			Corrected: true, Defects: []string{"deploy.ProductsWrapAround", "deploy.ScalingLosesShares", "deploy.ScalingKeepsUnavailable"}, checks: pass(proportionalScaling)},
		{Name: "scaled to zero", Title: "scaled to 0, everything is", Source: "upstream: scale",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround"}, checks: pass(scaledToZero)},
		{Name: "paused Deployment", Title: "paused, nothing is created, rolled out or rolled back", Source: "upstream: sync while paused", checks: pass(pausedDeployment)},
		{Name: "Recreate waits for old pods", Title: "Recreate starts nothing while an old pod has not ended", Source: "upstream: rolloutRecreate", checks: pass(recreateWaitsForOldPods)},
		{Name: "one new ReplicaSet", Title: "at most one set is new: the oldest with the template", Source: "kubernetes#40415",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround"}, checks: pass(oneNewReplicaSet)},
		{Name: "one active ReplicaSet in the end", Title: "in the end exactly one set is active", Source: "upstream e2e: rollover", checks: pass(oneActiveReplicaSetInTheEnd)},
		{Name: "unhealthy old pods first", Title: "unavailable old pods go first, and at most what may go", Source: "kubernetes#16737",
			Corrected: true, Defects: []string{"deploy.StatusAheadStopsCleanup", "deploy.ExcessAvailableCounts"}, checks: pass(unhealthyOldPodsFirst)},
		{Name: "no stuck rollout", Title: "an update is never stuck while a step is permitted", Source: "cluster-api: DeadlockBreaker; lws#779",
			Corrected: true, Defects: []string{"deploy.StaleAnnotationBlocksRollout", "deploy.RecreateStuckAfterScaling", "deploy.StatusAheadStopsCleanup"}, checks: pass(noStuckRollout)},
		{Name: "progress deadline", Title: "the deadline is missed only after so long without progress, and never while paused", Source: "kubernetes#49637", checks: pass(progressDeadline)},
		{Name: "revisions grow", Title: "a new template gets a higher revision, and the history keeps the former ones", Source: "upstream: SetNewReplicaSetAnnotations", checks: pass(revisionsGrow)},
		{Name: "history limit", Title: "the history keeps its limit, and whatever has pods", Source: "kubernetes#40068",
			Corrected: true, Defects: []string{"deploy.UsedSetsFillHistory", "deploy.CleanupDeletesStartedSet"}, checks: pass(historyLimit)},
		{Name: "hash collision", Title: "a hash collision raises the count by one, and a name that is ours is used", Source: "upstream e2e: HashCollision",
			checks: []check{on[Collision](hashCollision), on[DeploymentTrace](hashCollisionTrace)}},
		{Name: "rollback template", Title: "a rollback gives the template of its revision, and keeps bookkeeping apart", Source: "upstream: rollbackToTemplate", checks: pass(rollbackTemplate)},
		{Name: "Deployment status recount", Title: "the counts of the status are those of a recount", Source: "upstream: calculateStatus",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround", "deploy.UnavailableReplicasLag"}, checks: pass(deploymentStatusRecount)},
		{Name: "terminating pods policy", Title: "pods that wait to end take up room if the policy says so", Source: "KEP-5882", checks: pass(terminatingPodsPolicy)},
		{Name: "desired-replicas recorded", Title: "whatever is scaled records for which replicas and limit", Source: "kubernetes#102551",
			Corrected: true, Defects: []string{"deploy.StaleAnnotationBlocksRollout", "deploy.SumsWrapAround"}, checks: pass(desiredReplicasRecorded)},
		{Name: "interrupted scaling", Title: "a scaling that is interrupted and changed ends like an uninterrupted one", Source: "kubernetes#44734",
			Corrected: true, Defects: []string{"deploy.ScalingLosesShares"}, checks: []check{on[DeploymentPlanner](interruptedScaling)}},
		{Name: "sizes within int32", Title: "sizes are right over the whole range of 32 bits", Source: "kubernetes#128535",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround"}, checks: pass(sizesWithinInt32)},
	}
}
