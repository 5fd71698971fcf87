// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
)

const shop = `{
	"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout",
	"metadata": {"name": "shop", "namespace": "eu", "uid": "r1", "generation": 4, "annotations": {"rollout.argoproj.io/revision": "3"}},
	"spec": {
		"replicas": 5, "minReadySeconds": 3, "revisionHistoryLimit": 2, "progressDeadlineAbort": true, "rollbackWindow": {"revisions": 2},
		"selector": {"matchLabels": {"app": "shop"}},
		"template": {"metadata": {"labels": {"app": "shop"}}, "spec": {"containers": [{"name": "shop", "image": "shop:2"}]}},
		"strategy": {"canary": {
			"canaryService": "shop-canary", "stableService": "shop-stable", "maxSurge": "20", "maxUnavailable": 0,
			"dynamicStableScale": true, "minPodsPerReplicaSet": 2, "replicaProgressThreshold": {"type": "Percent", "value": 90},
			"trafficRouting": {"maxTrafficWeight": 1000, "nginx": {"stableIngress": "shop"}},
			"analysis": {"templates": [{"templateName": "errors"}], "startingStep": 1},
			"steps": [
				{"setWeight": 200}, {"pause": {"duration": "1h30m"}}, {"pause": {"duration": 60}}, {"pause": {"duration": "45"}}, {"pause": {}},
				{"setCanaryScale": {"replicas": 3}}, {"analysis": {"templates": [{"templateName": "errors"}], "args": [{"name": "hash", "valueFrom": {"podTemplateHashValue": "Latest"}}]}},
				{"setHeaderRoute": {"name": "beta", "match": [{"headerName": "user", "headerValue": {"exact": "b"}}]}},
				{"setMirrorRoute": {"name": "mirror", "percentage": 5, "match": [{"path": {"prefix": "/"}}]}}
			]
		}}
	},
	"status": {
		"observedGeneration": "4", "currentPodHash": "v2", "currentStepHash": "s", "stableRS": "v1", "currentStepIndex": 1, "phase": "Paused", "message": "CanaryPauseStep",
		"controllerPause": true, "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-02T15:04:05Z"}], "HPAReplicas": 6, "selector": "app=shop",
		"replicas": 6, "updatedReplicas": 1, "readyReplicas": 6, "availableReplicas": 5,
		"conditions": [{"type": "Progressing", "status": "Unknown", "reason": "RolloutPaused", "message": "m", "lastUpdateTime": "2026-01-02T15:04:05Z", "lastTransitionTime": null}],
		"canary": {"weights": {"canary": {"weight": 200, "serviceName": "shop-canary", "podTemplateHash": "v2"}, "stable": {"weight": 800, "podTemplateHash": "v1"}, "verified": false},
			"currentBackgroundAnalysisRunStatus": {"name": "shop-1", "status": "Running"}}
	}
}`

func read(t *testing.T, text string) *kubeargo.RolloutObject {
	t.Helper()
	var o kubeargo.RolloutObject
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&o))
	return &o
}

// The form of the API, field by field. The hashes are those of the controller of v1.10.2.
func TestRollout(t *testing.T) {
	o, at := read(t, shop), time.Date(2026, time.January, 2, 15, 4, 5, 0, time.UTC)
	got, err := kubeargo.Rollout(o)
	require.NoError(t, err)
	five, pause := int32(5), func(n int32) argo.Step { return argo.Step{Pause: &argo.Pause{Duration: &n}} }
	want := argo.Rollout{
		Name: "shop", Generation: 4, Revision: 3, TemplateHash: "5594ffccb4", StepHash: "848d7bfbfd", Replicas: ptr.To(int32(5)),
		MaxSurge: rollout.Percent(20), MaxUnavailable: rollout.Int(0), ProgressThreshold: &argo.Threshold{Type: "Percent", Value: 90},
		ProgressDeadlineAbort: true, RollbackWindow: 2,
		Routing: &argo.Routing{MaxTrafficWeight: 1000, DynamicStableScale: true, MinPodsPerReplicaSet: ptr.To(int32(2))},
		Steps: []argo.Step{
			{SetWeight: ptr.To(int32(200))}, pause(5400), pause(60), pause(45), {Pause: &argo.Pause{}}, {SetCanaryScale: &argo.CanaryScale{Replicas: ptr.To(int32(3))}},
			{Other: argo.StepAnalysis},
			{Other: argo.StepHeaderRoute, Routes: []argo.Route{{Name: "beta", Headers: []argo.HeaderMatch{{Name: "user", Value: argo.StringMatch{Exact: "b"}}}}}},
			{Other: argo.StepMirrorRoute, Routes: []argo.Route{{Name: "mirror", Mirror: &argo.Mirror{
				Match: []argo.RouteMatch{{Path: argo.StringMatch{Prefix: "/"}}}, Percentage: &five,
			}}}},
		},
		Status: argo.Status{
			ObservedGeneration: 4, CurrentPodHash: "v2", CurrentStepHash: "s", StableRS: "v1", CurrentStepIndex: ptr.To(int32(1)), Phase: argo.PhasePaused,
			Message: argo.PauseStep, ControllerPause: true, PauseConditions: []argo.PauseCondition{{Reason: argo.PauseStep, StartTime: at}},
			Replicas: 6, UpdatedReplicas: 1, ReadyReplicas: 6, AvailableReplicas: 5,
			Conditions: []kplan.Condition{{Type: "Progressing", Status: "Unknown", Reason: "RolloutPaused", Message: "m", LastUpdateTime: at}},
			Weights: &argo.TrafficWeights{
				Canary: argo.WeightDestination{Weight: 200, Service: "shop-canary", Hash: "v2"}, Stable: argo.WeightDestination{Weight: 800, Hash: "v1"}, Verified: ptr.To(false),
			},
			Runs: argo.Runs{Background: argo.Run{Phase: argo.RunRunning}},
		},
	}
	require.Empty(t, cmp.Diff(want, got))

	var object map[string]any // clients without types of their own hold objects as maps
	require.NoError(t, json.Unmarshal([]byte(shop), &object))
	object["spec"].(map[string]any)["unheardOf"] = true
	var converted kubeargo.RolloutObject
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object, &converted))
	got, err = kubeargo.Rollout(&converted)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(want, got))

	o.Spec.Strategy.Canary.Steps[7].SetCanaryScale = &kubeargo.SetCanaryScale{Weight: ptr.To(int32(9))}
	got, err = kubeargo.Rollout(o)
	require.NoError(t, err)
	want.Steps[7].SetCanaryScale = &argo.CanaryScale{Weight: o.Spec.Strategy.Canary.Steps[7].SetCanaryScale.Weight}
	require.Equal(t, want.Steps[7], got.Steps[7], "routes go with scales")

	o.Spec.Strategy.Canary.Steps[0] = kubeargo.CanaryStep{Plugin: map[string]any{"name": "p"}}
	got, err = kubeargo.Rollout(o)
	require.NoError(t, err)
	require.Equal(t, "s", got.StepHash, "it is not known, and taken to be as it was")
}

// A status comes back from its object as it was, and keeps what plans do not know.
func TestToStatus(t *testing.T) {
	o := read(t, shop)
	r, err := kubeargo.Rollout(o)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(o.Status, kubeargo.ToStatus(o, r.Status)))
	next := r.Status
	next.Phase, next.Abort, next.CurrentStepIndex, next.PauseConditions = argo.PhaseDegraded, true, ptr.To(int32(0)), nil
	next.Weights = &argo.TrafficWeights{Stable: argo.WeightDestination{Weight: 1000, Hash: "v1"}, Verified: ptr.To(true)}
	status := kubeargo.ToStatus(o, next)
	require.Equal(t, "shop-1", status.Canary.CurrentBackgroundAnalysisRunStatus.Name)
	require.EqualValues(t, 6, status.HPAReplicas)
	o.Status = status
	r, err = kubeargo.Rollout(o)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(next, r.Status))
	next.Runs = argo.Runs{}
	require.Nil(t, kubeargo.ToStatus(o, next).Canary.CurrentBackgroundAnalysisRunStatus)
}

func TestBlueGreen(t *testing.T) {
	o := read(t, `{"metadata": {"name": "web"}, "spec": {
		"template": {"spec": {"containers": [{"name": "web"}]}},
		"strategy": {"blueGreen": {"activeService": "web", "previewService": "next", "autoPromotionEnabled": false, "autoPromotionSeconds": 9, "previewReplicaCount": 1,
			"scaleDownDelaySeconds": 8, "scaleDownDelayRevisionLimit": 7, "abortScaleDownDelaySeconds": 6, "prePromotionAnalysis": {}, "postPromotionAnalysis": {"templates": []}}}},
		"status": {"blueGreen": {"activeSelector": "a", "previewSelector": "b", "scaleUpPreviewCheckPoint": true, "prePromotionAnalysisRunStatus": {"name": "r", "status": "Failed", "message": "m"}}}}`)
	r, err := kubeargo.Rollout(o)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(&argo.BlueGreen{
		AutoPromotionEnabled: ptr.To(false), AutoPromotionSeconds: 9, PreviewReplicaCount: ptr.To(int32(1)), ScaleDownDelaySeconds: ptr.To(int32(8)),
		ScaleDownDelayRevisionLimit: ptr.To(int32(7)), AbortScaleDownDelaySeconds: ptr.To(int32(6)), PrePromotionAnalysis: true, PostPromotionAnalysis: true,
	}, r.BlueGreen))
	require.Equal(t, argo.Run{Phase: argo.RunFailed, Message: "m"}, r.Status.Runs.PrePromotion)
	require.True(t, r.Status.ScaleUpPreviewCheckPoint)
	require.Empty(t, r.StepHash)
	_, err = kubeargo.Snapshot(o, nil, []*corev1.Service{{ObjectMeta: metav1.ObjectMeta{Name: "web"}}})
	require.ErrorContains(t, err, `spec.strategy.blueGreen.previewService: "next"`)
}

// An observed generation is a text. Before 0.10 it was a hash, which is that of no generation: the
// controller compares it with the number as a text, and writes the status anew.
func TestObservedHash(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "3": 3, "5f6c8d5b7": 0, "99999999999999999999": 0} {
		o := read(t, shop)
		o.Status.ObservedGeneration = text
		r, err := kubeargo.Rollout(o)
		require.NoError(t, err, text)
		require.Equal(t, want, r.Status.ObservedGeneration, text)
	}
}

// Each error names the field, and all come at once.
func TestRejects(t *testing.T) {
	o := read(t, `{"metadata": {"generation": 2}, "spec": {"replicas": -1, "strategy": {"canary": {"maxSurge": 0, "maxUnavailable": "0%", "dynamicStableScale": true, "steps": [
		{"setWeight": 101}, {"pause": {"duration": "soon"}}, {}, {"setWeight": 1, "pause": {}}, {"pause": {"duration": -1}}, {"setCanaryScale": {"replicas": -1}}
	]}}}}`)
	_, err := kubeargo.Rollout(o)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	for _, path := range []string{
		"spec.replicas: -1", "spec.template.spec.containers", "spec.strategy.canary.maxSurge: \"0\"", "spec.strategy.canary.dynamicStableScale",
		"spec.strategy.canary.steps[0].setWeight: 101", "spec.strategy.canary.steps[1].pause.duration: \"soon\"", "spec.strategy.canary.steps[2]: 0: must hold one of",
		"spec.strategy.canary.steps[3]: 2", "spec.strategy.canary.steps[4].pause.duration", "spec.strategy.canary.steps[5].setCanaryScale.replicas",
	} {
		require.ErrorContains(t, err, path)
	}
	for text, path := range map[string]string{
		`{}`: "spec.strategy: ", `{"spec": {"strategy": {"blueGreen": {"activeService": ""}, "canary": {}}}}`: "not both",
		`{"spec": {"strategy": {"blueGreen": {"activeService": "a", "previewService": "a"}}}}`: "must not be the active",
		`{"spec": {"strategy": {"blueGreen": {"activeService": ""}}}}`:                         "blueGreen.activeService",
		`{"spec": {"strategy": {"canary": {"maxSurge": "x"}}}}`:                                "canary.maxSurge: \"x\"",
		`{"spec": {"strategy": {"canary": {"trafficRouting": {"maxTrafficWeight": 0}}}}}`:      "maxTrafficWeight",
	} {
		_, err := kubeargo.Rollout(read(t, text))
		require.ErrorContains(t, err, path)
	}
	_, err = kubeargo.ReplicaSet(&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{
		kubeargo.AnnotationDesiredReplicas: "many", kubeargo.AnnotationScaleDownDeadline: "soon",
	}}})
	require.ErrorContains(t, err, "metadata.annotations["+kubeargo.AnnotationDesiredReplicas+"]")
	require.ErrorContains(t, err, "metadata.annotations["+kubeargo.AnnotationScaleDownDeadline+"]")
}

// What a plan for the objects of a cluster asks for makes the objects that its snapshot
// becomes.
func TestRequests(t *testing.T) {
	o, at := read(t, shop), time.Date(2026, time.January, 2, 15, 4, 5, 0, time.UTC)
	requests, err := kubeargo.Requests(o, argo.CreateReplicaSet{Name: "shop-v2", Hash: "v2", Revision: 3, Replicas: 1, Desired: 5})
	require.NoError(t, err)
	rs, ok := requests[0].Object.(*appsv1.ReplicaSet)
	require.True(t, ok)
	require.Equal(t, map[string]string{"app": "shop", argo.HashLabel: "v2"}, rs.Spec.Selector.MatchLabels)
	require.Equal(t, rs.Spec.Selector.MatchLabels, rs.Spec.Template.Labels)
	require.EqualValues(t, 3, rs.Spec.MinReadySeconds)
	require.True(t, metav1.IsControlledBy(rs, o))
	require.Equal(t, map[string]string{"app": "shop"}, o.Spec.Template.Labels, "it is not written to")
	other := rs.DeepCopy()
	other.OwnerReferences = nil
	services := []*corev1.Service{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "eu", Name: "shop-canary", Annotations: map[string]string{kubeargo.AnnotationManagedBy: "shop"}}},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "eu", Name: "shop-stable"}},
	}
	s, err := kubeargo.Snapshot(o, []*appsv1.ReplicaSet{other, rs}, services)
	require.NoError(t, err)
	require.Equal(t, []argo.ReplicaSet{{Name: "shop-v2", Hash: "v2", Revision: 3, Size: argo.Size{Replicas: 1}, DesiredReplicas: ptr.To(int32(5))}}, s.Sets)
	require.True(t, s.CanaryService.Managed)
	require.False(t, s.StableService.Managed)
	require.Equal(t, ptr.To(false), s.WeightVerified)

	// The hash of the status is that of another release, unless something newer is there.
	require.Equal(t, "v2", s.Rollout.TemplateHash)
	unseen := *o
	unseen.Generation++
	s, err = kubeargo.Snapshot(&unseen, []*appsv1.ReplicaSet{rs}, services)
	require.NoError(t, err)
	require.Equal(t, "5594ffccb4", s.Rollout.TemplateHash, "the controller has not seen it yet")
	known := rs.DeepCopy()
	known.Labels[argo.HashLabel] = "5594ffccb4"
	s, err = kubeargo.Snapshot(o, []*appsv1.ReplicaSet{rs, known}, services)
	require.NoError(t, err)
	require.Equal(t, "5594ffccb4", s.Rollout.TemplateHash)

	for want, a := range map[string]argo.Action{
		`patch replicasets/shop-v2 {"metadata":{"annotations":{"rollout.argoproj.io/desired-replicas":"5"}},"spec":{"replicas":2}}`:                                        argo.ScaleReplicaSet{Name: "shop-v2", To: 2, Desired: 5},
		`patch replicasets/shop-v2 {"metadata":{"annotations":{"scale-down-deadline":"2026-01-02T15:04:05Z"}}}`:                                                            argo.DelayReplicaSet{Name: "shop-v2", Until: at},
		`patch replicasets/shop-v2 {"metadata":{"annotations":{"scale-down-deadline":null}}}`:                                                                              argo.DelayReplicaSet{Name: "shop-v2"},
		`patch services/web {"metadata":{"annotations":{"argo-rollouts.argoproj.io/managed-by-rollouts":"shop"}},"spec":{"selector":{"rollouts-pod-template-hash":"v2"}}}`: argo.SelectPods{Service: "web", Key: argo.HashLabel, Value: "v2"},
	} {
		requests, err := kubeargo.Requests(o, a)
		require.NoError(t, err)
		require.Equal(t, want, requests[0].String()+" "+string(requests[0].Patch.Data))
		require.Equal(t, "eu", requests[0].Object.GetNamespace())
	}
	none, err := kubeargo.Requests(o, argo.SetWeight{})
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = kubeargo.Requests(nil, nil)
	require.Error(t, err)
}

// The template of another workload is taken as it is.
func TestResolve(t *testing.T) {
	o := read(t, shop)
	resolved := kubeargo.Resolve(o, &corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: "other"}}}})
	require.Equal(t, "other", resolved.Spec.Template.Spec.Containers[0].Image)
	require.Equal(t, "shop:2", o.Spec.Template.Spec.Containers[0].Image)
	require.Equal(t, o, kubeargo.Resolve(o, nil))
	require.Equal(t, "5b4468bd5c", kubeargo.TemplateHash(&o.Spec.Template, ptr.To(int32(1))), "that of the controller after a collision")
}
