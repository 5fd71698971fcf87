// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// A believed is what a reader of the JSON takes from a simulation.
type believed struct {
	rolloutJSON
	Assumed []string
}

func simulated(t *testing.T, stdin []byte, args ...string) (b believed) {
	t.Helper()
	_, stdout, stderr := run(stdin, at(append([]string{"simulate", "-o", "json"}, args...)...)...)
	require.NoError(t, json.Unmarshal([]byte(stdout), &b), stderr)
	return b
}

func (b *believed) end(t *testing.T, set int) (replicas, ready int32) {
	last := b.Steps[len(b.Steps)-1]
	require.Greater(t, len(last.Parts), set)
	return last.Parts[set].Replicas, last.Parts[set].Ready
}

// halfWay is a rollout of which one new pod is not ready.
func halfWay(surge, unavailable int32, edit func(*liveObjects)) liveCase {
	old := 4 - unavailable
	return liveCase{
		file: "half", replicas: 4, surge: surge, unavailable: unavailable, version: 2, revision: "2", progressing: "ReplicaSetUpdated",
		sets: []liveSet{
			{version: 1, revision: "1", size: old, desired: 4, max: 4 + surge, age: 48 * hour, available: int(old)},
			{version: 2, revision: "2", size: 1, desired: 4, max: 4 + surge, age: time.Minute, failing: 1},
		},
		edit: edit,
	}
}

func lastPod(shape func(*corev1.Pod)) func(*liveObjects) {
	return func(o *liveObjects) { shape(o.pods[len(o.pods)-1]) }
}

// The README shows what is assumed of a rollout that is stuck.
func TestBelievedInReadme(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, stdout, _ := run(nil, "simulate", "-f", live+"/deadline-exceeded.yaml")
	require.Contains(t, string(readme), "deadline-exceeded.yaml\n"+stdout+"```\n")
}

// What does not run stays so, and so do new pods of the same template; --heal heals it.
func TestBelievesPods(t *testing.T) {
	waits := func(reason string) func(*liveObjects) {
		return lastPod(func(p *corev1.Pod) { waiting(p, reason, "") })
	}
	for reason, stays := range map[string]bool{
		"ImagePullBackOff": true, "ErrImagePull": true, "CrashLoopBackOff": true, "CreateContainerConfigError": true,
		"ContainerCreating": false, "PodInitializing": false,
	} {
		text := halfWay(1, 0, waits(reason)).yaml(t)
		b := simulated(t, text, "-f", "-")
		require.NotEqual(t, stays, b.Done, reason)
		if !stays {
			require.Contains(t, b.Assumed, "1 pod in "+reason+" becomes ready")
			continue
		}
		require.Contains(t, b.Assumed, "1 pod in "+reason+" stays so")
		replicas, ready := b.end(t, 0)
		require.Equal(t, [2]int32{4, 4}, [2]int32{replicas, ready}, reason)
		require.True(t, simulated(t, text, "-f", "-", "--heal").Done, reason)
	}
	long := halfWay(1, 0, waits("ContainerCreating"))
	long.sets[1].age = hour
	require.Contains(t, simulated(t, long.yaml(t), "-f", "-").Assumed, "1 pod in ContainerCreating for more than 5 minutes stays so")

	both := halfWay(2, 0, func(o *liveObjects) { waiting(o.pods[len(o.pods)-1], "CrashLoopBackOff", "") })
	both.sets[1].size, both.sets[1].available = 2, 1
	b := simulated(t, both.yaml(t), "-f", "-")
	replicas, ready := b.end(t, 1)
	require.Equal(t, [2]int32{4, 3}, [2]int32{replicas, ready}, "a template with a ready pod is not broken")
}

// Pods that found no room wait for that of others, and those that no node is fit for wait
// for ever.
func TestBelievesNodes(t *testing.T) {
	because := func(message string) func(*liveObjects) {
		return lastPod(func(p *corev1.Pod) { unscheduled(p); p.Status.Conditions[0].Message = message })
	}
	full := because("0/5 nodes are available: 5 Insufficient cpu.")
	b := simulated(t, halfWay(1, 0, full).yaml(t), "-f", "-")
	require.False(t, b.Done, "nothing goes, so that there is no room")
	require.Contains(t, b.Assumed, "pods are Unschedulable: nodes have only the room of pods that end")
	require.False(t, simulated(t, halfWay(1, 1, full).yaml(t), "-f", "-").Done, "what went before has left no room")
	roomy := halfWay(1, 1, full)
	roomy.sets[0].size, roomy.sets[0].available = 4, 4
	require.True(t, simulated(t, roomy.yaml(t), "-f", "-").Done, "each old pod makes room for a new one")
	roomy.edit = because("0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector.")
	b = simulated(t, roomy.yaml(t), "-f", "-")
	require.False(t, b.Done)
	require.Contains(t, b.Assumed, "1 pod in Unschedulable stays so")
}

// A quota that a ReplicaSet tells of stays.
func TestBelievesQuota(t *testing.T) {
	c := halfWay(1, 0, func(o *liveObjects) {
		o.sets[1].Status.Conditions = []appsv1.ReplicaSetCondition{replicaFailure(
			`pods "web-x" is forbidden: exceeded quota: limit, requested: pods=1, used: pods=9, limited: pods=9`)}
	})
	c.sets[1].failing = 0
	b := simulated(t, c.yaml(t), "-f", "-")
	require.False(t, b.Done)
	require.Contains(t, b.Assumed, "the quota limit stays: 4 pods")
	require.True(t, simulated(t, c.yaml(t), "-f", "-", "--heal").Done)
}

// A Deployment that was created paused has no ReplicaSet, and its first rollout is no
// update.
func TestPausedAtCreation(t *testing.T) {
	dir := t.TempDir()
	file := func(name, more string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
`+more+`  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
`), 0o600))
		return path
	}
	b := simulated(t, nil, "--from", file("old", "  paused: true\n"), "-f", file("new", ""))
	require.Len(t, b.Steps[0].Parts, 1)
	require.EqualValues(t, 3, b.Steps[0].Total)
	require.Zero(t, b.Steps[0].Available, "its pods are new")
}

// Nodes of any file count, and none is made beside them.
func TestNodesOfAnyFile(t *testing.T) {
	dir := t.TempDir()
	text, err := os.ReadFile(data + "daemonset/agent-v1.yaml")
	require.NoError(t, err)
	old := filepath.Join(dir, "old.yaml")
	nodes := "\n---\n{apiVersion: v1, kind: Node, metadata: {name: a, labels: {kubernetes.io/os: linux}}}\n---\n{apiVersion: v1, kind: Node, metadata: {name: b, labels: {kubernetes.io/os: linux}}}\n"
	require.NoError(t, os.WriteFile(old, append(text, nodes...), 0o600))
	require.Contains(t, succeed(t, nil, "simulate", "--from", old, "-f", data+"daemonset/agent-v2.yaml"), "2 nodes of 2 should run a pod")
	require.Contains(t, succeed(t, nil, "simulate", "--from", old, "-f", data+"daemonset/agent-v2.yaml", "--nodes", "3"), "3 nodes of 3")

	cordoned := filepath.Join(dir, "cordoned.yaml")
	require.NoError(t, os.WriteFile(cordoned, []byte("{apiVersion: v1, kind: Node, metadata: {name: a}, spec: {unschedulable: true}}\n"), 0o600))
	b := simulated(t, nil, "--from", data+"echoserver-v1.yaml", "--from", cordoned, "-f", data+"echoserver-v2.yaml")
	require.False(t, b.Done)
	require.Contains(t, b.Assumed, "1 of 1 nodes take no new pod: cordoned")
	small := filepath.Join(dir, "small.yaml")
	require.NoError(t, os.WriteFile(small, []byte("{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {pods: 3}}}\n"), 0o600))
	b = simulated(t, nil, "-f", data+"echoserver-v1.yaml", "-f", small)
	require.False(t, b.Done)
	_, ready := b.end(t, 0)
	require.EqualValues(t, 3, ready)
}

// Real nodes of --from have no more room than their own for plain manifests of -f, less what pods
// of others take there.
func TestRoomOfNodesElsewhere(t *testing.T) {
	pod := func(cpu string) string {
		return "---\n{apiVersion: v1, kind: Pod, metadata: {name: other, uid: o1, namespace: else}, spec: {nodeName: a, containers: [{name: o, image: o, resources: {requests: {cpu: " + cpu + "}}}]}, status: {phase: Running}}\n"
	}
	manifest := func(tag string) string {
		return strings.Replace(newWeb("  replicas: 3\n", tag), "ports:", "resources: {requests: {cpu: 500m}}, ports:", 1)
	}
	node := "---\n{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: CPU, memory: 8Gi, pods: 110}}}\n"
	for _, c := range []struct {
		why, cpu, others string
		done             bool
	}{
		{"three pods and one of the surge", "2", "", true},
		{"three, of which none may be missing", "1900m", "", false},
		{"a pod of another namespace takes the rest", "2", pod("100m"), false},
		{"one that leaves enough", "3", pod("1"), true},
	} {
		from := inFile(t, "from.yaml", manifest("1")+strings.Replace(node, "CPU", c.cpu, 1)+c.others)
		b := simulated(t, nil, "--from", from, "-f", inFile(t, "next.yaml", manifest("2")))
		require.Equal(t, c.done, b.Done, c.why)
		require.Contains(t, b.Assumed, "nodes have the room that the pods in the input leave", c.why)
	}
}

const noneReady = "new pods of a template of which no pod is ready do not become ready either"
