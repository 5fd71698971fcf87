// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// read decodes manifests, which the lines "---" part.
func read(t testing.TB, manifests ...string) (objects []kube.Object) {
	t.Helper()
	for _, text := range strings.Split(strings.Join(manifests, "\n---\n"), "\n---\n") {
		var kind struct{ Kind string }
		require.NoError(t, yaml.Unmarshal([]byte(text), &kind), text)
		object := map[string]kube.Object{
			"Deployment": &appsv1.Deployment{}, "Pod": &corev1.Pod{}, "ResourceQuota": &corev1.ResourceQuota{}, "LimitRange": &corev1.LimitRange{},
			"DaemonSet": &appsv1.DaemonSet{}, "Node": &corev1.Node{}, "ReplicaSet": &appsv1.ReplicaSet{}, "ControllerRevision": &appsv1.ControllerRevision{},
			"StatefulSet": &appsv1.StatefulSet{}, "PersistentVolumeClaim": &corev1.PersistentVolumeClaim{},
		}[kind.Kind]
		require.NotNil(t, object, kind.Kind)
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), object), text)
		if rs, ok := object.(*appsv1.ReplicaSet); ok {
			object = kube.Default(rs)
		}
		objects = append(objects, object)
	}
	return objects
}

// webIn is a Deployment of three pods in a namespace, whose one container has some resources.
func webIn(namespace, resources string) string {
	return fmt.Sprintf(`
kind: Deployment
metadata: {name: web, namespace: %s, uid: %s}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c1, image: "web:1", resources: {%s}}]}`, namespace, namespace, resources)
}

// manifest is an object of a kind without a workload, in the namespace shop.
func manifest(kind, name, rest string) string {
	return fmt.Sprintf("kind: %s\nmetadata: {name: %s, namespace: shop}\n%s", kind, name, rest)
}

// ran lets the objects run, and returns how many pods web has, and why it has no more.
func ran(t *testing.T, namespace string, objects []kube.Object) (int, string) {
	t.Helper()
	s, err := kube.World(objects)
	require.NoError(t, err)
	w, err := sim.New(s, sim.Config{})
	require.NoError(t, err)
	done, err := w.Settle(time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	d := w.View().Deployment(namespace + "/web")
	for _, c := range d.Status.Conditions {
		if c.Type == deploy.ConditionReplicaFailure {
			_, why, _ := strings.Cut(c.Message, " is forbidden: ")
			return int(d.Status.Replicas), why
		}
	}
	return int(d.Status.Replicas), ""
}

// TestWorldQuotas: what quotas of the input leave to three pods, in the words of the API server.
func TestWorldQuotas(t *testing.T) {
	const half, both = "requests: {cpu: 500m, memory: 1Gi}", "requests: {cpu: 500m, memory: 1Gi}, limits: {cpu: 1, memory: 2Gi}"
	quota := func(hard, rest string) string {
		return manifest("ResourceQuota", "team", "spec: {hard: {"+hard+"}"+rest)
	}
	job := func(name, phase string) string {
		return manifest("Pod", name, "spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}]}\nstatus: {phase: "+phase+"}")
	}
	for _, tt := range []struct {
		name, resources string
		objects         []string
		pods            int
		why             string
	}{
		{"just enough", both, []string{quota("pods: 3, cpu: 1500m, requests.memory: 3Gi, limits.cpu: 3, limits.memory: 6Gi", "}")}, 3, ""},
		{"pods", half, []string{quota("pods: 2", "}")}, 2, "exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2"},
		{"requests by their short name", half, []string{quota("cpu: 1499m", "}")}, 2, "exceeded quota: team, requested: cpu=500m, used: cpu=1, limited: cpu=1499m"},
		{"limits", both, []string{quota("limits.memory: 5Gi, limits.cpu: 2", "}")}, 2, "exceeded quota: team, requested: limits.cpu=1,limits.memory=2Gi, used: limits.cpu=2,limits.memory=4Gi, limited: limits.cpu=2,limits.memory=5Gi"},
		{"devices", "limits: {nvidia.com/gpu: 2}", []string{quota("requests.nvidia.com/gpu: 5", "}")}, 2, "exceeded quota: team, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=4, limited: requests.nvidia.com/gpu=5"},
		{"not set", half, []string{quota("limits.cpu: 100, requests.cpu: 100, limits.memory: 1Ti", "}")}, 0, "failed quota: team: must specify limits.cpu for: c1; limits.memory for: c1"},
		{"not set, but a limit is a request as well", "limits: {cpu: 1}", []string{quota("limits.cpu: 2, cpu: 9", "}")}, 2, "exceeded quota: team, requested: limits.cpu=1, used: limits.cpu=2, limited: limits.cpu=2"},
		{"not set, and a limit range gives it", half, []string{quota("limits.cpu: 2", "}"), manifest("LimitRange", "small", "spec: {limits: [{type: Container, default: {cpu: 600m}}]}")}, 3, ""},
		{"a limit range gives too much", half, []string{quota("limits.cpu: 2", "}"), manifest("LimitRange", "small", "spec: {limits: [{type: Container, default: {cpu: 1}}]}")}, 2, "exceeded quota: team, requested: limits.cpu=1, used: limits.cpu=2, limited: limits.cpu=2"},
		{"others use it", half, []string{quota("requests.cpu: 3", "}\nstatus: {used: {requests.cpu: 1501m}}")}, 2, "exceeded quota: team, requested: requests.cpu=500m, used: requests.cpu=2501m, limited: requests.cpu=3"},
		{"others that the input has", half, []string{quota("requests.cpu: 3, pods: 9", "}\nstatus: {used: {requests.cpu: 1}}"), job("a", "Running"), job("b", "Pending"), job("c", "Succeeded")}, 2, "exceeded quota: team, requested: requests.cpu=500m, used: requests.cpu=3, limited: requests.cpu=3"},
		{"in a scope", half, []string{quota("pods: 2", ", scopes: [NotBestEffort, NotTerminating]}")}, 2, "exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2"},
		{"in another scope", half, []string{quota("pods: 2", ", scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [high]}]}}")}, 3, ""},
		{"of Services", half, []string{quota("services: 0", "}")}, 3, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pods, why := ran(t, "shop", read(t, append(tt.objects, webIn("shop", tt.resources))...))
			require.Equal(t, tt.why, why)
			require.Equal(t, tt.pods, pods)
		})
	}
}

// TestWorldUnseenQuotas: what no world looks at is told.
func TestWorldUnseenQuotas(t *testing.T) {
	s, err := kube.World(read(t,
		manifest("ResourceQuota", "a", "spec: {hard: {pods: 1}, scopes: [CrossNamespacePodAffinity]}"),
		manifest("ResourceQuota", "b", "spec: {hard: {count/replicasets.apps: 9, requests.storage: 1Ti, gold.storageclass.storage.k8s.io/requests.storage: 1Ti, services: 5, count/pods: 4}}"),
		manifest("LimitRange", "c", "spec: {limits: [{type: PersistentVolumeClaim, max: {storage: 1Gi}}]}"),
	))
	require.NoError(t, err)
	require.Equal(t, []string{
		"limit ranges of persistent volume claims",
		"quotas of other objects than pods, such as count/replicasets.apps",
		"quotas of other objects than pods, such as gold.storageclass.storage.k8s.io/requests.storage",
		"quotas of other objects than pods, such as requests.storage",
		"quotas with the scope CrossNamespacePodAffinity",
	}, s.Unseen)
	require.Equal(t, []cluster.Quota{{Name: "shop/b", Hard: map[string]int64{"count/pods": 4}, Used: map[string]int64{}}}, s.Quotas)
}
