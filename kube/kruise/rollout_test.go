// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

func drawText(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "b", "ab"}).Draw(t, "text")
}

func drawLimit(t *rapid.T) rollout.IntOrPercent {
	n := rapid.Int32Range(0, 120).Draw(t, "n")
	return rapid.SampledFrom([]rollout.IntOrPercent{{}, rollout.Int(n), rollout.Percent(n)}).Draw(t, "limit")
}

// drawTime returns a time of whole seconds, which is what the API carries, or none.
func drawTime(t *rapid.T) time.Time {
	n := rapid.Int64Range(0, 9).Draw(t, "time")
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(1_700_000_000+n, 0).UTC()
}

func drawSet(t *rapid.T) map[string]string {
	n := rapid.IntRange(0, 2).Draw(t, "size")
	if n == 0 {
		return nil
	}
	m := map[string]string{}
	for range n {
		m[rapid.SampledFrom([]string{"a", "b", workload.AnnotationRollingStyle}).Draw(t, "key")] = drawText(t)
	}
	return m
}

// drawPointer returns a pointer to a number, or nil.
func drawPointer(t *rapid.T) *int32 {
	n := rapid.Int32Range(-1, 3).Draw(t, "pointer")
	if n < 0 {
		return nil
	}
	return &n
}

func drawMatches(t *rapid.T) []traffic.Match {
	switch rapid.IntRange(0, 3).Draw(t, "matches") {
	case 0:
		return []traffic.Match{{Path: &traffic.PathMatch{Type: "Exact", Value: drawText(t)}}}
	case 1:
		return []traffic.Match{{Headers: []traffic.ValueMatch{{Name: "user", Value: drawText(t)}}, Method: drawText(t)}}
	case 2:
		return []traffic.Match{{QueryParams: []traffic.ValueMatch{{Type: "Exact", Name: "q", Value: "1"}}}}
	}
	return nil
}

func drawStrategy(t *rapid.T) *kruise.Strategy {
	s := &kruise.Strategy{FailureThreshold: drawLimit(t), TrafficRoutingRef: drawText(t), DisableGenerateCanaryService: rapid.Bool().Draw(t, "no service")}
	for range rapid.IntRange(0, 3).Draw(t, "steps") {
		s.Steps = append(s.Steps, kruise.Step{
			Replicas: drawLimit(t), Traffic: drawLimit(t), Matches: drawMatches(t), Pause: kruise.Pause{Duration: drawPointer(t)},
		})
	}
	s.TrafficRoutings = drawRoutings(t)
	return s
}

func drawRoutings(t *rapid.T) []traffic.Routing {
	if rapid.Bool().Draw(t, "no traffic") {
		return nil
	}
	return []traffic.Routing{{
		Service: "web", GracePeriodSeconds: rapid.Int32Range(0, 9).Draw(t, "grace"),
		Ingress: &traffic.IngressRef{Name: "in", ClassType: drawText(t)}, Gateway: &traffic.GatewayRef{HTTPRouteName: ptr.To(drawText(t))},
	}}
}

func drawConditions(t *rapid.T) []kplan.Condition {
	var list []kplan.Condition
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		list = append(list, kplan.Condition{
			Type: drawText(t), Status: "True", Reason: drawText(t), Message: drawText(t), LastUpdateTime: drawTime(t), LastTransitionTime: drawTime(t),
		})
	}
	return list
}

func drawRolloutStatus(t *rapid.T) kruise.Status {
	n := rapid.Int32Range(-1, 3)
	s := kruise.Status{
		ObservedGeneration: int64(n.Draw(t, "generation")), Phase: kruise.PhaseProgressing, Message: drawText(t), Conditions: drawConditions(t),
		CurrentStepIndex: n.Draw(t, "step"), CurrentStepState: kruise.StatePaused,
	}
	if rapid.Bool().Draw(t, "sub") {
		s.Sub = &kruise.StepStatus{
			ObservedRolloutID: drawText(t), ObservedWorkloadGeneration: int64(n.Draw(t, "workload")), RolloutHash: drawText(t),
			StableRevision: drawText(t), Revision: drawText(t), PodTemplateHash: drawText(t), Replicas: n.Draw(t, "replicas"),
			ReadyReplicas: n.Draw(t, "ready"), CurrentStepIndex: n.Draw(t, "current"), NextStepIndex: n.Draw(t, "next"),
			CurrentStepState: kruise.StateUpgrade, FinalisingStep: kruise.FinalResume, LastUpdateTime: drawTime(t), Message: drawText(t),
		}
	}
	return s
}

func drawRollout(t *rapid.T) kruise.Rollout {
	r := kruise.Rollout{
		Name: "web", UID: drawText(t), Generation: 3, Annotations: drawSet(t), DeletionTimestamp: drawTime(t),
		WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		Disabled:    rapid.Bool().Draw(t, "disabled"), Paused: rapid.Bool().Draw(t, "paused"), Status: drawRolloutStatus(t),
	}
	if rapid.Bool().Draw(t, "finalizer") {
		r.Finalizers = []string{workload.FinalizerRollout}
	}
	switch s := drawStrategy(t); rapid.IntRange(0, 2).Draw(t, "style") {
	case 0:
		r.Canary = s
	case 1:
		r.Canary, s.EnableExtraWorkloadForCanary = s, true
		s.PatchPodTemplateMetadata = &workload.TemplateMetadata{Labels: drawSet(t)}
	case 2:
		r.BlueGreen = s
	}
	return r
}

// through sends an object the way that it takes to an API server and back.
func through[T any](t require.TestingT, o *T) *T {
	data, err := json.Marshal(o)
	require.NoError(t, err)
	back := new(T)
	require.NoError(t, json.Unmarshal(data, back))
	return back
}

// A Rollout comes back from its object as it was.
func TestRolloutRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRollout(t)
		o := through(t, kubekruise.ToRollout("shop", r))
		require.Equal(t, "shop", o.Namespace)
		require.Empty(t, cmp.Diff(r, kubekruise.Rollout(o)))
	})
}

// So does one of the older version.
func TestRolloutV1alpha1RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := kruise.RolloutV1alpha1{
			Name: "web", UID: "u", Annotations: drawSet(t), DeletionTimestamp: drawTime(t), TrafficRoutings: drawRoutings(t),
			WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, FailureThreshold: drawLimit(t),
			Paused: rapid.Bool().Draw(t, "paused"), Disabled: rapid.Bool().Draw(t, "disabled"), Status: drawRolloutStatus(t),
		}
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			r.Steps = append(r.Steps, kruise.StepV1alpha1{Weight: drawPointer(t), Replicas: drawLimit(t), Matches: drawMatches(t), Pause: kruise.Pause{Duration: drawPointer(t)}})
		}
		require.Empty(t, cmp.Diff(r, kubekruise.RolloutV1alpha1(through(t, kubekruise.ToRolloutV1alpha1("shop", r)))))
	})
}

// And a BatchRelease, whose plan keeps its hash.
func TestBatchReleaseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(-1, 3)
		br := batchrelease.Release{
			Name: "web", UID: drawText(t), Annotations: drawSet(t), DeletionTimestamp: drawTime(t),
			WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
			ReleasePlan: batchrelease.ReleasePlan{
				BatchPartition: drawPointer(t), RolloutID: drawText(t), FailureThreshold: drawLimit(t), FinalizingPolicy: batchrelease.WaitResume,
				RollingStyle: workload.Partition, Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(n.Draw(t, "batch"))}},
			},
			Status: batchrelease.Status{
				Conditions: drawConditions(t), StableRevision: drawText(t), UpdateRevision: drawText(t), ObservedWorkloadReplicas: n.Draw(t, "observed"),
				CollisionCount: drawPointer(t), ObservedReleasePlanHash: drawText(t), Phase: batchrelease.PhaseProgressing, Message: drawText(t),
				Current: batchrelease.CurrentBatch{
					BatchState: batchrelease.StateVerifying, CurrentBatch: n.Draw(t, "current"), BatchReadyTime: drawTime(t),
					UpdatedReplicas: n.Draw(t, "updated"), UpdatedReadyReplicas: n.Draw(t, "ready"), NoNeedUpdateReplicas: drawPointer(t),
				},
			},
		}
		back := kubekruise.BatchRelease(through(t, kubekruise.ToBatchRelease("shop", br)))
		require.Empty(t, cmp.Diff(br, back))
		require.Equal(t, br.ReleasePlan.Hash(), back.ReleasePlan.Hash())
	})
}

const echoserver = `{
	"apiVersion": "rollouts.kruise.io/v1beta1", "kind": "Rollout",
	"metadata": {"name": "echoserver", "namespace": "shop", "uid": "r1", "generation": 2, "finalizers": ["rollouts.kruise.io/rollout"]},
	"spec": {
		"workloadRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "echoserver"},
		"strategy": {"paused": true, "canary": {
			"steps": [
				{"replicas": "20%", "traffic": "20%", "pause": {"duration": 60}},
				{"replicas": 3, "pause": {}, "matches": [{"headers": [{"type": "Exact", "name": "user", "value": "a"}]}]}
			],
			"trafficRoutings": [{"service": "echoserver", "ingress": {"classType": "nginx", "name": "echoserver"}}]
		}}
	},
	"status": {
		"phase": "Progressing", "currentStepIndex": 1, "currentStepState": "StepPaused",
		"conditions": [{"type": "Progressing", "status": "True", "reason": "InRolling", "message": "m", "lastUpdateTime": "2026-01-02T15:04:05Z", "lastTransitionTime": null}],
		"canaryStatus": {"canaryRevision": "v2", "canaryReplicas": 2, "canaryReadyReplicas": 1, "currentStepIndex": 1, "nextStepIndex": 2,
			"currentStepState": "StepPaused", "podTemplateHash": "v2", "finalisingStep": "", "lastUpdateTime": "2026-01-02T15:04:05Z"}
	}
}`

// The form of the API, field by field.
func TestRollout(t *testing.T) {
	var o kubekruise.RolloutObject
	decoder := json.NewDecoder(strings.NewReader(echoserver))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&o))
	at := time.Date(2026, time.January, 2, 15, 4, 5, 0, time.UTC)
	want := kruise.Rollout{
		Name: "echoserver", UID: "r1", Generation: 2, Finalizers: []string{workload.FinalizerRollout}, Paused: true,
		WorkloadRef: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "echoserver"},
		Canary: &kruise.Strategy{
			Steps: []kruise.Step{
				{Replicas: rollout.Percent(20), Traffic: rollout.Percent(20), Pause: kruise.Pause{Duration: ptr.To(int32(60))}},
				{Replicas: rollout.Int(3), Matches: []traffic.Match{{Headers: []traffic.ValueMatch{{Type: "Exact", Name: "user", Value: "a"}}}}},
			},
			TrafficRoutings: []traffic.Routing{{Service: "echoserver", Ingress: &traffic.IngressRef{ClassType: "nginx", Name: "echoserver"}}},
		},
		Status: kruise.Status{
			Phase: kruise.PhaseProgressing, CurrentStepIndex: 1, CurrentStepState: kruise.StatePaused,
			Conditions: []kplan.Condition{{Type: "Progressing", Status: "True", Reason: "InRolling", Message: "m", LastUpdateTime: at}},
			Sub: &kruise.StepStatus{
				Revision: "v2", PodTemplateHash: "v2", Replicas: 2, ReadyReplicas: 1, CurrentStepIndex: 1, NextStepIndex: 2,
				CurrentStepState: kruise.StatePaused, LastUpdateTime: at,
			},
		},
	}
	require.Empty(t, cmp.Diff(want, kubekruise.Rollout(&o)))
	require.Equal(t, kruise.Rollout{}, kubekruise.Rollout(nil))

	// Clients without types of their own hold objects as maps.
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(echoserver), &object))
	var converted kubekruise.RolloutObject
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object, &converted))
	require.Empty(t, cmp.Diff(want, kubekruise.Rollout(&converted)))

	bg := kubekruise.ToRolloutStatus(want.Status, workload.BlueGreen)
	require.Nil(t, bg.CanaryStatus)
	require.Equal(t, "v2", bg.BlueGreenStatus.UpdatedRevision)
	require.EqualValues(t, 1, bg.BlueGreenStatus.UpdatedReadyReplicas)
}

// The older version: the style is an annotation, a weight is a share of pods as well.
func TestRolloutV1alpha1(t *testing.T) {
	const text = `{
		"apiVersion": "rollouts.kruise.io/v1alpha1", "kind": "Rollout",
		"metadata": {"name": "web", "annotations": {"rollouts.kruise.io/rolling-style": "Partition"}},
		"spec": {
			"objectRef": {"workloadRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}},
			"strategy": {"canary": {"steps": [{"weight": 5, "pause": {}}, {"weight": 40, "replicas": 4, "pause": {"duration": 9}}]}}
		}
	}`
	var o kubekruise.RolloutObjectV1alpha1
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&o))
	r := kubekruise.RolloutV1alpha1(&o).Convert()
	require.Equal(t, workload.Partition, r.Style())
	require.Empty(t, cmp.Diff([]kruise.Step{
		{Replicas: rollout.Percent(5), Traffic: rollout.Percent(5)},
		{Replicas: rollout.Int(4), Traffic: rollout.Percent(40), Pause: kruise.Pause{Duration: ptr.To(int32(9))}},
	}, r.Canary.Steps))
	require.Equal(t, "web", r.WorkloadRef.Name)
	require.Equal(t, kruise.RolloutV1alpha1{}, kubekruise.RolloutV1alpha1(nil))
	require.Empty(t, kubekruise.RolloutV1alpha1(&kubekruise.RolloutObjectV1alpha1{}).WorkloadRef, "nothing is named")
}

// The style of an older BatchRelease is an annotation, in whatever case.
func TestBatchReleaseV1alpha1(t *testing.T) {
	for annotation, want := range map[string]workload.Style{
		"partition": workload.Partition, "Canary": workload.Canary, "bluegreen": workload.BlueGreen, "other": "", "": "",
	} {
		o := &kubekruise.BatchReleaseObjectV1alpha1{ObjectMeta: metav1.ObjectMeta{
			Name: "web", Annotations: map[string]string{workload.AnnotationRollingStyle: annotation},
		}}
		o.Spec.TargetReference.WorkloadRef = &workload.Ref{Name: "web"}
		o.Status.CanaryStatus.CurrentBatch = 2
		br := kubekruise.BatchReleaseV1alpha1(o)
		require.Equal(t, want, br.ReleasePlan.RollingStyle)
		require.Equal(t, "web", br.WorkloadRef.Name)
		require.EqualValues(t, 2, br.Status.Current.CurrentBatch)
	}
	require.Equal(t, batchrelease.Release{}, kubekruise.BatchReleaseV1alpha1(nil))
	require.Equal(t, batchrelease.Release{}, kubekruise.BatchRelease(nil))
}
