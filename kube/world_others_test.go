// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/kube"
)

// TestBesideOthers: a pod that wants to be near those of another workload is placed, as those only take room in
// a world; one that wants to be near pods that are nowhere is not. That is said.
func TestBesideOthers(t *testing.T) {
	node := `{kind: Node, metadata: {name: a, labels: {kubernetes.io/hostname: a}}, status: {allocatable: {cpu: 4, pods: 10}, conditions: [{type: Ready, status: "True"}]}}`
	cache := `{kind: Pod, metadata: {namespace: shop, name: cache, uid: c, labels: {app: cache}}, spec: {nodeName: a, containers: [{name: c}]}, status: {phase: Running}}`
	near := func(app string) string {
		return `{kind: ReplicaSet, metadata: {namespace: shop, name: web, uid: r}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c}],
  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: ` + app + `}}}]}}}}}}`
	}
	for app, want := range map[string]int32{"cache": 3, "nowhere": 0} {
		s, err := kube.World(read(t, node, cache, near(app)))
		require.NoError(t, err)
		require.Equal(t, want, serving(t, s), app)
		require.Contains(t, s.Unseen, "labels, ports and volumes of pods of other workloads")
	}
}

// TestNodesOfPods: the labels of nodes that are not in the input are not known, so that a pod that was seen without
// room takes that of a pod that ends, whatever its template selects.
func TestNodesOfPods(t *testing.T) {
	set := `{kind: ReplicaSet, metadata: {namespace: shop, name: web, uid: r}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {nodeSelector: {disk: ssd}, containers: [{name: c, image: "web:1"}]}}}}`
	ends := seenPod("a", `, deletionTimestamp: "2026-05-01T12:04:00Z", deletionGracePeriodSeconds: 300`, onA, isReady)
	s, err := kube.WorldAt(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), read(t, set, ends, seenPod("b", "", onA, isReady), seenPod("d", "", "", unscheduled("Unschedulable", "0/4 nodes are available: 4 Insufficient cpu."))))
	require.NoError(t, err)
	require.Equal(t, int32(2), serving(t, s), "the room of the pod that ends is for one")
	require.Equal(t, []string{"labels of nodes that are not in the input"}, s.Unseen)
}

// TestDevices: a node that tells of no devices has none.
func TestDevices(t *testing.T) {
	node := func(name, more string) string {
		return `{kind: Node, metadata: {name: ` + name + `}, status: {allocatable: {cpu: 4, pods: 10` + more + `}, conditions: [{type: Ready, status: "True"}]}}`
	}
	quota := `{kind: ResourceQuota, metadata: {namespace: shop, name: gpus}, spec: {hard: {requests.nvidia.com/gpu: 8}}}`
	set := `{kind: ReplicaSet, metadata: {namespace: shop, name: web, uid: r}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}}]}}}}`
	s, err := kube.World(read(t, set, quota, node("a", `, nvidia.com/gpu: 2`), node("b", "")))
	require.NoError(t, err)
	require.Equal(t, int32(2), serving(t, s))
}
