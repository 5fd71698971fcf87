// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/quirk"
	"github.com/kplan-go/kplan/rollout/argo/reason"
	"github.com/kplan-go/kplan/rollout/workload"
)

func argoEntries() []entry {
	return []entry{
		{"argo-rollouts-1707", "a canary wants more pods than the surge allows", cappedCanary,
			mutant{"rollout/argo:Approximate", "s > 0", "true"}},
		{"argo-rollouts-1068", "stable pods go before those of the canary serve", canaryServesFirst,
			mutant{"rollout/argo", "min(s.Replicas, s.AvailableReplicas)", "s.Replicas"}},
		{"argo-rollouts-1738", "a small weight leaves a ReplicaSet with a single pod", minPods,
			mutant{"rollout/argo", "max(n, min(*r.MinPodsPerReplicaSet, r.replicas()))", "n"}},
		{"argo-rollouts-4898", "an aborted canary with a delay and its stable pods wait for each other", abortEnds,
			mutant{"rollout/argo", "r.AbortScaleDownDelaySeconds == nil || *r.AbortScaleDownDelaySeconds == 0", "true"}},
		{"argo-rollouts-1593", "a canary that does not start stays after the deadline", deadlineAborts,
			mutant{"rollout/argo", "s.r.ProgressDeadlineAbort", "false"}},
		{"argo-rollouts-305", "an update is stuck when the stable ReplicaSet is deleted", stableIsGone,
			mutant{"rollout/argo:counts.promoted", "c.stable == nil", "false"}},
		{"argo-rollouts-412", "a stale annotation of the desired replicas stops every update", staleDesired,
			mutant{"rollout/argo", "(s.to != w.Replicas || w.DesiredReplicas == nil || *w.DesiredReplicas != d)", "s.to != w.Replicas"}},
		{"argo-rollouts-574", "a rollback takes every step and every pause again", rollbackWindow,
			mutant{"rollout/argo", "b < s.r.RollbackWindow", "false"}},
		{"argo-rollouts-4973", "an aborted update gets pods again when the Rollout grows", abortStaysEmpty,
			mutant{"rollout/argo", "min(n, s.Canary.Replicas)", "n"}},
		{"argo-rollouts-4950", "an update of 0 replicas starts a pod, and waits for a person", nothingToUpdate,
			mutant{"rollout/argo", "s.replicas() == 0 && s.repair.Has(quirk.ZeroReplicasTakeSteps)", "false"}},
		{"argo-rollouts-5006", "the stable one of two Services selects the pods of the update too", stableSelectsItsOwn,
			mutant{"rollout/argo", "s.repair.Has(quirk.StablePingPongSelectsAll)", "false"}},
	}
}

func weight(n int32) argo.Step { return argo.Step{SetWeight: &n} }

// argoSet returns a ReplicaSet of a template, with its age at the end of its name.
func argoSet(hash string, age, size, available int32, desired *int32) argo.ReplicaSet {
	return argo.ReplicaSet{
		Name: "web-" + hash, Hash: hash, Revision: int64(age), DesiredReplicas: desired, ReadyReplicas: available,
		CreationTimestamp: t0.Add(time.Duration(age-100) * time.Minute),
		Size:              argo.Size{Replicas: size, AvailableReplicas: available, StatusReplicas: size},
	}
}

func argoPlan(t *testing.T, s argo.Snapshot) argo.Plan {
	t.Helper()
	return repairedArgo(t, s, 0)
}

func repairedArgo(t *testing.T, s argo.Snapshot, repair quirk.Set) argo.Plan {
	t.Helper()
	p, err := argo.Reconcile(s, t0, argo.Options{Repair: repair})
	require.NoError(t, err)
	return p
}

// abortStaysEmpty: the Rollout has grown from 4 to 8, and the new stable pods are starting.
func abortStaysEmpty(t *testing.T) {
	s := updating(argoSet("v1", 1, 8, 4, ptr.To(int32(8))), argoSet("v2", 2, 0, 0, ptr.To(int32(8))))
	s.Rollout.Replicas, s.Rollout.Steps = ptr.To(int32(8)), []argo.Step{weight(25), {Pause: &argo.Pause{}}}
	s.Rollout.Routing, s.Rollout.Status.Abort = &argo.Routing{DynamicStableScale: true}, true
	s.Rollout.Status.Weights = &argo.TrafficWeights{Canary: argo.WeightDestination{Hash: "v2"}, Stable: argo.WeightDestination{Weight: 100, Hash: "v1"}}
	require.Equal(t, "Scaled up replica set v2 from 0 to 2 (Weight)", argo.Plan{Actions: argoPlan(t, s).Actions}.String())
	require.Empty(t, repairedArgo(t, s, quirk.All).Actions)
}

// nothingToUpdate: a step of one pod, and then a pause.
func nothingToUpdate(t *testing.T) {
	s := updating(argoSet("v1", 1, 0, 0, ptr.To(int32(0))), argoSet("v2", 2, 0, 0, ptr.To(int32(0))))
	s.Rollout.Replicas, s.Rollout.Routing = ptr.To(int32(0)), &argo.Routing{}
	s.Rollout.Steps = []argo.Step{{SetCanaryScale: &argo.CanaryScale{Replicas: ptr.To(int32(1))}}, {Pause: &argo.Pause{}}}
	p := argoPlan(t, s)
	require.Contains(t, p.String(), "Scaled up replica set v2 from 0 to 1 (Weight)")
	require.Equal(t, "v1", p.Status.StableRS)
	p = repairedArgo(t, s, quirk.All)
	require.NotContains(t, p.String(), "Scaled up")
	require.Equal(t, "v2", p.Status.StableRS)
}

// stableSelectsItsOwn: both Services were created without a hash, and pong is the stable one.
func stableSelectsItsOwn(t *testing.T) {
	s := updating(argoSet("v1", 1, 2, 2, ptr.To(int32(2))), argoSet("v2", 2, 1, 1, ptr.To(int32(2))))
	s.Rollout.Routing, s.Ping, s.Pong = &argo.Routing{}, &argo.Service{Name: "ping"}, &argo.Service{Name: "pong"}
	for repair, want := range map[quirk.Set]string{0: "", quirk.All: "v1"} {
		next, err := repairedArgo(t, s, repair).Apply(s, t0)
		require.NoError(t, err)
		require.Equal(t, "v2", next.Ping.Selector[argo.HashLabel])
		require.Equal(t, want, next.Pong.Selector[argo.HashLabel])
	}
}

func cappedCanary(t *testing.T) {
	require.Equal(t, argo.Counts{Canary: 0, Stable: 1}, argo.Approximate(1, 10, 100, 0))
	require.Equal(t, argo.Counts{Canary: 2, Stable: 1}, argo.Approximate(3, 50, 100, 0))
	require.Equal(t, argo.Counts{Canary: 2, Stable: 2}, argo.Approximate(3, 50, 100, 1))
}

// canaryServesFirst: 3 pods of the canary are there, and none is available yet.
func canaryServesFirst(t *testing.T) {
	r := argo.Canary{
		Replicas: ptr.To(int32(10)), MaxSurge: rollout.Int(3), MaxUnavailable: rollout.Int(0), Steps: []argo.Step{weight(30)},
		CurrentStepIndex: ptr.To(int32(0)), CurrentPodHash: "v2", StableRS: "v1",
		Canary: &argo.Size{Replicas: 3, StatusReplicas: 3}, Stable: &argo.Size{Replicas: 10, AvailableReplicas: 10, StatusReplicas: 10},
	}
	require.Equal(t, argo.Counts{Canary: 3, Stable: 10}, r.Counts())
	r.Canary.AvailableReplicas = 3
	require.Equal(t, argo.Counts{Canary: 3, Stable: 7}, r.Counts())
}

func minPods(t *testing.T) {
	r := argo.Canary{
		Replicas: ptr.To(int32(4)), TrafficRouting: true, Steps: []argo.Step{weight(10)}, CurrentStepIndex: ptr.To(int32(0)),
		CurrentPodHash: "v2", StableRS: "v1",
	}
	require.Equal(t, argo.Counts{Canary: 1, Stable: 4}, r.Counts())
	r.MinPodsPerReplicaSet = ptr.To(int32(2))
	require.Equal(t, argo.Counts{Canary: 2, Stable: 4}, r.Counts())
}

// abortEnds: 8 of 10 stable pods are back, and the canary still has 5.
func abortEnds(t *testing.T) {
	r := argo.Canary{
		Replicas: ptr.To(int32(10)), TrafficRouting: true, DynamicStableScale: true, Abort: true, Steps: []argo.Step{weight(20), weight(50)},
		CurrentStepIndex: ptr.To(int32(0)), CurrentPodHash: "v2", StableRS: "v1", Weights: &argo.Weights{Canary: 20, Stable: 80},
		Canary: &argo.Size{Replicas: 5, AvailableReplicas: 5}, Stable: &argo.Size{Replicas: 8, AvailableReplicas: 8},
	}
	require.Equal(t, int32(20), r.CanaryWeight(), "without a delay the canary shrinks with its weight")
	r.AbortScaleDownDelaySeconds = ptr.To(int32(30))
	require.Zero(t, r.CanaryWeight())
	require.Equal(t, int32(10), r.Counts().Stable)
}

// updating returns a Rollout of 2 pods from v1 to v2, at its first step.
func updating(sets ...argo.ReplicaSet) argo.Snapshot {
	return argo.Snapshot{Sets: sets, Rollout: argo.Rollout{
		Name: "web", Generation: 1, TemplateHash: "v2", Replicas: ptr.To(int32(2)), Steps: []argo.Step{weight(50)},
		Status: argo.Status{ObservedGeneration: 1, CurrentPodHash: "v2", StableRS: "v1", CurrentStepIndex: ptr.To(int32(0))},
	}}
}

func deadlineAborts(t *testing.T) {
	s := updating(argoSet("v1", 1, 1, 1, ptr.To(int32(2))), argoSet("v2", 2, 1, 0, ptr.To(int32(2))))
	s.Rollout.Status.Replicas, s.Rollout.Status.UpdatedReplicas, s.Rollout.Status.ReadyReplicas, s.Rollout.Status.AvailableReplicas = 2, 1, 1, 1
	s.Rollout.Status.Conditions = []kplan.Condition{{
		Type: workload.ConditionProgressing, Status: "True", Reason: "ReplicaSetUpdated", LastUpdateTime: t0.Add(-time.Hour), LastTransitionTime: t0.Add(-time.Hour),
	}}
	p := argoPlan(t, s)
	require.Equal(t, argo.PhaseDegraded, p.Status.Phase)
	require.False(t, p.Status.Abort)
	s.Rollout.ProgressDeadlineAbort = true
	require.True(t, argoPlan(t, s).Status.Abort)
}

func stableIsGone(t *testing.T) {
	s := updating(argoSet("v2", 2, 2, 2, ptr.To(int32(2))))
	require.Equal(t, "v2", argoPlan(t, s).Status.StableRS)
}

func staleDesired(t *testing.T) {
	s := updating(argoSet("v1", 1, 2, 2, ptr.To(int32(3))))
	s.Rollout.TemplateHash, s.Rollout.Status.CurrentPodHash = "v1", "v1"
	p := argoPlan(t, s)
	require.Equal(t, argo.Actions{argo.ScaleReplicaSet{
		Name: "web-v1", Hash: "v1", From: 2, To: 2, Desired: 2, Reason: reason.Weight,
	}}, p.Actions)
}

// rollbackWindow: v1 is desired again, v2 is in between, and a pause should begin.
func rollbackWindow(t *testing.T) {
	two := ptr.To(int32(2))
	s := updating(argoSet("v1", 1, 1, 1, two), argoSet("v2", 2, 0, 0, two), argoSet("v3", 3, 1, 1, two))
	s.Rollout.TemplateHash, s.Rollout.Status.CurrentPodHash, s.Rollout.Status.StableRS = "v1", "v1", "v3"
	s.Rollout.Steps = []argo.Step{weight(50), {Pause: &argo.Pause{}}}
	s.Rollout.Status.CurrentStepIndex = ptr.To(int32(1))
	require.Equal(t, int32(1), *argoPlan(t, s).Status.CurrentStepIndex)
	s.Rollout.RollbackWindow = 2
	require.Equal(t, int32(2), *argoPlan(t, s).Status.CurrentStepIndex)
}
