// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout/argo"
)

// recordedPass is a recorded pass of an Argo Rollout of two ReplicaSets. Every pod that
// is available is ready, and every pod that is wanted is there.
type recordedPass struct {
	Abort, PromoteFull, SpecPaused, TemplateIsStable bool
	StepsChanged, DesiredReplicasAnnotationStale     bool
	CurrentStepIndex                                 *int32
	MaxSurge, MaxUnavailable                         limit
	New, Stable                                      struct{ Available, Replicas int32 }
	Pause, StatusCurrentPodHash                      string
	PauseAgeSeconds, ProgressingConditionAgeSeconds  int32
	Replicas                                         int32
	Steps                                            []argo.Step

	ActiveSelector           string
	AutoPromotionEnabled     *bool
	AutoPromotionSeconds     int32
	PreviewReplicaCount      *int32
	PreviewService           bool
	ScaleDownDelaySeconds    *int32
	ScaleUpPreviewCheckPoint bool
}

func (in *recordedPass) snapshot(blueGreen bool) argo.Snapshot {
	o := argo.Rollout{
		Name: "demo", Generation: 1, Revision: 2, TemplateHash: "new", Replicas: &in.Replicas, MaxSurge: in.MaxSurge.IntOrPercent,
		MaxUnavailable: in.MaxUnavailable.IntOrPercent, Steps: in.Steps, Paused: in.SpecPaused,
		ProgressDeadlineSeconds: ptr.To(int32(math.MaxInt32)), // none is exceeded in the recordings
	}
	if in.TemplateIsStable {
		o.TemplateHash = "stable"
	}
	o.Status = argo.Status{
		ObservedGeneration: 1, CurrentPodHash: in.StatusCurrentPodHash, StableRS: "stable", Abort: in.Abort, PromoteFull: in.PromoteFull,
		CurrentStepIndex: in.CurrentStepIndex, ActiveSelector: in.ActiveSelector, ScaleUpPreviewCheckPoint: in.ScaleUpPreviewCheckPoint,
		Conditions: []kplan.Condition{{
			Type: argo.ConditionProgressing, Status: "True", Reason: "ReplicaSetUpdated",
			LastUpdateTime: now.Add(-time.Duration(in.ProgressingConditionAgeSeconds) * time.Second),
		}},
		Replicas: in.New.Replicas + in.Stable.Replicas, UpdatedReplicas: in.New.Replicas, ReadyReplicas: in.New.Available + in.Stable.Available,
		AvailableReplicas: in.New.Available + in.Stable.Available,
	}
	reason := argo.PauseStep
	s := argo.Snapshot{Rollout: o}
	if blueGreen {
		reason = argo.PauseBlueGreen
		s.Rollout.BlueGreen = &argo.BlueGreen{
			AutoPromotionEnabled: in.AutoPromotionEnabled, AutoPromotionSeconds: in.AutoPromotionSeconds,
			PreviewReplicaCount: in.PreviewReplicaCount, ScaleDownDelaySeconds: in.ScaleDownDelaySeconds,
		}
		s.Active = &argo.Service{Name: "active", Selector: map[string]string{argo.HashLabel: in.ActiveSelector}}
		if in.PreviewService {
			s.Preview = &argo.Service{Name: "preview", Selector: map[string]string{argo.HashLabel: "new"}}
			s.Rollout.Status.PreviewSelector = "new"
		}
	}
	if in.StepsChanged {
		s.Rollout.StepHash, s.Rollout.Status.CurrentStepHash = "new", "old"
	}
	if in.Pause != "" {
		s.Rollout.Status.ControllerPause = true
	}
	if in.Pause == "condition" {
		since := s.Rollout.Status.Conditions[0].LastUpdateTime
		s.Rollout.Status.Conditions = []kplan.Condition{
			{Type: argo.ConditionProgressing, Status: "Unknown", Reason: "RolloutPaused", LastUpdateTime: since},
			{Type: argo.ConditionPaused, Status: "True", Reason: "RolloutPaused"},
		}
		s.Rollout.Status.PauseConditions = []argo.PauseCondition{{Reason: reason, StartTime: now.Add(-time.Duration(in.PauseAgeSeconds) * time.Second)}}
	}
	set := func(hash string, revision int64, replicas, available, desired int32) argo.ReplicaSet {
		return argo.ReplicaSet{
			Name: "demo-" + hash, Hash: hash, Revision: revision, DesiredReplicas: &desired, ReadyReplicas: available,
			Size:              argo.Size{Replicas: replicas, AvailableReplicas: available, StatusReplicas: replicas},
			CreationTimestamp: now.Add(time.Duration(revision) * time.Minute),
		}
	}
	desired := in.Replicas
	if in.DesiredReplicasAnnotationStale {
		desired++ // of the stable one only
	}
	s.Sets = []argo.ReplicaSet{
		set("new", 2, in.New.Replicas, in.New.Available, in.Replicas), set("stable", 1, in.Stable.Replicas, in.Stable.Available, desired),
	}
	return s
}

// recordPass words a plan as it was recorded.
func recordPass(t *testing.T, s argo.Snapshot, p argo.Plan) map[string]any {
	t.Helper()
	sets := map[string]map[string]any{}
	for _, set := range s.Sets {
		sets[set.Hash] = map[string]any{"replicas": set.Replicas}
	}
	services := map[string]any{}
	for _, service := range []*argo.Service{s.Active, s.Preview} {
		if service != nil {
			services[service.Name] = service.Selector[argo.HashLabel]
		}
	}
	for _, a := range p.Actions {
		switch a := a.(type) {
		case argo.ScaleReplicaSet:
			sets[a.Hash]["replicas"] = a.To
		case argo.DelayReplicaSet:
			sets[a.Hash]["scaleDownDeadlineInSeconds"] = a.Until.Sub(now).Seconds()
		case argo.SelectPods:
			services[a.Service] = a.Value
		default:
			t.Fatalf("not recorded: %v", a)
		}
	}
	conditions, pauses := []string{}, []string{}
	for _, c := range p.Status.Conditions {
		conditions = append(conditions, c.Type+"="+string(c.Status)+"/"+c.Reason)
	}
	slices.Sort(conditions)
	for _, c := range p.Status.PauseConditions {
		pauses = append(pauses, c.Reason)
	}
	out := map[string]any{"replicaSets": sets, "requeueAfterSeconds": 0, "status": map[string]any{
		"abort": p.Status.Abort, "activeSelector": p.Status.ActiveSelector, "conditions": conditions, "controllerPause": p.Status.ControllerPause,
		"currentPodHash": p.Status.CurrentPodHash, "currentStepIndex": p.Status.CurrentStepIndex, "message": p.Status.Message,
		"pauseConditions": pauses, "phase": p.Status.Phase, "promoteFull": p.Status.PromoteFull,
		"scaleUpPreviewCheckPoint": p.Status.ScaleUpPreviewCheckPoint, "stableRS": p.Status.StableRS,
	}}
	if !p.RecheckAt.IsZero() {
		out["requeueAfterSeconds"] = p.RecheckAt.Sub(now).Seconds()
	}
	if s.Active != nil {
		out["services"] = services
	}
	return out
}

func agreePass(t *testing.T, name string, blueGreen bool) {
	recorded.Agree(t, name, func(t *testing.T, r recorded.Recording) (any, string) {
		var in recordedPass
		r.Read(t, &in)
		s := in.snapshot(blueGreen)
		p, err := reconcile(s, now)
		require.NoError(t, err, r.ID)
		out := recordPass(t, s, p)
		return out, late(t, r, out)
	})
}

// late names the rule of a recording that differs only in that its next pass is due
// less than a second earlier.
func late(t *testing.T, r recorded.Recording, out map[string]any) string {
	t.Helper()
	there, ok := recorded.Plain(t, r.Output).(map[string]any)
	require.True(t, ok)
	was, ok := there["requeueAfterSeconds"].(float64)
	require.True(t, ok)
	due, _ := out["requeueAfterSeconds"].(float64)
	there["requeueAfterSeconds"] = due
	if was < due && due-was < 1 && cmp.Equal(there, recorded.Plain(t, recorded.Marshal(t, out))) {
		return "clock"
	}
	return ""
}

func TestVectorsArgoCanaryPass(t *testing.T) { agreePass(t, "argo/basic_canary_reconcile", false) }

func TestVectorsArgoBlueGreenPass(t *testing.T) { agreePass(t, "argo/bluegreen_reconcile", true) }
