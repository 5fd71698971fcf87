// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// recordedTime is "T", which is the time of the last update, or "now".
type recordedTime string

type recordedCondition struct {
	LastTransitionTime recordedTime `json:"lastTransitionTime"`
	LastUpdateTime     recordedTime `json:"lastUpdateTime"`
	Message            string       `json:"message"`
	Reason             string       `json:"reason"`
	Status             string       `json:"status"`
	Type               string       `json:"type"`
}

type recordedSteps struct {
	CanaryReplicas             *int32                `json:"canaryReplicas,omitempty"`
	CanaryReadyReplicas        *int32                `json:"canaryReadyReplicas,omitempty"`
	CanaryRevision             string                `json:"canaryRevision,omitempty"`
	UpdatedReplicas            *int32                `json:"updatedReplicas,omitempty"`
	UpdatedReadyReplicas       *int32                `json:"updatedReadyReplicas,omitempty"`
	UpdatedRevision            string                `json:"updatedRevision,omitempty"`
	CurrentStepIndex           int32                 `json:"currentStepIndex"`
	CurrentStepState           kruise.StepState      `json:"currentStepState"`
	FinalisingStep             kruise.FinalisingStep `json:"finalisingStep"`
	LastUpdateTime             recordedTime          `json:"lastUpdateTime,omitempty"`
	Message                    string                `json:"message,omitempty"`
	NextStepIndex              int32                 `json:"nextStepIndex"`
	ObservedRolloutID          string                `json:"observedRolloutID,omitempty"`
	ObservedWorkloadGeneration int64                 `json:"observedWorkloadGeneration,omitempty"`
	PodTemplateHash            string                `json:"podTemplateHash"`
	RolloutHash                string                `json:"rolloutHash,omitempty"`
	StableRevision             string                `json:"stableRevision,omitempty"`
}

type recordedStatus struct {
	BlueGreenStatus    *recordedSteps      `json:"blueGreenStatus,omitempty"`
	CanaryStatus       *recordedSteps      `json:"canaryStatus,omitempty"`
	Conditions         []recordedCondition `json:"conditions,omitempty"`
	CurrentStepIndex   int32               `json:"currentStepIndex"`
	CurrentStepState   kruise.StepState    `json:"currentStepState"`
	Message            string              `json:"message,omitempty"`
	ObservedGeneration int64               `json:"observedGeneration,omitempty"`
	Phase              kruise.Phase        `json:"phase,omitempty"`
}

// A clock translates recorded times.
type clock struct{ t time.Time }

func (c clock) read(r recordedTime) time.Time {
	switch r {
	case "T":
		return c.t
	case "now":
		return now
	}
	return time.Time{}
}

func (c clock) write(t time.Time) recordedTime {
	switch {
	case t.IsZero():
		return ""
	case t.Equal(now):
		return "now"
	case t.Equal(c.t):
		return "T"
	}
	return recordedTime(t.String())
}

func number(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}

func (c clock) status(r recordedStatus) kruise.Status {
	s := kruise.Status{
		ObservedGeneration: r.ObservedGeneration, Phase: r.Phase, Message: r.Message,
		CurrentStepIndex: r.CurrentStepIndex, CurrentStepState: r.CurrentStepState,
	}
	for _, k := range r.Conditions {
		s.Conditions = append(s.Conditions, kplan.Condition{
			Type: k.Type, Status: kplan.ConditionStatus(k.Status), Reason: k.Reason, Message: k.Message,
			LastUpdateTime: c.read(k.LastUpdateTime), LastTransitionTime: c.read(k.LastTransitionTime),
		})
	}
	sub := r.CanaryStatus
	if r.BlueGreenStatus != nil {
		sub = r.BlueGreenStatus
	}
	if sub != nil {
		s.Sub = &kruise.StepStatus{
			ObservedRolloutID: sub.ObservedRolloutID, ObservedWorkloadGeneration: sub.ObservedWorkloadGeneration,
			RolloutHash: sub.RolloutHash, StableRevision: sub.StableRevision, Revision: sub.CanaryRevision + sub.UpdatedRevision,
			PodTemplateHash: sub.PodTemplateHash, Replicas: number(sub.CanaryReplicas) + number(sub.UpdatedReplicas),
			ReadyReplicas:    number(sub.CanaryReadyReplicas) + number(sub.UpdatedReadyReplicas),
			CurrentStepIndex: sub.CurrentStepIndex, NextStepIndex: sub.NextStepIndex, CurrentStepState: sub.CurrentStepState,
			FinalisingStep: sub.FinalisingStep, LastUpdateTime: c.read(sub.LastUpdateTime), Message: sub.Message,
		}
	}
	return s
}

func (c clock) record(s kruise.Status, blueGreen bool) recordedStatus {
	r := recordedStatus{
		ObservedGeneration: s.ObservedGeneration, Phase: s.Phase, Message: s.Message,
		CurrentStepIndex: s.CurrentStepIndex, CurrentStepState: s.CurrentStepState,
	}
	for _, k := range s.Conditions {
		r.Conditions = append(r.Conditions, recordedCondition{
			Type: k.Type, Status: string(k.Status), Reason: k.Reason, Message: k.Message,
			LastUpdateTime: c.write(k.LastUpdateTime), LastTransitionTime: c.write(k.LastTransitionTime),
		})
	}
	if s.Sub == nil {
		return r
	}
	sub := &recordedSteps{
		CurrentStepIndex: s.Sub.CurrentStepIndex, CurrentStepState: s.Sub.CurrentStepState, FinalisingStep: s.Sub.FinalisingStep,
		LastUpdateTime: c.write(s.Sub.LastUpdateTime), Message: s.Sub.Message, NextStepIndex: s.Sub.NextStepIndex,
		ObservedRolloutID: s.Sub.ObservedRolloutID, ObservedWorkloadGeneration: s.Sub.ObservedWorkloadGeneration,
		PodTemplateHash: s.Sub.PodTemplateHash, RolloutHash: s.Sub.RolloutHash, StableRevision: s.Sub.StableRevision,
	}
	if blueGreen {
		sub.UpdatedReplicas, sub.UpdatedReadyReplicas, sub.UpdatedRevision = &s.Sub.Replicas, &s.Sub.ReadyReplicas, s.Sub.Revision
		r.BlueGreenStatus = sub
	} else {
		sub.CanaryReplicas, sub.CanaryReadyReplicas, sub.CanaryRevision = &s.Sub.Replicas, &s.Sub.ReadyReplicas, s.Sub.Revision
		r.CanaryStatus = sub
	}
	return r
}

type recordedRollout struct {
	BatchRelease *struct {
		Annotations map[string]string
		Deleting    bool
		Generation  int64
		Spec        struct {
			ReleasePlan batchrelease.ReleasePlan
			WorkloadRef workload.Ref
		}
		Status batchrelease.Status
	}
	CanaryServiceAndRouteExist                               bool
	CanaryServiceRevisionSelector                            string
	StableServiceRevisionSelector                            string
	Deleting, Disabled, Paused, PlanChanged, RollbackInBatch bool
	GracePeriodSeconds                                       int32
	LastUpdateAgeSeconds                                     int64
	RolloutHash                                              string
	Status                                                   recordedStatus
	Steps                                                    []struct {
		Replicas      rollout.IntOrPercent
		Traffic       rollout.IntOrPercent
		PauseDuration *int32
	}
	Style          workload.Style
	TrafficRouting bool
	Workload       *struct {
		Annotations, Labels                                               map[string]string
		CanaryRevision, PodTemplateHash, RevisionLabelKey, StableRevision string
		Generation                                                        int64
		InRolloutProgressing, IsInRollback, IsStatusConsistent            bool
		Replicas                                                          int32
	}
}

func (in *recordedRollout) snapshot(c clock) kruise.Snapshot {
	strategy := &kruise.Strategy{EnableExtraWorkloadForCanary: in.Style == workload.Canary}
	for _, step := range in.Steps {
		strategy.Steps = append(strategy.Steps, kruise.Step{
			Replicas: step.Replicas, Traffic: step.Traffic, Pause: kruise.Pause{Duration: step.PauseDuration},
		})
	}
	s := kruise.Snapshot{Rollout: kruise.Rollout{
		Name: "ro", UID: "rouid", Generation: 3, Finalizers: []string{workload.FinalizerRollout}, WorkloadRef: deployment,
		Disabled: in.Disabled, Paused: in.Paused, Canary: strategy, Status: c.status(in.Status),
		Annotations: map[string]string{workload.AnnotationHash: in.RolloutHash},
	}}
	if in.RollbackInBatch {
		s.Rollout.Annotations[workload.AnnotationRollbackInBatch] = "true"
	}
	if in.Style == workload.BlueGreen {
		s.Rollout.Canary, s.Rollout.BlueGreen = nil, strategy
	}
	if in.Deleting {
		s.Rollout.DeletionTimestamp = now
	}
	if b := in.BatchRelease; b != nil {
		s.BatchRelease = &batchrelease.Release{
			Name: "ro", Generation: b.Generation, Annotations: b.Annotations, WorkloadRef: b.Spec.WorkloadRef, ReleasePlan: b.Spec.ReleasePlan, Status: b.Status,
		}
		if b.Deleting {
			s.BatchRelease.DeletionTimestamp = now
		}
	}
	if w := in.Workload; w != nil {
		s.Workload = &workload.State{
			Ref: deployment, Generation: w.Generation, Labels: w.Labels, Annotations: w.Annotations, Consistent: w.IsStatusConsistent,
			Replicas: w.Replicas, StableRevision: w.StableRevision, CanaryRevision: w.CanaryRevision, PodTemplateHash: w.PodTemplateHash,
			RevisionLabelKey: w.RevisionLabelKey, InRollback: w.IsInRollback, InProgress: w.InRolloutProgressing,
		}
	}
	if in.TrafficRouting {
		in.traffic(&s, strategy)
	}
	return s
}

func (in *recordedRollout) traffic(s *kruise.Snapshot, strategy *kruise.Strategy) {
	strategy.TrafficRoutings = routings(1)
	strategy.TrafficRoutings[0].GracePeriodSeconds = in.GracePeriodSeconds
	selector := func(hash string) map[string]string {
		m := map[string]string{"app": "demo"}
		if hash != "" {
			m[workload.LabelPodTemplateHash] = hash
		}
		return m
	}
	s.Traffic.Stable = &traffic.Service{Name: "svc", Selector: selector(in.StableServiceRevisionSelector)}
	ref := traffic.BackendRef{Kind: "Service", Name: "svc", Port: ptr.To(int32(80))}
	rule := traffic.Rule{BackendRefs: []traffic.BackendRef{ref}}
	if in.CanaryServiceAndRouteExist {
		s.Traffic.Canary = &traffic.Service{Name: "svc-canary", Selector: selector(in.CanaryServiceRevisionSelector)}
		canary := ref
		canary.Name, canary.Weight = "svc-canary", ptr.To(int32(20))
		rule.BackendRefs[0].Weight = ptr.To(int32(80))
		rule.BackendRefs = append(rule.BackendRefs, canary)
	}
	s.Traffic.Route = &traffic.Route{Name: "route", Rules: []traffic.Rule{rule}}
}

func ownerOf(uid string) []any {
	return []any{map[string]any{
		"apiVersion": "rollouts.kruise.io/v1beta1", "blockOwnerDeletion": true, "controller": true, "kind": "Rollout", "name": "ro", "uid": uid,
	}}
}

// recordAction words an action as it was recorded.
func recordAction(t *testing.T, a kruise.Action) any {
	t.Helper()
	switch a := a.(type) {
	case kruise.PatchWorkload:
		return map[string]any{"body": json.RawMessage(a.Patch.Body(a.Workload)), "kind": "Deployment", "name": "demo", "verb": "patch"}
	case kruise.SetRoute:
		return map[string]any{"kind": "HTTPRoute", "name": a.Name, "rules": a.Rules, "verb": "update"}
	case kruise.SetFinalizer:
		require.True(t, a.Remove)
		return map[string]any{"finalizers": []any{}, "kind": a.Kind, "name": a.Name, "verb": "update"}
	case kruise.DeleteBatchRelease:
		return map[string]any{"kind": "BatchRelease", "name": a.Name, "verb": "delete"}
	case kruise.DeleteService:
		return map[string]any{"kind": "Service", "name": a.Name, "verb": "delete"}
	case kruise.SelectPods:
		var value any
		if a.Value != "" {
			value = a.Value
		}
		return map[string]any{
			"body": map[string]any{"spec": map[string]any{"selector": map[string]any{a.Key: value}}}, "kind": "Service", "name": a.Service, "verb": "patch",
		}
	case kruise.PatchBatchRelease:
		plan := map[string]any{}
		if a.RolloutID != nil {
			plan["rolloutID"] = *a.RolloutID
		}
		if a.Finalize != "" {
			plan["batchPartition"], plan["finalizingPolicy"] = nil, a.Finalize
		}
		return map[string]any{"body": map[string]any{"spec": map[string]any{"releasePlan": plan}}, "kind": "BatchRelease", "name": a.Name, "verb": "patch"}
	case kruise.UpdateBatchRelease:
		var annotations any
		if len(a.Annotations) > 0 {
			annotations = a.Annotations
		}
		return map[string]any{
			"annotations": annotations, "kind": "BatchRelease", "name": a.Name, "verb": "update",
			"spec": map[string]any{"releasePlan": a.ReleasePlan, "workloadRef": a.WorkloadRef},
		}
	case kruise.CreateBatchRelease:
		metadata := map[string]any{"creationTimestamp": nil, "name": a.Name, "namespace": "ns", "ownerReferences": ownerOf(a.OwnerUID)}
		if len(a.Annotations) > 0 {
			metadata["annotations"] = a.Annotations
		}
		return map[string]any{"kind": "BatchRelease", "verb": "create", "object": map[string]any{
			"metadata": metadata, "spec": map[string]any{"releasePlan": a.ReleasePlan, "workloadRef": a.WorkloadRef},
			"status": map[string]any{"canaryStatus": map[string]any{"currentBatch": 0}},
		}}
	case kruise.CreateService:
		return map[string]any{"kind": "Service", "verb": "create", "object": map[string]any{
			"metadata": map[string]any{"creationTimestamp": nil, "name": a.Name, "namespace": "ns", "ownerReferences": ownerOf(a.OwnerUID)},
			"spec":     map[string]any{"ports": []any{map[string]any{"port": 80, "targetPort": 0}}, "selector": a.Selector},
			"status":   map[string]any{"loadBalancer": map[string]any{}},
		}}
	}
	t.Fatalf("not recorded: %v", a)
	return nil
}

func TestVectorsRolloutReconcile(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/rollout_reconcile", func(t *testing.T, r recorded.Recording) (any, string) {
		var in recordedRollout
		r.Read(t, &in)
		c := clock{now.Add(-time.Duration(in.LastUpdateAgeSeconds) * time.Second)}
		s := in.snapshot(c)
		if !in.PlanChanged {
			require.Equal(t, in.RolloutHash, kruise.StrategyHash(s.Rollout), r.ID)
		}
		plan, err := planRollout(s, now, kruise.Options{})
		require.NoError(t, err, r.ID)
		out := map[string]any{"requeueAfterSeconds": 0, "status": c.record(plan.Status, in.Style == workload.BlueGreen)}
		if !plan.RecheckAt.IsZero() {
			out["requeueAfterSeconds"] = int(plan.RecheckAt.Sub(now).Seconds())
		}
		events, actions := []any{}, []any{}
		for _, e := range plan.Events {
			events = append(events, fmt.Sprintf("%s %s %s", e.Type, e.Reason, e.Message))
		}
		for _, a := range plan.Actions {
			actions = append(actions, recordAction(t, a))
		}
		out["events"], out["actions"] = events, actions
		if plan.Failure != "" {
			out["error"] = plan.Failure
		}
		rule := ""
		if strings.Contains(string(r.Output), `"panic"`) {
			rule = "crash"
		}
		if strings.Contains(string(r.Output), `"rolloutGone"`) { // there is no status to write any more
			delete(out, "status")
			out["rolloutGone"], out["error"] = true, `rollouts.rollouts.kruise.io "ro" not found`
		}
		if in.TrafficRouting && !in.CanaryServiceAndRouteExist && cmp.Equal(withoutDelete(t, r.Output), recorded.Plain(t, recorded.Marshal(t, out))) {
			rule = "no canary"
		}
		if sub := plan.Status.Sub; sub != nil && sub.CurrentStepState == kruise.StatePaused && sub.LastUpdateTime.Equal(now) && plan.RecheckAt.Equal(now.Add(1)) {
			rule = "no pause"
		}
		return out, rule
	})
}

// withoutDelete returns a recorded output without the deletion of the canary Service.
func withoutDelete(t *testing.T, output json.RawMessage) any {
	t.Helper()
	out, ok := recorded.Plain(t, output).(map[string]any)
	if !ok {
		return nil
	}
	if actions, ok := out["actions"].([]any); ok {
		out["actions"] = slices.DeleteFunc(actions, func(a any) bool {
			return cmp.Equal(a, map[string]any{"kind": "Service", "name": "svc-canary", "verb": "delete"})
		})
	}
	return out
}

func TestVectorsStepJump(t *testing.T) {
	recorded.Agree(t, "kruise-rollouts/step_jump_and_recalculation", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			BatchPartition                                             int32
			BatchReleaseExists                                         bool
			Batches, Steps                                             []rollout.IntOrPercent
			CurrentStepIndex, NextStepIndex, Replicas, UpdatedReplicas int32
			CurrentStepState                                           kruise.StepState
		}
		r.Read(t, &in)
		var steps []kruise.Step
		for _, v := range in.Steps {
			steps = append(steps, kruise.Step{Replicas: v})
		}
		var br *batchrelease.Release
		if in.BatchReleaseExists {
			br = &batchrelease.Release{}
			br.ReleasePlan.BatchPartition = &in.BatchPartition
			for _, v := range in.Batches {
				br.ReleasePlan.Batches = append(br.ReleasePlan.Batches, batchrelease.Batch{CanaryReplicas: v})
			}
		}
		out := map[string]any{
			"currentStepIndex": in.CurrentStepIndex, "currentStepState": in.CurrentStepState, "nextStepIndex": in.NextStepIndex, "jumped": false,
			"recalculatedStepIndex": kruise.RecalculateStep(steps, br, in.Replicas, in.CurrentStepIndex),
		}
		if to := kruise.JumpStep(steps, in.CurrentStepIndex, in.NextStepIndex); to != 0 {
			out["jumped"], out["currentStepIndex"], out["nextStepIndex"] = true, to, kruise.NextStep(int32(len(steps)), to)
			out["currentStepState"] = kruise.StateAfterJump(steps[to-1], in.Replicas, in.UpdatedReplicas)
		}
		return out, ""
	})
}
