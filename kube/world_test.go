// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// printed is what "kubectl get -o yaml deployments,nodes" prints, shortened.
const printed = `
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {namespace: shop, name: web, uid: d1}
  spec:
    replicas: 3
    selector: {matchLabels: {app: web}}
    template:
      metadata: {labels: {app: web}}
      spec:
        containers: [{name: web, image: "web:1", resources: {requests: {cpu: 500m}}}]
- apiVersion: v1
  kind: Node
  metadata: {name: a}
  status: {allocatable: {cpu: "1", memory: 4Gi, pods: "10"}}
- apiVersion: v1
  kind: Node
  metadata: {name: b}
  status: {allocatable: {cpu: "1", memory: 4Gi, pods: "10"}}
`

// A cluster as kubectl prints it becomes a world. Two pods fit on each node.
func ExampleWorld() {
	text, _ := yaml.ToJSON([]byte(printed))
	var list struct{ Items []json.RawMessage }
	_ = json.Unmarshal(text, &list)
	d, a, b := &appsv1.Deployment{}, &corev1.Node{}, &corev1.Node{}
	for i, object := range []any{d, a, b} {
		_ = json.NewDecoder(bytes.NewReader(list.Items[i])).Decode(object)
	}
	s, err := kube.World([]kube.Object{d, a, b})
	fmt.Println(s.Deployments[0].Name, s.Nodes[0].Room, err)
	w, _ := sim.New(s, sim.Config{})
	_, _ = w.Settle(time.Hour)
	for _, p := range w.View().Pods() {
		fmt.Print(p.NodeName, " ")
	}
	// Output:
	// shop/web [1000 4294967296 10] <nil>
	// a a b
}

func ExamplePodRequests() {
	spec := &corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1500m")}}}}}
	fmt.Println(kube.PodRequests(spec, []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourcePods}))
	// Output: [1500 1]
}

// Each part of a cluster: pods of others only take their room, a pod that cannot start speaks
// for its template, and budgets, quotas and the state of nodes are read.
func TestWorld(t *testing.T) {
	controller := true
	owned := func(name, kind, owner, uid, node string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: "p", OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: owner, UID: "r1", Controller: &controller}}},
			Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c"}}},
			Status:     corev1.PodStatus{Phase: corev1.PodRunning},
		}
	}
	own, foreign := owned("web-1-a", "ReplicaSet", "web-1", "r1", "a"), owned("db-0", "StatefulSet", "db", "", "a")
	foreign.OwnerReferences[0].UID = "s1"
	own.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{corev1.LabelTopologyZone: "z"}}}
	node.Spec.Unschedulable = true
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10")}
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse}}
	rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", UID: "r1"}}
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("7")}}}
	s, err := kube.World([]kube.Object{own, foreign, node, rs, budget, quota, &corev1.ConfigMap{}, nil, (*corev1.Pod)(nil), (*appsv1.Deployment)(nil)})
	require.NoError(t, err)
	require.Len(t, s.Pods, 1)
	require.Equal(t, []string{"shop/web-1-a", "shop/web-1", "shop/web-1"}, []string{s.Pods[0].Name, s.Pods[0].ControllerName, s.ReplicaSets[0].Name})
	require.True(t, s.Templates[s.ReplicaSets[0].Template.ID].NeverReady)
	n := s.Nodes[0]
	require.Equal(t, []any{"z", true, true, int64(9)}, []any{n.Zone, n.Cordoned, n.NotReady, n.Room[2]}, "the pod of the StatefulSet has taken room")
	require.Equal(t, []cluster.Quota{{Name: "shop/q", Hard: map[string]int64{"pods": 7}, Used: map[string]int64{"pods": 2}}}, s.Quotas)
	require.Equal(t, rollout.Int(1), s.Budgets[0].MinAvailable)
	w, err := sim.New(s, sim.Config{})
	require.NoError(t, err)
	done, err := w.Settle(time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	require.Zero(t, w.View().ReplicaSet("shop/web-1").Status.ReadyReplicas)
}

// A ReplicationController is read with what the API server fills in, and keeps its pods beside a
// ReplicaSet of its name.
func TestWorldOfReplicationController(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "c1"}
	rc := &corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{
		Template: &corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "c", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}},
		}}}},
	}}
	three := int32(3)
	rc.Spec.Replicas = &three
	rs := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: new(int32)}}
	rs.UID = "r1"
	pod := kube.NewControllerPod(rc)
	pod.Namespace, pod.Name, pod.UID, pod.Spec.NodeName, pod.Status.Phase = "shop", "web-a", "p", "a", corev1.PodRunning
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	node.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}
	s, err := kube.World([]kube.Object{rc, rs, pod, node, (*corev1.ReplicationController)(nil)})
	require.NoError(t, err)
	require.Len(t, s.ReplicaSets, 1)
	require.Len(t, s.ReplicationControllers, 1)
	got := s.ReplicationControllers[0]
	require.Equal(t, []string{"shop/web", "c1", "ReplicationController"}, []string{got.Name, got.UID, got.Kind})
	require.Equal(t, map[string]string{"app": "web"}, got.Selector.MatchLabels, "the labels of its template")
	require.Equal(t, []string{"ReplicationController", "shop/web"}, []string{s.Pods[0].ControllerKind, s.Pods[0].ControllerName})
	w, err := sim.New(s, sim.Config{})
	require.NoError(t, err)
	done, err := w.Settle(time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	status := w.View().ReplicationController("shop/web").Status
	require.Equal(t, []int32{3, 2}, []int32{status.Replicas, status.AvailableReplicas}, "for two there is room")
	require.Zero(t, w.View().ReplicaSet("shop/web").Status.Replicas)
}
