// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

// routedSet is a ReplicaSet whose pods are all there.
type routedSet struct {
	Replicas, Available int32
	DeadlineIn          *int32 // in seconds; nil if it has none
}

// recordedRouted is a recorded pass of a canary with traffic routing.
type recordedRouted struct {
	Replicas    int32
	New, Stable routedSet
	Other       *routedSet
	Steps       []struct {
		argo.Step
		SetHeaderRoute *struct{}
	}
	CurrentStepIndex                                                        *int32
	DynamicStableScale                                                      bool
	MinPodsPerReplicaSet, ScaleDownDelaySeconds, AbortScaleDownDelaySeconds *int32
	Abort, PromoteFull, SpecPaused, TemplateIsStable                        bool
	StatusCurrentPodHash                                                    string
	CanaryWeight                                                            *int32
	WeightHash, CanarySelects, StableSelects                                string
	Managed                                                                 bool
	Pause                                                                   string
	PauseAgeSeconds                                                         int32
}

func (in *recordedRouted) snapshot() argo.Snapshot {
	s := argo.Snapshot{Rollout: argo.Rollout{
		Name: "foo", Generation: 123, Revision: 2, TemplateHash: "new", Replicas: &in.Replicas, Paused: in.SpecPaused,
		ProgressDeadlineSeconds: ptr.To(int32(math.MaxInt32)), MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(0),
		Routing: &argo.Routing{
			DynamicStableScale: in.DynamicStableScale, MinPodsPerReplicaSet: in.MinPodsPerReplicaSet,
			ScaleDownDelaySeconds: in.ScaleDownDelaySeconds, AbortScaleDownDelaySeconds: in.AbortScaleDownDelaySeconds,
		},
		Status: argo.Status{
			ObservedGeneration: 123, CurrentPodHash: in.StatusCurrentPodHash, StableRS: "stable", CurrentStepIndex: in.CurrentStepIndex,
			Abort: in.Abort, PromoteFull: in.PromoteFull, ControllerPause: in.Pause != "",
		},
	}}
	for _, step := range in.Steps {
		if step.SetHeaderRoute != nil {
			step.Other = argo.StepHeaderRoute
		}
		s.Rollout.Steps = append(s.Rollout.Steps, step.Step)
	}
	in.status(&s.Rollout.Status)
	service := func(name, hash string) *argo.Service {
		return &argo.Service{Name: name, Selector: map[string]string{argo.HashLabel: hash}, Managed: in.Managed}
	}
	s.CanaryService, s.StableService = service("canary", in.CanarySelects), service("stable", in.StableSelects)
	revision := int64(1)
	add := func(hash string, set routedSet) {
		rs := argo.ReplicaSet{
			Name: "foo-" + hash, Hash: hash, Revision: revision, DesiredReplicas: &in.Replicas, ReadyReplicas: set.Available,
			Size:              argo.Size{Replicas: set.Replicas, AvailableReplicas: set.Available, StatusReplicas: set.Replicas},
			CreationTimestamp: now.Add(time.Duration(revision-9) * time.Hour),
		}
		if set.DeadlineIn != nil {
			rs.ScaleDownAt = now.Add(time.Duration(*set.DeadlineIn) * time.Second)
		}
		s.Sets = append(s.Sets, rs)
		s.Rollout.Status.Replicas += set.Replicas
		s.Rollout.Status.AvailableReplicas += set.Available
		s.Rollout.Status.ReadyReplicas += set.Available
		revision++
	}
	if in.Other != nil {
		add("other", *in.Other)
	}
	add("stable", in.Stable)
	add("new", in.New)
	s.Rollout.Revision, s.Rollout.Status.UpdatedReplicas = revision-1, in.New.Replicas
	if in.TemplateIsStable {
		s.Rollout.TemplateHash, s.Rollout.Revision, s.Rollout.Status.UpdatedReplicas = "stable", 9, in.Stable.Replicas
		s.Sets[len(s.Sets)-2].Revision = 9
	}
	return s
}

// status completes a status with weights and conditions.
func (in *recordedRouted) status(status *argo.Status) {
	if in.CanaryWeight != nil {
		status.Weights = &argo.TrafficWeights{
			Canary: argo.WeightDestination{Weight: *in.CanaryWeight, Service: "canary", Hash: in.WeightHash},
			Stable: argo.WeightDestination{Weight: 100 - *in.CanaryWeight, Service: "stable", Hash: "stable"},
		}
	}
	status.Conditions = []kplan.Condition{{Type: argo.ConditionProgressing, Status: "True", Reason: "ReplicaSetUpdated", LastUpdateTime: now}}
	if in.Pause == "condition" {
		status.Conditions = []kplan.Condition{
			{Type: argo.ConditionProgressing, Status: "Unknown", Reason: "RolloutPaused", LastUpdateTime: now},
			{Type: argo.ConditionPaused, Status: "True", Reason: "RolloutPaused"},
		}
		status.PauseConditions = []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: now.Add(-time.Duration(in.PauseAgeSeconds) * time.Second)}}
	}
}

// recordRouted words what a plan makes of a snapshot as it was recorded.
func recordRouted(t *testing.T, s argo.Snapshot, p argo.Plan) map[string]any {
	t.Helper()
	next, err := p.Apply(s, now)
	require.NoError(t, err)
	sets := map[string]any{}
	for _, set := range next.Sets {
		out := map[string]any{"replicas": set.Replicas}
		if !set.ScaleDownAt.IsZero() {
			out["scaleDownDeadlineInSeconds"] = set.ScaleDownAt.Sub(now).Seconds()
		}
		sets[set.Hash] = out
	}
	conditions, pauses := []string{}, []string{}
	for _, c := range p.Status.Conditions {
		conditions = append(conditions, c.Type+"="+string(c.Status)+"/"+c.Reason)
	}
	slices.Sort(conditions)
	for _, c := range p.Status.PauseConditions {
		pauses = append(pauses, c.Reason)
	}
	status := map[string]any{
		"abort": p.Status.Abort, "conditions": conditions, "controllerPause": p.Status.ControllerPause, "currentPodHash": p.Status.CurrentPodHash,
		"currentStepIndex": p.Status.CurrentStepIndex, "message": p.Status.Message, "pauseConditions": pauses, "phase": p.Status.Phase,
		"promoteFull": p.Status.PromoteFull, "stableRS": p.Status.StableRS, "weights": nil,
	}
	if w := p.Status.Weights; w != nil {
		status["weights"] = map[string]any{"canary": w.Canary.Weight, "canaryHash": w.Canary.Hash, "stable": w.Stable.Weight, "stableHash": w.Stable.Hash}
	}
	out := map[string]any{"replicaSets": sets, "requeueAfterSeconds": 0, "status": status, "services": map[string]any{
		"canary": next.CanaryService.Selector[argo.HashLabel], "stable": next.StableService.Selector[argo.HashLabel],
	}}
	if !p.RecheckAt.IsZero() {
		out["requeueAfterSeconds"] = p.RecheckAt.Sub(now).Seconds()
	}
	return out
}

func TestVectorsArgoRoutedPass(t *testing.T) {
	const name = "argo/routed_canary_reconcile"
	if _, err := os.Stat(filepath.Join(os.Getenv("KPLAN_VECTORS"), name+".json")); err != nil {
		t.Setenv("KPLAN_VECTORS", "") // these were recorded later than the others
	}
	recorded.Agree(t, name, func(t *testing.T, r recorded.Recording) (any, string) {
		var in recordedRouted
		r.Read(t, &in)
		s := in.snapshot()
		p, err := reconcile(s, now)
		require.NoError(t, err, r.ID)
		out := recordRouted(t, s, p)
		return out, lateRouted(t, r, out)
	})
}

// lateRouted names the rule of a recording that differs only in that its next pass is due
// less than a second earlier.
func lateRouted(t *testing.T, r recorded.Recording, out map[string]any) string {
	t.Helper()
	there, ok := recorded.Plain(t, r.Output).(map[string]any)
	require.True(t, ok)
	was, ok := there["requeueAfterSeconds"].(float64)
	require.True(t, ok)
	due, _ := recorded.Plain(t, recorded.Marshal(t, out["requeueAfterSeconds"])).(float64)
	there["requeueAfterSeconds"] = due
	if math.Abs(due-was) < 1 && cmp.Equal(there, recorded.Plain(t, recorded.Marshal(t, out))) {
		return "clock"
	}
	return ""
}
