// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// The invariants of rollouts that one pass can break: see TestPartitionLimitProperties,
// TestPreviewStaysWithinLimits and TestPauseEndsExactly too, and TestEveryRolloutEnds for
// whole rollouts.

// Behind a batch of a rollback in batches as many pods of the bad template are left
// as a forward release of only those pods would leave.
func TestRollbackMirrorsRelease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(1, 200).Draw(t, "replicas")
		back := rapid.Int32Range(1, replicas).Draw(t, "of the template already")
		batch := rollout.Percent(rapid.Int32Range(0, 100).Draw(t, "batch"))
		br := batchrelease.Release{WorkloadRef: rapid.SampledFrom([]workload.Ref{cloneSet, statefulSet}).Draw(t, "kind")}
		br.ReleasePlan.Batches = []batchrelease.Batch{{CanaryReplicas: batch}}
		br.Status.Current.NoNeedUpdateReplicas = &back
		w := workload.Workload{Ref: br.WorkloadRef, Replicas: &replicas, Unordered: rapid.Bool().Draw(t, "unordered")}
		c := batchrelease.NewContext(br, w, nil, 0)
		bad := replicas - back
		if left, want := replicas-c.Desired, bad-partition.BatchSize(batch, bad); left != want {
			t.Fatalf("%d of %d bad pods are left behind %v, want %d", left, bad, batch, want)
		}
	})
}

// rolling draws a Rollout in the middle of its steps, nothing of which has changed.
func rolling(t random.T) kruise.Snapshot {
	s := random.Rollout(t, random.Anything)
	r := &s.Rollout
	if s.Workload == nil || r.Status.Sub == nil {
		t.Skip("nothing is rolling")
	}
	s.Workload.Consistent, s.Workload.InRollback, s.Workload.InProgress = true, false, true
	r.DeletionTimestamp, r.Disabled, r.Paused = time.Time{}, false, false
	r.Status.Phase, r.Status.Conditions[0].Reason = kruise.PhaseProgressing, kruise.ProgressInRolling
	r.Annotations[workload.AnnotationHash] = kruise.StrategyHash(*r)
	sub := r.Status.Sub
	sub.RolloutHash, sub.Revision, sub.FinalisingStep = kruise.StrategyHash(*r), "v2", ""
	s.Workload.CanaryRevision = "v2"
	n := int32(len(r.Strategy().Steps))
	sub.CurrentStepIndex = random.Between(t, "current", 1, n)
	sub.NextStepIndex = kruise.NextStep(n, sub.CurrentStepIndex)
	return s
}

func mustReconcile(t require.TestingT, s kruise.Snapshot, o kruise.Options) kruise.Plan {
	p, err := planRollout(s, now, o)
	require.NoError(t, err)
	return p
}

// As long as nobody asks for another step, and nothing is changed, steps are passed
// one by one, and never backwards.
func TestStepsGoForward(t *testing.T) {
	random.Check(t, func(t random.T) {
		s := rolling(t)
		from := s.Rollout.Status.Sub.CurrentStepIndex
		p := mustReconcile(t, s, random.RolloutOptions(t))
		to := p.Status.Sub.CurrentStepIndex
		if to != from && (to != from+1 || s.Rollout.Status.Sub.CurrentStepState != kruise.StateReady) {
			t.Fatalf("from step %d, %s, to step %d", from, s.Rollout.Status.Sub.CurrentStepState, to)
		}
	})
}

// A template that changes in the middle begins anew, and nothing of it is released
// before: the old batch is taken back first. Blue-green refuses it.
func TestNewTemplateRestarts(t *testing.T) {
	random.Check(t, func(t random.T) {
		s := rolling(t)
		s.Workload.CanaryRevision = "v3"
		p := mustReconcile(t, s, random.RolloutOptions(t))
		for _, a := range p.Actions {
			switch a.(type) {
			case kruise.CreateBatchRelease, kruise.UpdateBatchRelease, kruise.CreateService:
				t.Fatalf("before the restart: %v", a)
			}
		}
		why := conditionOf(p.Status, workload.ConditionProgressing).Reason
		switch {
		case s.Rollout.Style() == workload.BlueGreen:
			require.Equal(t, reason.RollbackFirst, p.Holds[len(p.Holds)-1].Reason)
		case p.Status.Sub == nil:
			require.Equal(t, kruise.ProgressInitializing, why)
			require.Nil(t, s.BatchRelease, "it is gone before the restart")
		default:
			require.Equal(t, kruise.ProgressInRolling, why)
			require.Equal(t, s.Rollout.Status.Sub.CurrentStepIndex, p.Status.Sub.CurrentStepIndex, "it waits where it is")
		}
	})
}

// Traffic is led to new pods by a step whose pods are ready and have their Service,
// by no other, and exactly as much as the step says.
func TestTrafficFollowsPods(t *testing.T) {
	random.Check(t, func(t random.T) {
		r := twoSteps()
		for i := range r.Canary.Steps {
			r.Canary.Steps[i].Traffic = rollout.Percent(random.Between[int32](t, "traffic", 1, 100))
		}
		r.Canary.TrafficRoutings = routings(1)
		s := begun(random.OneOf(t, "state", kruise.StateBeforeUpgrade, kruise.StateUpgrade, kruise.StateTrafficRouting, kruise.StateTrafficRouting,
			kruise.StateMetricsAnalysis, kruise.StatePaused, kruise.StateReady, kruise.StateCompleted), r)
		sub := s.Rollout.Status.Sub
		sub.CurrentStepIndex = random.Between[int32](t, "step", 1, 2)
		sub.NextStepIndex = kruise.NextStep(2, sub.CurrentStepIndex)
		s.Traffic.Stable = &traffic.Service{Name: "svc", Selector: map[string]string{workload.LabelPodTemplateHash: "v1"}}
		if random.Often(t, "canary", 4) {
			s.Traffic.Canary = &traffic.Service{Name: "svc-canary", Selector: map[string]string{workload.LabelPodTemplateHash: "v2"}}
		}
		s.Traffic.Route = &traffic.Route{Name: "route", Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "svc"}}}}}
		led := false
		for _, a := range mustReconcile(t, s, random.RolloutOptions(t)).Actions {
			route, ok := a.(kruise.SetRoute)
			if !ok || route.Reason == reason.RestoreTraffic {
				continue
			}
			led = true
			if sub.CurrentStepState != kruise.StateTrafficRouting {
				t.Fatalf("in state %s: %v", sub.CurrentStepState, a)
			}
			want := r.Canary.Steps[sub.CurrentStepIndex-1].Traffic.OfUp(100)
			refs := route.Rules[0].BackendRefs
			if len(refs) != 2 || *refs[0].Weight != 100-want || *refs[1].Weight != want {
				t.Fatalf("%+v, the step says %d", refs, want)
			}
		}
		if ready := sub.CurrentStepState == kruise.StateTrafficRouting && s.Traffic.Canary != nil; led != ready {
			t.Fatalf("led %v in state %s, canary %v", led, sub.CurrentStepState, s.Traffic.Canary)
		}
	})
}
