// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/argo/reason"
)

// turning is a Rollout whose Services take turns, in the middle of an update: it restarts
// its pods, and leads requests by routes of its own.
const turning = `{
	"metadata": {"name": "shop", "namespace": "eu", "uid": "r1", "generation": 2, "annotations": {"rollout.argoproj.io/revision": "2"}},
	"spec": {
		"replicas": 4, "minReadySeconds": 10, "restartAt": "2026-01-02T15:00:00Z",
		"template": {"spec": {"containers": [{"name": "shop", "image": "shop:2"}]}},
		"strategy": {"canary": {
			"maxUnavailable": 1, "pingPong": {"pingService": "shop-ping", "pongService": "shop-pong"},
			"trafficRouting": {"managedRoutes": [{"name": "beta"}, {"name": "copy"}], "alb": {"ingress": "shop", "servicePort": 80}},
			"steps": [
				{"setHeaderRoute": {"name": "early", "match": [{"headerName": "user", "headerValue": {"exact": "b"}}]}},
				{"setCanaryScale": {"replicas": 2}},
				{"setHeaderRoute": {"name": "beta", "match": [{"headerName": "user", "headerValue": {"regex": "b.*"}}, {"headerName": "any"}]}},
				{"setMirrorRoute": {"name": "copy", "match": [{"method": {"exact": "GET"}, "headers": {"a": {"prefix": "x"}}}]}},
				{"pause": {}}, {"setHeaderRoute": {"name": "beta"}}, {"setMirrorRoute": {"name": "never"}}
			]
		}}
	},
	"status": {"observedGeneration": "2", "currentPodHash": "v2", "stableRS": "v1", "currentStepIndex": 4,
		"restartedAt": "2026-01-01T00:00:00Z", "canary": {"stablePingPong": "ping", "weights": {"canary": {"weight": 0, "podTemplateHash": "v2"}, "stable": {"weight": 100, "podTemplateHash": "v1"}}}}
}`

var noon = time.Date(2026, time.January, 2, 16, 0, 0, 0, time.UTC)

// running returns the ReplicaSets of v1 and v2 with their pods, which are an hour older
// than noon and available.
func running(o *kubeargo.RolloutObject, old, fresh int32) (sets []*appsv1.ReplicaSet, pods []*corev1.Pod) {
	for i, n := range []int32{old, fresh} {
		hash := []string{"v1", "v2"}[i]
		rs := kubeargo.NewReplicaSet(o, argo.CreateReplicaSet{Name: "shop-" + hash, Hash: hash, Revision: int64(i) + 1, Replicas: n, Desired: 4})
		rs.UID, rs.Status = types.UID(hash), appsv1.ReplicaSetStatus{Replicas: n, ReadyReplicas: n, AvailableReplicas: n}
		sets = append(sets, rs)
		for j := range n {
			p := &corev1.Pod{}
			p.Namespace, p.Name, p.CreationTimestamp = "eu", fmt.Sprintf("%s-%d", hash, j), metav1.NewTime(noon.Add(-2*time.Hour))
			p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))}
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon.Add(-time.Hour))}}
			pods = append(pods, p)
		}
	}
	return sets, pods
}

func turns() []*corev1.Service {
	var list []*corev1.Service
	for name, hash := range map[string]string{"shop-ping": "v1", "shop-pong": "v2"} {
		list = append(list, &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "eu", Name: name}, Spec: corev1.ServiceSpec{Selector: map[string]string{argo.HashLabel: hash}},
		})
	}
	return list
}

// Services that take turns, routes and restarts reach the planner, and what it says of them
// comes back.
func TestPassedOn(t *testing.T) {
	o := read(t, turning)
	sets, pods := running(o, 4, 2)
	s, err := kubeargo.Snapshot(o, sets, turns())
	require.NoError(t, err)
	require.Equal(t, &argo.Service{Name: "shop-ping", Selector: map[string]string{argo.HashLabel: "v1"}}, s.Ping)
	require.Equal(t, "shop-pong", s.Pong.Name)
	require.Equal(t, argo.Ping, s.Rollout.Status.StablePingPong)
	require.Equal(t, time.Date(2026, time.January, 2, 15, 0, 0, 0, time.UTC), s.Rollout.RestartAt)
	require.Equal(t, time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC), s.Rollout.Status.RestartedAt)
	require.Equal(t, "v2", s.Rollout.TemplateHash)
	require.Empty(t, cmp.Diff([]argo.Route{
		{Name: "beta", Headers: []argo.HeaderMatch{{Name: "user", Value: argo.StringMatch{Regex: "b.*"}}, {Name: "any"}}},
		{Name: "copy", Mirror: &argo.Mirror{Match: []argo.RouteMatch{{Method: argo.StringMatch{Exact: "GET"}, Headers: map[string]argo.StringMatch{"a": {Prefix: "x"}}}}}},
	}, s.Routes), "the early one was set before there were new pods")

	s.Pods = kubeargo.Pods(o, sets, pods, noon)
	require.Len(t, s.Pods, 6)
	plan, err := argo.Reconcile(s, noon, argo.Options{})
	require.NoError(t, err)
	require.Equal(t, argo.Actions{argo.EvictPod{Name: "v1-0", Reason: reason.Restart}}, plan.Actions)
	requests, err := kubeargo.Requests(o, plan.Actions[0])
	require.NoError(t, err)
	require.Equal(t, "create pods/v1-0 eviction", requests[0].String())
	data, err := json.Marshal(requests[0].Object)
	require.NoError(t, err)
	require.JSONEq(t, `{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "v1-0", "namespace": "eu"}}`, string(data))

	require.Empty(t, cmp.Diff(o.Status, kubeargo.ToStatus(o, s.Rollout.Status)))
	next := s.Rollout.Status
	next.RestartedAt, next.StablePingPong, next.Phase = noon, argo.Pong, argo.PhaseHealthy
	status := kubeargo.ToStatus(o, next)
	require.Equal(t, "pong", status.Canary.StablePingPong)
	require.True(t, status.RestartedAt.Time.Equal(noon))
	next.RestartedAt = time.Time{}
	require.Nil(t, kubeargo.ToStatus(o, next).RestartedAt)
}

// A ReplicaSet that cannot create pods reaches the planner, and the status of the Rollout
// tells of it.
func TestReplicaFailure(t *testing.T) {
	o := read(t, turning)
	sets, _ := running(o, 4, 2)
	since := noon.Add(-time.Hour)
	sets[0].Status.Conditions = []appsv1.ReplicaSetCondition{{
		Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: "exceeded quota", LastTransitionTime: metav1.NewTime(since),
	}}
	s, err := kubeargo.Snapshot(o, sets, turns())
	require.NoError(t, err)
	require.Equal(t, []kplan.Condition{{
		Type: argo.ConditionReplicaFailure, Status: "True", Reason: "FailedCreate", Message: "exceeded quota", LastTransitionTime: since,
	}}, s.Sets[0].Conditions)
	plan, err := argo.Reconcile(s, noon, argo.Options{})
	require.NoError(t, err)
	require.Contains(t, kubeargo.ToStatus(o, plan.Status).Conditions, kubeargo.RolloutCondition{
		Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "exceeded quota", LastUpdateTime: metav1.NewTime(since), LastTransitionTime: metav1.NewTime(since),
	})
}

// The step behind the pause removes its route, and what ends the update all of them.
func TestRoutesGo(t *testing.T) {
	for at, want := range map[string][]string{
		`"currentStepIndex": 2`: {"beta"}, `"currentStepIndex": 3`: {"beta", "copy"}, `"currentStepIndex": 5`: {"copy"}, `"currentStepIndex": 7`: {"copy"},
		`"currentStepIndex": 1`: nil, `"abort": true`: nil, `"promoteFull": true`: nil, `"stableRS": "v2"`: nil,
	} {
		text := strings.Replace(turning, `"currentStepIndex": 4`, `"currentStepIndex": 4, `+at, 1)
		if key, _, _ := strings.Cut(at, ":"); key == `"stableRS"` {
			text = strings.Replace(turning, `"stableRS": "v1"`, at, 1)
		}
		o := read(t, text)
		sets, _ := running(o, 4, 2)
		s, err := kubeargo.Snapshot(o, sets, turns())
		require.NoError(t, err)
		var names []string
		for _, r := range s.Routes {
			names = append(names, r.Name)
		}
		require.Equal(t, want, names, at)
	}
	for _, a := range []argo.Action{argo.SetRoute{}, argo.RemoveRoute{}, argo.SetWeight{}} {
		requests, err := kubeargo.Requests(read(t, turning), a)
		require.NoError(t, err)
		require.Empty(t, requests, "what routes has forms of its own")
	}
}

// Pods are those of the ReplicaSets of the Rollout, and available after minReadySeconds.
func TestPods(t *testing.T) {
	o := read(t, turning)
	sets, pods := running(o, 3, 2)
	at := metav1.NewTime(noon)
	pods[0].DeletionTimestamp = &at
	pods[1].Status.Conditions[0].LastTransitionTime = metav1.NewTime(noon.Add(-9 * time.Second))
	pods[2].OwnerReferences[0].UID = "another"
	pods[3].Namespace = "us"
	sets[1].OwnerReferences[0].UID = "r1"
	created := noon.Add(-2 * time.Hour)
	require.Equal(t, []argo.Pod{
		{Name: "v1-0", CreationTimestamp: created, Deleting: true, Available: true}, {Name: "v1-1", CreationTimestamp: created},
		{Name: "v2-1", CreationTimestamp: created, Available: true},
	}, kubeargo.Pods(o, append(sets, nil), append(pods, nil, &corev1.Pod{}), noon))
	sets[1].OwnerReferences[0].UID = "r2"
	require.Len(t, kubeargo.Pods(o, sets, pods, noon), 2)
	require.Empty(t, kubeargo.Pods(nil, sets, pods, noon))
}

// What a restart of a blue-green update may take is said by its strategy.
func TestRestartOfBlueGreen(t *testing.T) {
	o := read(t, `{"spec": {"template": {"spec": {"containers": [{}]}}, "strategy": {"blueGreen": {"activeService": "web", "maxUnavailable": "30%"}}}}`)
	r, err := kubeargo.Rollout(o)
	require.NoError(t, err)
	require.Equal(t, rollout.Percent(30), r.MaxUnavailable)
}

// Names that cannot be used are told with their paths.
func TestRejectsTurnsAndRoutes(t *testing.T) {
	with := func(canary string) string {
		return `{"spec": {"template": {"spec": {"containers": [{}]}}, "strategy": {"canary": ` + canary + `}}}`
	}
	for canary, want := range map[string]string{
		`{"pingPong": {"pingService": "", "pongService": "b"}}`:             `canary.pingPong.pingService: "": must be set`,
		`{"pingPong": {"pingService": "a", "pongService": ""}}`:             `canary.pingPong.pongService: "": must be set`,
		`{"pingPong": {"pingService": "a", "pongService": "a"}}`:            `canary.pingPong.pongService: "a": must not be the pingService`,
		`{"steps": [{"setHeaderRoute": {}}]}`:                               `canary.steps[0].setHeaderRoute.name: "": must be set`,
		`{"steps": [{"setMirrorRoute": {"name": "m", "percentage": 101}}]}`: `canary.steps[0].setMirrorRoute.percentage: 101: must be between 0 and 100`,
		`{"steps": [{"pause": {}}, {"setMirrorRoute": {"name": ""}}]}`:      `canary.steps[1].setMirrorRoute.name: "": must be set`,
	} {
		_, err := kubeargo.Rollout(read(t, with(canary)))
		require.ErrorContains(t, err, want)
	}
	o := read(t, turning)
	_, err := kubeargo.Snapshot(o, nil, turns()[:1])
	require.ErrorContains(t, err, "spec.strategy.canary.pingPong.p")
}

// What later releases of the API add is passed over, wherever it is.
func TestUnknownFields(t *testing.T) {
	o := read(t, turning)
	var object any
	require.NoError(t, json.Unmarshal([]byte(turning), &object))
	var scatter func(v any)
	scatter = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				if key != "annotations" && key != "headers" && key != "alb" && key != "managedRoutes" { // whose keys are data
					scatter(inner)
				}
			}
		case []any:
			for _, inner := range v {
				scatter(inner)
			}
			return
		default:
			return
		}
		v.(map[string]any)["unheardOf"] = map[string]any{"deep": []any{1, "x"}}
	}
	scatter(object)
	text, err := json.Marshal(object)
	require.NoError(t, err)
	require.Greater(t, strings.Count(string(text), "unheardOf"), 15)
	var tolerant kubeargo.RolloutObject
	require.NoError(t, json.Unmarshal(text, &tolerant))
	require.Empty(t, cmp.Diff(o, &tolerant))
}
