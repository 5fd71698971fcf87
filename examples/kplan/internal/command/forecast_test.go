// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// edge is a Deployment with a pod template of some spec, on some nodes.
func edge(replicas int, strategy, pod string, nodes ...string) string {
	text := fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: edge, namespace: shop}
spec:
  replicas: %d
  strategy: %s
  selector: {matchLabels: {app: edge}}
  template: {metadata: {labels: {app: edge}}, spec: %s}
`, replicas, strategy, pod)
	for _, n := range nodes {
		text += fmt.Sprintf("---\n{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s, disk: %s}}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}, conditions: [{type: Ready, status: \"True\"}]}}\n", n, n, n)
	}
	return text
}

const (
	surge    = `{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}`
	inPlace  = `{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}`
	recreate = `{type: Recreate}`
)

// What holds a pod back is in the forecast: a rollout that ends and one that never does, for each.
func TestForecasts(t *testing.T) {
	container := func(more string) string { return `{containers: [{name: c, image: "x:1"` + more + `}]}` }
	apart := `{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: edge}}}]}}, containers: [{name: c, image: "x:1"}]}`
	spread := `{topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: edge}}}], containers: [{name: c, image: "x:1", ports: [{containerPort: 80, hostPort: 80}]}]}`
	port := container(`, ports: [{containerPort: 80, hostPort: 80}]`)
	large := container(`, resources: {requests: {cpu: "1500m"}}`)
	quota := "---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: shop}, spec: {hard: {pods: 2}}}\n"
	refused := "---\n{apiVersion: v1, kind: LimitRange, metadata: {name: small, namespace: shop}, spec: {limits: [{type: Container, max: {cpu: 1}}]}}\n"
	const noPort = "1 pod of edge waits for a node: 0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports."
	for why, c := range map[string]struct {
		text, ends, waits string
	}{
		"a probe that begins after a minute":            {edge(3, surge, container(`, readinessProbe: {initialDelaySeconds: 60, httpGet: {port: 80}}`)), "after 3m.", ""},
		"a host port, and a node for each pod":          {edge(2, surge, port, "a", "b"), "", noPort},
		"a host port, and a node to spare":              {edge(2, surge, port, "a", "b", "d"), "after 20s.", ""},
		"a host port that the old pod leaves first":     {edge(2, inPlace, port, "a", "b"), "after 20s.", ""},
		"anti-affinity, and a node for each pod":        {edge(2, surge, apart, "a", "b"), "", "1 pod of edge waits for a node: 0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."},
		"anti-affinity, and a node to spare":            {edge(2, surge, apart, "a", "b", "d"), "after 20s.", ""},
		"spread, where only one node has the port":      {edge(1, surge, spread, "a"), "", "1 pod of edge waits for a node: 0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."},
		"spread, with a node to spare":                  {edge(1, surge, spread, "a", "b"), "after 10s.", ""},
		"requests that leave no room for a second pod":  {edge(2, surge, large, "a", "b"), "", "1 pod of edge waits for a node: 0/2 nodes are available: 2 Insufficient cpu."},
		"requests of pods that go first":                {edge(2, recreate, large, "a", "b"), "after 10s.", ""},
		"a quota of the wanted pods, and a surge":       {edge(2, surge, container("")) + quota, "", "pods of edge are refused: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2"},
		"a quota of the wanted pods, and none above":    {edge(2, inPlace, container("")) + quota, "after 20s.", ""},
		"a limit range that takes no new pod":           {edge(2, surge, container(`, resources: {limits: {cpu: 2}}`)) + refused, "", "pods of edge are refused: maximum cpu usage per Container is 1, but limit is 2"},
		"a limit range that takes them":                 {edge(2, surge, container(`, resources: {limits: {cpu: 500m}}`)) + refused, "after 20s.", ""},
		"a node selector that no node matches any more": {edge(1, recreate, `{nodeSelector: {disk: gone}, containers: [{name: c, image: "x:1"}]}`, "a"), "", "1 pod of edge waits for a node: 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."},
		"a node selector that one node matches":         {edge(1, recreate, `{nodeSelector: {disk: b}, containers: [{name: c, image: "x:1"}]}`, "a", "b"), "after 10s.", ""},
		"a sleep before the end, and nothing beside it": {edge(2, recreate, `{terminationGracePeriodSeconds: 60, containers: [{name: c, image: "x:1", lifecycle: {preStop: {sleep: {seconds: 40}}}}]}`), "after 50s.", ""},
		"a grace period that is shorter than the sleep": {edge(2, recreate, `{terminationGracePeriodSeconds: 15, containers: [{name: c, image: "x:1", lifecycle: {preStop: {sleep: {seconds: 40}}}}]}`), "after 25s.", ""},
	} {
		code, stdout, _ := run([]byte(c.text), "simulate", "-f", "-", "--set-image", "c=:2")
		text := inWords(strings.ReplaceAll(stdout, setNameOf(stdout), "edge"))
		if c.ends != "" {
			require.Zero(t, code, "%s:\n%s", why, stdout)
			require.Contains(t, text, "Complete "+c.ends, "%s:\n%s", why, stdout)
			continue
		}
		require.Equal(t, exitFailure, code, "%s:\n%s", why, stdout)
		require.Contains(t, text, "Not complete: the rollout has exceeded its progress deadline after 10m.", "%s:\n%s", why, stdout)
		require.Contains(t, text, c.waits, "%s:\n%s", why, stdout)
	}
}

// setNameOf is the name of the new ReplicaSet in a text.
func setNameOf(text string) string {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "2" {
			return f[1]
		}
	}
	return "no ReplicaSet"
}

// bare is a ReplicaSet of one pod in a namespace, with more metadata, and one pod that is not ready yet.
func bare(set, pod string) []byte {
	return []byte(`
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: shop, uid: r, generation: 1, creationTimestamp: "2026-05-01T11:59:00Z"` + set + `},
 spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "x:1"}]}}}, status: {observedGeneration: 1, replicas: 0}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web-a, namespace: shop, uid: p, labels: {app: web}, creationTimestamp: "2026-05-01T11:59:50Z"` + pod + `},
 spec: {nodeName: n1, containers: [{name: c, image: "x:1"}]}, status: {phase: Pending, containerStatuses: [{name: c, image: "x:1", imageID: "", ready: false, restartCount: 0, state: {waiting: {reason: ContainerCreating}}}]}}
`)
}

// A ReplicaSet is complete once its pod is available: one that it adopts, and one of a ReplicaSet that somebody
// else controls, who leaves its size alone.
func TestReplicaSetForecasts(t *testing.T) {
	const owned = `, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: r, controller: true}]`
	for why, input := range map[string][]byte{
		"adopted": bare("", ""), "its own": bare("", owned),
		"of a controller": bare(`, ownerReferences: [{apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: web, uid: o, controller: true}]`, owned),
	} {
		code, stdout, stderr := run(input, "simulate", "-f", "-", "replicaset/web", "-n", "shop", "--now", "2026-05-01T12:00:00Z")
		require.Zero(t, code, "%s: %s%s", why, stdout, stderr)
		require.Contains(t, stdout, "Complete after 10s.", why)
	}
}

// The time that pods take to start is the one that was asked for, whatever their probes say.
func TestStartOverProbes(t *testing.T) {
	text := edge(2, surge, `{containers: [{name: c, image: "x:1", readinessProbe: {initialDelaySeconds: 300, httpGet: {port: 80}}}]}`)
	_, stdout, _ := run([]byte(text), "simulate", "-f", "-", "--set-image", "c=:2", "--start", "p50=10s", "--runs", "3")
	require.Contains(t, stdout, "20s", stdout)
	_, stdout, _ = run([]byte(text), "simulate", "-f", "-", "--set-image", "c=:2")
	require.Contains(t, stdout, "Complete after 10m.", stdout)
}

// A pod with scheduling gates does not wait for a node.
func TestGatedDoesNotWait(t *testing.T) {
	input := halfWay(1, 0, lastPod(func(p *corev1.Pod) {
		p.Spec.NodeName = ""
		p.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "SchedulingGated"}}}
	})).yaml(t)
	_, stdout, _ := run(input, at("simulate", "-f", "-")...)
	require.Contains(t, stdout, "Not complete")
	require.NotContains(t, stdout, "for a node:")
}
