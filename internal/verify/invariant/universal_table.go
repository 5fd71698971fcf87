// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// universal returns the invariants of every planner.
func universal() []Invariant {
	house := []string{"internal/verify/house: TestHouse"}
	return []Invariant{
		{Name: "determinism", Title: "equal input gives an equal plan; no clock, randomness or I/O", Source: "design: pure planners", Elsewhere: house, checks: planners(determinism)},
		{Name: "input untouched", Title: "the input is not written to, and the plan shares no memory with it", Source: "kubernetes#91707, #67815", checks: planners(inputUntouched)},
		{Name: "order independence", Title: "the order of lists and maps changes nothing", Source: "kubernetes#109934", checks: planners(orderIndependence)[:4]},
		{Name: "no panic", Title: "no panic on any input; invalid input is a typed error", Source: "kubernetes#128535", checks: planners(noPanic)},
		{Name: "actions take effect", Title: "an action changes something, and is not planned again afterwards", Source: "purpose of a plan",
			Corrected: true, Defects: []string{"daemonset.PodsOfMissingNodesDeletedAgain"}, checks: models(modelChecks{actionsTakeEffectOf(&deploymentModel), actionsTakeEffectOf(&replicaSetModel), actionsTakeEffectOf(&daemonSetModel), actionsTakeEffectOf(&argoModel)})},
		{Name: "convergence", Title: "with a constant spec in a fair cluster, plans become empty within a bound, and stay empty", Source: "Anvil: eventually stable reconciliation",
			Corrected: true, Defects: []string{"deploy.OldestFirstUnderPartition"}, checks: append(models(modelChecks{convergenceOf(&deploymentModel), convergenceOf(&replicaSetModel), convergenceOf(&daemonSetModel), convergenceOf(&argoModel)}), on[Release](endsRelease))},
		{Name: "no repeated state", Title: "sizes never return to an earlier state", Source: "Kivi: checkOscillationReplicaNum",
			Corrected: true, Defects: []string{"deploy.OldestFirstUnderPartition"},
			checks: []check{on[DeploymentTrace](noRepeatedState(&deploymentModel)), on[ReplicaSetTrace](noRepeatedState(&replicaSetModel)), on[DaemonSetTrace](noRepeatedState(&daemonSetModel))}},
		{Name: "own objects only", Title: "only objects that the owner has or adopts are written, with their UIDs as preconditions", Source: "Anvil: rely and guarantee",
			Corrected: true, Defects: []string{"deploy.SumsWrapAround"},
			checks: []check{on[DeploymentPass](deploymentScope), on[ReplicaSetPass](replicaSetScope), on[DaemonSetPass](daemonSetScope),
				on[RolloutPass](rolloutScope), on[BatchPass](batchScope), on[ArgoPass](argoScope)}},
		{Name: "bounds after every prefix", Title: "the bounds hold after any prefix of a plan, and the end is the same", Source: "Sieve: intermediate states",
			Corrected: true, Defects: []string{"deploy.StaleAnnotationBlocksRollout", "deploy.ScalingLosesShares", "daemonset.SharesOfLastStatus"},
			checks: append(models(modelChecks{boundsAfterEveryPrefixOf(&deploymentModel), boundsAfterEveryPrefixOf(&replicaSetModel), boundsAfterEveryPrefixOf(&daemonSetModel), boundsAfterEveryPrefixOf(&argoModel)}), changes(false)...)},
		{Name: "bounds after every part", Title: "the bounds hold after any part of a plan that respects its order", Source: "Sieve; partially failed batches",
			checks: []check{on[ReplicaSetPlanner](boundsAfterEveryPart(&replicaSetModel)), on[DaemonSetPlanner](boundsAfterEveryPart(&daemonSetModel)), on[DeploymentPlanner](boundsAfterEveryPart(&deploymentModel))}},
		{Name: "bounds from stale views", Title: "a plan for an older state violates a bound at most by the changes that it could not see", Source: "Sieve: stale states; KEP-5647",
			checks: append(models(modelChecks{boundsFromStaleViewsOf(&deploymentModel), boundsFromStaleViewsOf(&replicaSetModel), boundsFromStaleViewsOf(&daemonSetModel), boundsFromStaleViewsOf(&argoModel)}), changes(true)...)},
		{Name: "everything explained", Title: "every action has a reason, every hold has correct numbers, and waiting is explained", Source: "design: plans explain themselves",
			checks: []check{on[DeploymentPass](deploymentExplained), on[ReplicaSetPass](replicaSetExplained), on[DaemonSetPass](daemonSetExplained),
				on[RolloutPass](rolloutExplained), on[BatchPass](batchExplained), on[ArgoPass](argoExplained)}},
		{Name: "JSON round trip", Title: "snapshots and plans are the same after a round trip through JSON", Source: "design: plans are data", checks: []check{
			on[DeploymentPass](jsonRoundTrip[deploy.Snapshot, deploy.Options, deploy.Plan]), on[ReplicaSetPass](jsonRoundTrip[replicaset.Snapshot, replicaset.Options, replicaset.Plan]),
			on[DaemonSetPass](jsonRoundTrip[daemonset.Snapshot, daemonset.Options, daemonset.Plan]), on[RolloutPass](jsonRoundTrip[kruise.Snapshot, kruise.Options, kruise.Plan]),
			on[BatchPass](jsonRoundTrip[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]), on[ArgoPass](jsonRoundTrip[argo.Snapshot, argo.Options, argo.Plan])}},
		{Name: "time shift", Title: "shifting now and all times shifts only the times of the plan", Source: "kubernetes#77203", checks: []check{
			on[DeploymentPlanner](timeShift[deploy.Snapshot, deploy.Options, deploy.Plan]), on[ReplicaSetPlanner](timeShift[replicaset.Snapshot, replicaset.Options, replicaset.Plan]),
			on[DaemonSetPlanner](timeShift[daemonset.Snapshot, daemonset.Options, daemonset.Plan]), on[RolloutPlanner](timeShift[kruise.Snapshot, kruise.Options, kruise.Plan]),
			on[BatchPlanner](timeShift[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]), on[ArgoPlanner](timeShift[argo.Snapshot, argo.Options, argo.Plan])}},
	}
}
