package rollout_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout"
)

// argoRecorded is a recorded pass of an Argo Rollout of two ReplicaSets. Every pod that
// is available is ready, and every pod that is wanted is there.
type argoRecorded struct {
	Abort, PromoteFull, SpecPaused, TemplateIsStable bool
	StepsChanged, DesiredReplicasAnnotationStale     bool
	CurrentStepIndex                                 *int32
	MaxSurge, MaxUnavailable                         argoLimit
	New, Stable                                      struct{ Available, Replicas int32 }
	Pause, StatusCurrentPodHash                      string
	PauseAgeSeconds, ProgressingConditionAgeSeconds  int32
	Replicas                                         int32
	Steps                                            []rollout.ArgoStep

	ActiveSelector           string
	AutoPromotionEnabled     *bool
	AutoPromotionSeconds     int32
	PreviewReplicaCount      *int32
	PreviewService           bool
	ScaleDownDelaySeconds    *int32
	ScaleUpPreviewCheckPoint bool
}

func (in *argoRecorded) snapshot(blueGreen bool) rollout.ArgoSnapshot {
	o := rollout.ArgoObject{
		Name: "demo", Generation: 1, Revision: 2, TemplateHash: "new", Replicas: &in.Replicas, MaxSurge: in.MaxSurge.IntOrPercent,
		MaxUnavailable: in.MaxUnavailable.IntOrPercent, Steps: in.Steps, StepsChanged: in.StepsChanged, Paused: in.SpecPaused,
		ProgressDeadlineSeconds: new(int32(math.MaxInt32)), // none is exceeded in the recordings
	}
	if in.TemplateIsStable {
		o.TemplateHash = "stable"
	}
	o.Status = rollout.ArgoStatus{
		ObservedGeneration: 1, CurrentPodHash: in.StatusCurrentPodHash, StableRS: "stable", Abort: in.Abort, PromoteFull: in.PromoteFull,
		CurrentStepIndex: in.CurrentStepIndex, ActiveSelector: in.ActiveSelector, ScaleUpPreviewCheckPoint: in.ScaleUpPreviewCheckPoint,
		Conditions: []rollout.ArgoCondition{{
			Type: rollout.ArgoConditionProgressing, Status: "True", Reason: "ReplicaSetUpdated",
			LastUpdateTime: now.Add(-time.Duration(in.ProgressingConditionAgeSeconds) * time.Second),
		}},
		Replicas: in.New.Replicas + in.Stable.Replicas, UpdatedReplicas: in.New.Replicas, ReadyReplicas: in.New.Available + in.Stable.Available,
		AvailableReplicas: in.New.Available + in.Stable.Available,
	}
	reason := rollout.ArgoPauseStep
	s := rollout.ArgoSnapshot{Rollout: o}
	if blueGreen {
		reason = rollout.ArgoPauseBlueGreen
		s.Rollout.BlueGreen = &rollout.ArgoPreview{
			AutoPromotionEnabled: in.AutoPromotionEnabled, AutoPromotionSeconds: in.AutoPromotionSeconds,
			PreviewReplicaCount: in.PreviewReplicaCount, ScaleDownDelaySeconds: in.ScaleDownDelaySeconds,
		}
		s.Active = &rollout.ArgoService{Name: "active", Selector: map[string]string{rollout.ArgoHashLabel: in.ActiveSelector}}
		if in.PreviewService {
			s.Preview = &rollout.ArgoService{Name: "preview", Selector: map[string]string{rollout.ArgoHashLabel: "new"}}
			s.Rollout.Status.PreviewSelector = "new"
		}
	}
	if in.Pause != "" {
		s.Rollout.Status.ControllerPause = true
	}
	if in.Pause == "condition" {
		since := s.Rollout.Status.Conditions[0].LastUpdateTime
		s.Rollout.Status.Conditions = []rollout.ArgoCondition{
			{Type: rollout.ArgoConditionProgressing, Status: "Unknown", Reason: "RolloutPaused", LastUpdateTime: since},
			{Type: rollout.ArgoConditionPaused, Status: "True", Reason: "RolloutPaused"},
		}
		s.Rollout.Status.PauseConditions = []rollout.ArgoPauseCondition{{Reason: reason, StartTime: now.Add(-time.Duration(in.PauseAgeSeconds) * time.Second)}}
	}
	set := func(hash string, revision int64, replicas, available, desired int32) rollout.ArgoReplicaSet {
		return rollout.ArgoReplicaSet{
			Name: "demo-" + hash, Hash: hash, Revision: revision, DesiredReplicas: &desired, ReadyReplicas: available,
			ArgoSet:           rollout.ArgoSet{Replicas: replicas, AvailableReplicas: available, StatusReplicas: replicas},
			CreationTimestamp: now.Add(time.Duration(revision) * time.Minute),
		}
	}
	desired := in.Replicas
	if in.DesiredReplicasAnnotationStale {
		desired++ // of the stable one only
	}
	s.Sets = []rollout.ArgoReplicaSet{
		set("new", 2, in.New.Replicas, in.New.Available, in.Replicas), set("stable", 1, in.Stable.Replicas, in.Stable.Available, desired),
	}
	return s
}

// recordArgo words a plan as it was recorded.
func recordArgo(t *testing.T, s rollout.ArgoSnapshot, p rollout.ArgoPlan) map[string]any {
	t.Helper()
	sets := map[string]map[string]any{}
	for _, set := range s.Sets {
		sets[set.Hash] = map[string]any{"replicas": set.Replicas}
	}
	services := map[string]any{}
	for _, service := range []*rollout.ArgoService{s.Active, s.Preview} {
		if service != nil {
			services[service.Name] = service.Selector[rollout.ArgoHashLabel]
		}
	}
	for _, a := range p.Actions {
		switch a := a.(type) {
		case rollout.ScaleReplicaSet:
			sets[a.Hash]["replicas"] = a.To
		case rollout.DelayReplicaSet:
			sets[a.Hash]["scaleDownDeadlineInSeconds"] = a.Until.Sub(now).Seconds()
		case rollout.ArgoSelectPods:
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

func agreeArgo(t *testing.T, name string, blueGreen bool) {
	recorded.Agree(t, name, func(t *testing.T, r recorded.Recording) (any, string) {
		var in argoRecorded
		r.Read(t, &in)
		s := in.snapshot(blueGreen)
		p, err := planArgo(s, now)
		require.NoError(t, err, r.ID)
		out := recordArgo(t, s, p)
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

func TestVectorsArgoCanaryPass(t *testing.T) { agreeArgo(t, "argo/basic_canary_reconcile", false) }

func TestVectorsArgoBlueGreenPass(t *testing.T) { agreeArgo(t, "argo/bluegreen_reconcile", true) }
