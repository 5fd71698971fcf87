// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/invariant"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// standingAnywhere generates a Rollout in any state, right or wrong.
func standingAnywhere(t *rapid.T) kruise.Snapshot {
	var steps []kruise.Step
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		s := step(anyStepSize(t, "size"), rapid.Int32Range(-1, 100).Draw(t, "pause"))
		if rapid.Bool().Draw(t, "routed") {
			s.Traffic = rollout.Percent(rapid.Int32Range(0, 100).Draw(t, "traffic"))
		}
		steps = append(steps, s)
	}
	state := pick(t, "state", "", "Odd", kruise.StateBeforeUpgrade, kruise.StateUpgrade, kruise.StateTrafficRouting, kruise.StateMetricsAnalysis,
		kruise.StatePaused, kruise.StatePaused, kruise.StateReady, kruise.StateCompleted)
	s := led(state)
	s.Rollout.Canary.Steps = steps
	if rapid.Bool().Draw(t, "no traffic") {
		s.Rollout.Canary.TrafficRoutings, s.Traffic = nil, traffic.Objects{}
	}
	s = kruise.Snapshot{Rollout: stands(s.Rollout, state).Rollout, Workload: s.Workload, Traffic: s.Traffic}
	sub, w := s.Rollout.Status.Sub, s.Workload
	sub.LastUpdateTime = t0.Add(-pick(t, "since", 0, time.Second, 50*time.Second, 100*time.Second, 100*time.Second+1))
	sub.CurrentStepIndex = rapid.Int32Range(-1, 6).Draw(t, "index")
	sub.NextStepIndex = rapid.OneOf(rapid.Just(kruise.NextStep(int32(len(steps)), sub.CurrentStepIndex)), rapid.Int32Range(-1, 6)).Draw(t, "next")
	sub.FinalisingStep = pick(t, "closing", "", kruise.FinalRestoreStable, kruise.FinalRouteToStable, kruise.FinalResume, kruise.FinalEnd)
	s.Rollout.Status.Phase = pick(t, "phase", kruise.PhaseProgressing, kruise.PhaseProgressing, kruise.PhaseHealthy, kruise.PhaseTerminating, kruise.PhaseDisabling)
	s.Rollout.Status.Conditions[0].Reason = pick(t, "reason", kruise.ProgressInRolling, kruise.ProgressInRolling, kruise.ProgressInitializing, kruise.ProgressPaused, kruise.ProgressFinalising, kruise.ProgressCompleted)
	s.Rollout.Disabled, s.Rollout.Paused = seldom(t, "disabled", 9), seldom(t, "paused", 9)
	w.CanaryRevision, w.InRollback, w.Consistent = pick(t, "canary", "v2", "v2", "v3", "v1"), seldom(t, "rollback", 6), often(t, "consistent", 9)
	if rapid.Bool().Draw(t, "release") {
		br := kruise.ReleaseOf(s.Rollout, *w, max(sub.CurrentStepIndex, 1), 0)
		br.Status.Current.BatchState = pick(t, "batch", batchrelease.StateUpgrading, batchrelease.StateReady)
		s.BatchRelease = &br
	}
	return s
}

func rolloutOptions(t *rapid.T) kruise.Options {
	o := kruise.Options{AppendPodSelector: rapid.Bool().Draw(t, "append pod selector")}
	if rapid.Bool().Draw(t, "corrected") {
		o.Repair = workload.RepairAll
	}
	return o
}

func TestRolloutPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := standingAnywhere(t), rolloutOptions(t)
		clean(t, &invariant.RolloutPlanner{Snapshot: s, Now: t0, Options: o, Plan: kruise.Reconcile})
		if p, err := kruise.Reconcile(s, t0, o); err == nil {
			clean(t, &invariant.RolloutPass{Snapshot: s, Now: t0, Options: o, Plan: p})
		}
	})
}

func TestBatchPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []workload.Ref{demo, {APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}, {APIVersion: "apps/v1", Kind: "StatefulSet", Name: "demo"}}
		ref := pick(t, "kind", kinds...)
		br := batchrelease.Release{Name: "web", UID: "b", WorkloadRef: ref, Finalizers: []string{workload.FinalizerBatchRelease}}
		for range rapid.IntRange(0, 3).Draw(t, "batches") {
			br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, batchrelease.Batch{CanaryReplicas: anyStepSize(t, "size")})
		}
		br.ReleasePlan.BatchPartition, br.ReleasePlan.RolloutID = ptr.To(rapid.Int32Range(0, 2).Draw(t, "partition")), pick(t, "id", "", "7")
		br.Status = batchrelease.Status{Phase: pick(t, "phase", "", batchrelease.PhasePreparing, batchrelease.PhaseProgressing, batchrelease.PhaseProgressing, batchrelease.PhaseFinalizing), ObservedReleasePlanHash: br.ReleasePlan.Hash(),
			ObservedWorkloadReplicas: 6, UpdateRevision: "v2", Current: batchrelease.CurrentBatch{BatchState: pick(t, "state", "", batchrelease.StateUpgrading, batchrelease.StateVerifying), NoNeedUpdateReplicas: pick(t, "no need", nil, ptr.To(int32(2)))}}
		if rapid.Bool().Draw(t, "rollback") {
			br.Annotations = map[string]string{workload.AnnotationRollbackInBatch: "true"}
		}
		w := workload.Workload{Ref: ref, UID: "d", Replicas: ptr.To(rapid.Int32Range(0, 8).Draw(t, "replicas")), StableRevision: "v1", UpdateRevision: pick(t, "update", "v2", "v1"), Annotations: map[string]string{}}
		if rapid.Bool().Draw(t, "controlled") {
			w.Annotations[partition.AnnotationControlInfo], w.Paused, w.StrategyType = workload.ControlInfo(br.Name, br.UID), true, "Recreate"
		}
		s := batchrelease.Snapshot{Release: br, Workload: &w}
		o := batchrelease.Options{Repair: rolloutOptions(t).Repair, KeepPaused: rapid.Bool().Draw(t, "keep paused")}
		// The plan shares the count of pods that need no update with the snapshot.
		apart := s
		apart.Release.Status.Current.NoNeedUpdateReplicas = nil
		clean(t, &invariant.BatchPlanner{Snapshot: apart, Now: t0, Options: o, Plan: batchrelease.Reconcile})
		if p, err := batchrelease.Reconcile(s, t0, o); err == nil {
			clean(t, &invariant.BatchPass{Snapshot: s, Now: t0, Options: o, Plan: p})
		}
	})
}

func TestPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := invariant.Partitioning{Replicas: rapid.Int32Range(0, 300).Draw(t, "replicas"), Rescaled: rapid.Int32Range(0, 300).Draw(t, "rescaled")}
		for range rapid.IntRange(1, 5).Draw(t, "batches") {
			n := rapid.Int32Range(0, 130).Draw(t, "size")
			c.Batches = append(c.Batches, pick(t, "kind", rollout.Int(n), rollout.Percent(n), rollout.Percent(100)))
		}
		clean(t, &c)
	})
}

// TestReleases: whatever happens in the middle of a release, all of it is clean.
func TestReleases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		routed := rapid.Bool().Draw(t, "routed")
		var steps []kruise.Step
		last := int32(1)
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			last = rapid.Int32Range(last, 50).Draw(t, "size")
			s := step(rollout.Percent(last), rapid.Int32Range(-1, 3).Draw(t, "pause"))
			if routed {
				s.Traffic = rollout.Percent(last)
			}
			steps = append(steps, s)
		}
		c := newWorld(rapid.Int32Range(1, 12).Draw(t, "replicas"), routed, append(steps, step(rollout.Percent(100), 0))...)
		c.fail = t.Fatalf
		c.look = func(x any) {
			switch x := x.(type) {
			case *invariant.RolloutPass:
				clean(t, x)
			case *invariant.BatchPass:
				clean(t, x)
			}
		}
		c.opts.Repair = workload.RepairAll
		c.begin()
		passes := rapid.IntRange(0, 40).Draw(t, "passes")
		// Not while the release is closed: a template that changes then may stay paused.
		c.run(func() bool {
			passes--
			return passes < 0 && !c.closing() || c.r.Status.Phase == kruise.PhaseHealthy
		})
		c.update(pick(t, "template", "v1", "v2", "v3"))
		for range 3 {
			c.pass()
		}
		if !c.run(c.phase(kruise.PhaseHealthy)) {
			t.Fatalf("it does not end: %v", c.holds)
		}
		for range 5 {
			c.pass()
		}
		if found := invariant.Run(c.history()); len(found) > 0 {
			t.Fatal(found)
		}
	})
}

// frozen is a release that goes back to templateHash while the traffic of another is taken back.
func frozen(t *testing.T, o kruise.Options) *invariant.Release {
	first := step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	c := newWorld(6, true, first, step(rollout.Percent(100), 0))
	c.fail, c.look, c.opts = t.Fatalf, func(any) {}, o
	c.begin()
	paused := func() bool {
		s := c.r.Status.Sub
		return s != nil && s.CurrentStepState == kruise.StatePaused && c.r.Status.Phase == kruise.PhaseProgressing
	}
	require.True(t, c.run(paused))
	c.update("v3")
	require.True(t, c.run(func() bool {
		s := c.r.Status.Sub
		return s != nil && s.FinalisingStep == kruise.FinalRelease
	}))
	c.update("v1")
	c.run(c.phase(kruise.PhaseHealthy))
	for range 20 {
		c.pass()
	}
	return c.history()
}
