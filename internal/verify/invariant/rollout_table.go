// SPDX-License-Identifier: Apache-2.0

package invariant

// progressive returns the invariants of progressive rollouts.
func progressive() []Invariant {
	pass := func(f func(*RolloutPass) []string) []check { return []check{on[RolloutPass](f)} }
	release := func(f func(*Release) []string) []check { return []check{on[Release](f)} }
	return []Invariant{
		{Name: "batches grow", Title: "batches grow, the last has all pods, and no partition is lowered", Source: "rollout: batches",
			Corrected: true, Defects: []string{"workload.MixedPartitionsNeverEnd"}, checks: append([]check{on[Partitioning](batchesGrow)}, on[Release](batchesGrowRelease))},
		{Name: "percentage leaves an old pod", Title: "a percentage below 100 leaves an old pod of several", Source: "OpenKruise Rollouts: NewRSReplicasLimit", checks: []check{on[Partitioning](percentageLeavesAnOldPod)}},
		{Name: "step bounds", Title: "new and old pods stay within the limits of the workload in every step", Source: "rollout: limits of the workload",
			Corrected: true, Defects: []string{"workload.NewPodAtPartitionZero"}, checks: release(stepBounds)},
		{Name: "fraction after scaling", Title: "after scaling, the fraction of the batch stays the same within a pod", Source: "openkruise/rollouts#321",
			Corrected: true, Defects: []string{"deploy.ScaledBeyondPartition"}, checks: []check{on[Partitioning](fractionAfterScaling), on[DeploymentPass](fractionAfterScalingPass)}},
		{Name: "timed pause", Title: "a timed pause ends right after its time", Source: "rollout: pauses",
			Corrected: true, Defects: []string{"workload.LastPauseSkipped"}, checks: append(pass(timedPause), on[ArgoPass](argoTimedPause))},
		{Name: "rollback in batches", Title: "a rollback in batches updates the same fraction of the remaining pods", Source: "kruise#1356", checks: []check{on[BatchPass](rollbackInBatches)}},
		{Name: "abandoned release", Title: "an abandoned release ends with the stable template alone", Source: "rollout: closing",
			Corrected: true, Defects: []string{"workload.RollbackLeavesPaused"}, checks: release(abandonedRelease)},
		{Name: "steps in order", Title: "steps follow each other, unless a user jumps or the plan changes", Source: "rollout: steps", checks: append(pass(stepsInOrder), on[ArgoPass](argoStepsInOrder))},
		{Name: "new template restarts", Title: "another template starts at the first step", Source: "rollout: another template", checks: append(pass(newTemplateRestarts), on[Release](newTemplateRestartsRelease), on[ArgoPass](argoRestarts))},
		{Name: "traffic follows ready pods", Title: "traffic follows ready pods: a step gets none before its pods are ready", Source: "rollout: traffic", checks: append(pass(trafficFollowsReadyPods), on[Release](trafficFollowsReadyPodsRelease), on[ArgoPass](argoTraffic))},
		{Name: "manual pause", Title: "a step waits until a user approves it", Source: "rollout: pauses",
			Corrected: true, Defects: []string{"workload.LastPauseSkipped"}, checks: append(pass(manualPause), on[ArgoPass](argoManualPause))},
		{Name: "end of a release", Title: "a release is over if and only if the workload is updated and no longer controlled", Source: "rollout: closing",
			Corrected: true, Defects: []string{"workload.RollbackLeavesPaused", "workload.LastStepNotAwaited"}, checks: append(release(endOfARelease), on[ArgoPass](argoEnds))},
	}
}
