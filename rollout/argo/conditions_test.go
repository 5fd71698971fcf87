// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/rollout/argo"
)

// argoCondition returns a condition of a Rollout of Argo.
func argoCondition(s argo.Status, kind string) kplan.Condition {
	return *zero.Or(condition.Find(s.Conditions, kind))
}

// A pause is told by two conditions. Their transition is when their status changed.
func TestPausedConditions(t *testing.T) {
	w := newWorld(t, 6, weight(20), pause(-1))
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	began := w.clock
	require.Equal(t, kplan.ConditionTrue, argoCondition(w.s.Rollout.Status, argo.ConditionPaused).Status)
	noted := argoCondition(w.s.Rollout.Status, argo.ConditionProgressing)
	require.Equal(t, []string{"Unknown", "RolloutPaused"}, []string{string(noted.Status), noted.Reason})

	w.clock = began.Add(time.Minute)
	w.s.Rollout.Status.PauseConditions = nil
	w.pass()
	paused, resumed := argoCondition(w.s.Rollout.Status, argo.ConditionPaused), argoCondition(w.s.Rollout.Status, argo.ConditionProgressing)
	require.Equal(t, []any{kplan.ConditionFalse, w.clock}, []any{paused.Status, paused.LastTransitionTime})
	require.Equal(t, []any{kplan.ConditionUnknown, "RolloutResumed", w.clock, noted.LastTransitionTime}, []any{resumed.Status, resumed.Reason, resumed.LastUpdateTime, resumed.LastTransitionTime})

	w.clock = began.Add(2 * time.Minute)
	w.pass()
	moves := argoCondition(w.s.Rollout.Status, argo.ConditionProgressing)
	require.Equal(t, []any{kplan.ConditionTrue, w.clock, w.clock}, []any{moves.Status, moves.LastUpdateTime, moves.LastTransitionTime})
}

// What is no longer healthy lacks pods of the stable template, or has a new one. Both
// count as progress, and progressing was true before.
func TestNoLongerHealthy(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(w *world)
		want   string
	}{
		{"a pod is lost", func(w *world) { w.set("v1").AvailableReplicas = 5 }, "ReplicaSetNotAvailable"},
		{"a new template", func(w *world) { w.s.Rollout.TemplateHash = "v2" }, "ReplicaSetUpdated"},
	} {
		w := newWorld(t, 6, weight(20))
		w.run(false)
		before := argoCondition(w.s.Rollout.Status, argo.ConditionProgressing)
		require.Equal(t, kplan.ConditionTrue, before.Status)
		later := w.clock.Add(time.Minute)
		c.change(w)
		p, err := reconcile(w.s, later)
		require.NoError(t, err)
		require.Equal(t, kplan.ConditionFalse, argoCondition(p.Status, argo.ConditionHealthy).Status, c.why)
		after := argoCondition(p.Status, argo.ConditionProgressing)
		require.Equal(t, []any{kplan.ConditionTrue, c.want, later, before.LastTransitionTime}, []any{after.Status, after.Reason, after.LastUpdateTime, after.LastTransitionTime}, c.why)
	}
}

// Pods of other templates that go are progress, even if nothing else is.
func TestFewerOldPods(t *testing.T) {
	for _, c := range []struct {
		old  int32
		want kplan.ConditionStatus
	}{{3, "True"}, {4, "False"}} {
		w := newWorld(t, 6, weight(50))
		w.s.Rollout.TemplateHash = "v2"
		w.s.Rollout.Status = argo.Status{
			CurrentPodHash: "v2", StableRS: "v1", CurrentStepIndex: ptr.To(int32(0)), Replicas: 6, UpdatedReplicas: 2, ReadyReplicas: 6, AvailableReplicas: 6,
			Conditions: []kplan.Condition{{Type: argo.ConditionProgressing, Status: "True", LastUpdateTime: now.Add(-time.Hour)}},
		}
		w.s.Sets = []argo.ReplicaSet{
			{Hash: "v1", Size: argo.Size{Replicas: 4, AvailableReplicas: c.old, StatusReplicas: c.old}},
			{Hash: "v2", Size: argo.Size{Replicas: 2, AvailableReplicas: 2, StatusReplicas: 2}},
		}
		p, err := reconcile(w.s, now)
		require.NoError(t, err)
		require.Equal(t, c.want, argoCondition(p.Status, argo.ConditionProgressing).Status, "%d of 4 old pods are left", c.old)
	}
}

// A canary with steps to take is not healthy, even if all pods are there. A pass that
// only scales shows it.
func TestHealthyBehindTheSteps(t *testing.T) {
	steps := []argo.Step{weight(20), pause(-1)}
	for _, c := range []struct {
		why   string
		steps []argo.Step
		index *int32
		want  kplan.ConditionStatus
	}{
		{"one is left", steps, ptr.To(int32(1)), ""},
		{"all are over", steps, ptr.To(int32(2)), "True"},
		{"none is known", steps, nil, "True"},
		{"there are none any more", nil, ptr.To(int32(1)), "True"},
	} {
		w := newWorld(t, 4, c.steps...)
		w.s.Rollout.Status = argo.Status{
			ObservedGeneration: 1, CurrentPodHash: "v1", StableRS: "v1", CurrentStepIndex: c.index, Replicas: 4, UpdatedReplicas: 4, ReadyReplicas: 4, AvailableReplicas: 4,
		}
		full := argo.Size{Replicas: 4, AvailableReplicas: 4, StatusReplicas: 4}
		w.s.Sets = []argo.ReplicaSet{{Hash: "v1", DesiredReplicas: ptr.To(int32(3)), Size: full, ReadyReplicas: 4}}
		p, err := reconcile(w.s, now)
		require.NoError(t, err)
		require.Equal(t, c.want, argoCondition(p.Status, argo.ConditionHealthy).Status, c.why)
	}
}
