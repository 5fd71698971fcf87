// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/kube"
)

// onEach is a DaemonSet with a strategy and a pod template of some spec.
func onEach(strategy, pod string) string {
	return fmt.Sprintf(`{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: shop, uid: d}, spec: {updateStrategy: {rollingUpdate: %s},
  selector: {matchLabels: {app: agent}}, template: {metadata: {labels: {app: agent}}, spec: %s}}}
`, strategy, pod)
}

// aNode is a node of 2 CPUs, with more of its spec, and whether it is ready.
func aNode(name, spec, ready string) string {
	return fmt.Sprintf(`---
{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %s, disk: %s}}, spec: {%s},
 status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}, conditions: [{type: Ready, status: %q, lastTransitionTime: "2026-05-01T11:00:00Z"}]}}
`, name, name, name, spec, ready)
}

// aPod is a pod of the DaemonSet on a node, of its template or another one, with more metadata and a status.
func aPod(node, hash, image, meta, status string) string {
	return fmt.Sprintf(`---
{apiVersion: v1, kind: Pod, metadata: {name: agent-%s, namespace: shop, uid: agent-%s, labels: {app: agent, controller-revision-hash: %s}, creationTimestamp: "2026-05-01T10:00:00Z",
   ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: d, controller: true}]%s},
 spec: {nodeName: %s, containers: [{name: c, image: %q}]}, status: {phase: Running, %s}}
`, node, node, hash, meta, node, image, status)
}

const (
	surging     = `{maxSurge: 1, maxUnavailable: 0}`
	oneByOne    = `{maxUnavailable: 1}`
	atWork      = `conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-05-01T10:00:00Z"}]`
	unready     = `conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-05-01T11:00:00Z"}]`
	cannotPull  = `conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-05-01T11:00:00Z"}], containerStatuses: [{name: c, image: "x:0", imageID: "", ready: false, restartCount: 0, state: {waiting: {reason: ImagePullBackOff}}}]`
	noExecute   = `taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}]`
	unreachable = `taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}, {key: node.kubernetes.io/unreachable, effect: NoSchedule}]`
)

// What holds the pods of a DaemonSet back is in the forecast: for each an update that ends and one that never
// does. They go from image x:1 to x:2 on the nodes a and b, one at a time.
func TestDaemonSetForecasts(t *testing.T) {
	container := func(more string) string { return `{containers: [{name: c, image: "x:2"` + more + `}]}` }
	port, large := container(`, ports: [{containerPort: 80, hostPort: 80}]`), container(`, resources: {requests: {cpu: "1500m"}}`)
	nodes := aNode("a", "", "True") + aNode("b", "", "True")
	old := aPod("a", "one", "x:1", "", atWork) + aPod("b", "one", "x:1", "", atWork)
	plain := onEach(oneByOne, container("")) + nodes
	two := "---\n{apiVersion: v1, kind: ResourceQuota, metadata: {name: few, namespace: shop}, spec: {hard: {pods: 2}}}\n"
	ranged := "---\n{apiVersion: v1, kind: LimitRange, metadata: {name: small, namespace: shop}, spec: {limits: [{type: Container, max: {cpu: 1}}]}}\n"
	fromOne := func(text string) string { return strings.ReplaceAll(text, "x:2", "x:1") }
	for why, c := range map[string]struct{ text, ends, says string }{
		"nothing":                                   {plain + old, "20s", ""},
		"pods of which one was seen at work":        {fromOne(plain), "20s", ""},
		"a probe that begins after a minute":        {fromOne(onEach(oneByOne, container(`, readinessProbe: {initialDelaySeconds: 60, httpGet: {port: 80}}`)) + nodes), "2m", ""},
		"a host port that the old pod leaves":       {fromOne(onEach(oneByOne, port) + nodes), "20s", ""},
		"a host port that the old pod keeps":        {fromOne(onEach(surging, port) + nodes), "", "1 pod of agent waits for its node: 0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."},
		"room that the old pod leaves":              {fromOne(onEach(oneByOne, large) + nodes), "20s", "nodes have the room that the pods in the input leave"},
		"room that the old pod keeps":               {fromOne(onEach(surging, large) + nodes), "", "1 pod of agent waits for its node: 0/1 nodes are available: 1 Insufficient cpu."},
		"a node that does not answer":               {onEach(oneByOne, container("")) + aNode("a", "", "True") + aNode("b", unreachable, "Unknown") + aPod("a", "one", "x:1", "", atWork) + aPod("b", "one", "x:1", "", unready), "", "1 pod in NotReady on a node that does not answer stays so"},
		"a node that does not answer, and no pods":  {fromOne(onEach(oneByOne, container("")) + aNode("a", "", "True") + aNode("b", noExecute, "Unknown")), "", ""},
		"a finalizer that nobody removes":           {plain + strings.Replace(old, "uid: agent-a,", "uid: agent-a, finalizers: [example.com/keep],", 1), "20s", "1 pod with finalizers remains when deleted"},
		"a pod that is being deleted":               {plain + strings.Replace(old, "uid: agent-a,", `uid: agent-a, deletionTimestamp: "2026-05-01T12:00:20Z", deletionGracePeriodSeconds: 30,`, 1), "40s", "1 pod in Terminating ends within its grace period"},
		"a pod that should have ended":              {plain + strings.Replace(old, "uid: agent-a,", `uid: agent-a, deletionTimestamp: "2026-05-01T11:50:20Z", deletionGracePeriodSeconds: 30,`, 1), "", "1 pod in Terminating past its deletionTimestamp stays so"},
		"an old image that cannot be pulled":        {plain + aPod("a", "one", "x:0", "", cannotPull) + aPod("b", "one", "x:1", "", atWork), "20s", "1 pod in ImagePullBackOff stays so"},
		"a new image that cannot be pulled":         {plain + aPod("a", "two", "x:2", "", cannotPull) + aPod("b", "one", "x:1", "", atWork) + labelledRevision(t, plain, "two"), "", "1 pod in ImagePullBackOff stays so"},
		"a quota of the wanted pods":                {fromOne(plain) + two, "20s", ""},
		"a quota of the wanted pods, and a surge":   {fromOne(onEach(surging, container(""))+nodes) + two, "", "creations will fail: ResourceQuota few leaves room for 2 pods (pods), and up to 3 are wanted"},
		"a limit range that takes them":             {fromOne(onEach(oneByOne, container(`, resources: {limits: {cpu: 500m}}`))+nodes) + ranged, "20s", ""},
		"a limit range that takes no new pod":       {fromOne(onEach(oneByOne, container(`, resources: {limits: {cpu: 2}}`))+nodes) + ranged, "", "no new pod is made, as the API server says: maximum cpu usage per Container is 1, but limit is 2"},
		"a taint that keeps new pods off one node":  {onEach(oneByOne, container("")) + aNode("a", "", "True") + aNode("b", "taints: [{key: own, effect: NoSchedule}]", "True") + old, "10s", "1 of 2 nodes take no pod of it"},
		"no node in the input, so that it has some": {fromOne(onEach(oneByOne, container(""))), "30s", "there are 3 nodes that fit, since the input has none"},
	} {
		t.Run(why, func(t *testing.T) {
			args := []string{"simulate", "-f", "-", "--now", "2026-05-01T12:00:00Z"}
			if !strings.Contains(c.text, "kind: Pod,") {
				args = append(args, "--set-image", "c=:2")
			}
			code, stdout, stderr := run([]byte(c.text), args...)
			text := inWords(stdout)
			require.Contains(t, text, c.says, stdout)
			if c.ends == "" {
				require.Equal(t, exitFailure, code, "%s%s", stdout, stderr)
				require.Contains(t, text, "Not complete: the rollout has not finished, and nothing changes any more after 0s.", stdout)
				_, stdout, _ = run([]byte(c.text), append(args, "--heal")...)
				require.Equal(t, !strings.Contains(c.text, "hostPort"), strings.Contains(stdout, "Complete after"), stdout)
				return
			}
			require.Zero(t, code, "%s%s", stdout, stderr)
			require.Contains(t, text, "Complete after "+c.ends+".", stdout)
		})
	}
}

// labelledRevision is the ControllerRevision of the template of a DaemonSet, which has another hash than ours.
func labelledRevision(t *testing.T, text, hash string) string {
	t.Helper()
	ds := &appsv1.DaemonSet{}
	first, _, _ := strings.Cut(text, "---")
	require.NoError(t, yaml.Unmarshal([]byte(first), ds))
	d, err := kube.DaemonSet(kube.Default(ds))
	require.NoError(t, err)
	return fmt.Sprintf(`---
{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: agent-%s, namespace: shop, uid: %s, labels: {app: agent, controller-revision-hash: %s},
   ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: d, controller: true}]}, revision: 1, data: %s}
`, hash, hash, hash, d.Template.Data)
}
