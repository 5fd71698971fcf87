// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A ReplicaSet web of three pods, and one of them: the text is added to its metadata, spec and status.
const web = `{kind: ReplicaSet, metadata: {namespace: shop, name: web, uid: r}, spec: {replicas: 3, selector: {matchLabels: {app: web}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "web:1"}]}}}}`

func seenPod(name, metadata, spec, status string) string {
	return fmt.Sprintf(`{kind: Pod, metadata: {namespace: shop, name: %s, uid: %[1]s, labels: {app: web}, creationTimestamp: "2026-05-01T11:50:00Z",
  ownerReferences: [{kind: ReplicaSet, name: web, uid: r, controller: true}] %s}, spec: {containers: [{name: c, image: "web:1"}] %s}, status: {%s}}`, name, metadata, spec, status)
}

const (
	onA      = `, nodeName: a`
	isReady  = `phase: Running, conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-05-01T12:00:00Z"}]`
	notReady = `phase: Running, conditions: [{type: Ready, status: "False", reason: ContainersNotReady, lastTransitionTime: "%s"}]`
)

func waits(reason string) string {
	return `phase: Pending, containerStatuses: [{name: c, state: {waiting: {reason: ` + reason + `}}}]`
}

func unscheduled(reason, message string) string {
	return fmt.Sprintf(`phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: %s, message: %q}]`, reason, message)
}

// serving is how many pods are ready once nothing happens any more in a world of a ReplicaSet of three.
func serving(t testing.TB, s cluster.Snapshot) int32 {
	t.Helper()
	w, err := sim.New(s, sim.Config{})
	require.NoError(t, err)
	done, err := w.Settle(24 * time.Hour)
	require.NoError(t, err)
	require.True(t, done)
	return w.View().ReplicaSets()[0].Status.ReadyReplicas
}

// TestBelieved: one of three pods of a ReplicaSet is seen in a way, beside a ready one or without any, at
// 12:00. Those that are on their way become ready. Others stay as they are, and let new ones stay so only
// if no pod of their template is ready, or has a node.
func TestBelieved(t *testing.T) {
	long, short := fmt.Sprintf(notReady, "2026-05-01T11:54:59Z"), fmt.Sprintf(notReady, "2026-05-01T11:55:00Z")
	crashed := `, containerStatuses: [{name: c, state: {running: {}}, lastState: {terminated: {reason: OOMKilled, exitCode: 137}}}]`
	done := `, containerStatuses: [{name: c, state: {running: {}}, lastState: {terminated: {reason: Completed, exitCode: 0}}}]`
	for _, tt := range []struct {
		name, metadata, spec, status string
		held                         cluster.PodHold
		says                         string
		beside, alone                int32 // how many pods serve in the end
	}{
		{"image", "", onA, waits("ImagePullBackOff"), cluster.PodHold{Unready: true}, "1 pod in ImagePullBackOff stays so", 2, 0},
		{"crash", "", onA, waits("CrashLoopBackOff"), cluster.PodHold{Unready: true}, "1 pod in CrashLoopBackOff stays so", 2, 0},
		{"other text", "", onA, waits(`"a\nb"`), cluster.PodHold{Unready: true}, "1 pod in a\nb stays so", 2, 0},
		{"init", "", onA, `initContainerStatuses: [{name: i, state: {terminated: {exitCode: 1}}}]`, cluster.PodHold{Unready: true}, "1 pod in Init:Error stays so", 2, 0},
		{"between crashes", "", onA, short + crashed, cluster.PodHold{Unready: true}, "1 pod in ContainersNotReady after OOMKilled stays so", 2, 0},
		{"restarted in peace", "", onA, short + done, cluster.PodHold{}, "1 pod in ContainersNotReady becomes ready", 3, 3},
		{"unready for 5 min", "", onA, short, cluster.PodHold{}, "1 pod in ContainersNotReady becomes ready", 3, 3},
		{"unready for longer", "", onA, long, cluster.PodHold{Unready: true}, "1 pod in ContainersNotReady for more than 5 minutes stays so", 2, 0},
		{"creating", "", onA, waits("ContainerCreating") + `, conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-05-01T11:59:00Z"}]`,
			cluster.PodHold{}, "1 pod in ContainerCreating becomes ready", 3, 3},
		{"new", "", "", "phase: Pending", cluster.PodHold{}, "1 pod in NotScheduled becomes ready", 3, 3},
		{"gated", "", "", unscheduled("SchedulingGated", ""), cluster.PodHold{Unplaced: true}, "1 pod in SchedulingGated stays so", 2, 0},
		{"no volume", "", "", unscheduled("Unschedulable", "0/1 nodes are available: 1 node(s) had volume node affinity conflict."), cluster.PodHold{Unplaced: true}, "1 pod in Unschedulable stays so", 2, 0},
		{"unknown node", "", "", unscheduled("Unschedulable", "0/1 nodes are available: 1 node(s) had untolerated taint {a: b}."), cluster.PodHold{Unplaced: true}, "1 pod in Unschedulable stays so", 2, 0},
		{"finalizers", `, finalizers: [example.com/a]`, onA, isReady, cluster.PodHold{Kept: true}, "1 pod with finalizers remains when deleted", 3, 3},
		{"of the collector", `, finalizers: [foregroundDeletion]`, onA, isReady, cluster.PodHold{}, "", 3, 3},
		{"finalizers and image", `, finalizers: [example.com/a]`, onA, waits("ErrImagePull"), cluster.PodHold{Unready: true, Kept: true}, "1 pod in ErrImagePull stays so", 2, 0},
		{"ends soon", `, deletionTimestamp: "2026-05-01T12:00:09Z", deletionGracePeriodSeconds: 30`, onA, isReady, cluster.PodHold{}, "1 pod in Terminating ends within its grace period", 3, 3},
		{"ought to be gone", `, deletionTimestamp: "2026-05-01T11:59:59Z", deletionGracePeriodSeconds: 30`, onA, isReady, cluster.PodHold{}, "1 pod in Terminating past its deletionTimestamp stays so", 3, 3},
		{"kept and going", `, finalizers: [a/b], deletionTimestamp: "2026-05-01T12:00:09Z", deletionGracePeriodSeconds: 30`, onA, isReady, cluster.PodHold{Kept: true}, "1 pod in Terminating with finalizers stays so", 3, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			other := seenPod("other", "", onA, isReady)
			s, err := kube.World(read(t, web, seenPod("web", tt.metadata, tt.spec, tt.status), other))
			require.NoError(t, err)
			require.Equal(t, "2026-05-01T12:00:00Z", s.Now.Format(time.RFC3339))
			require.Equal(t, tt.held, s.Held["shop/web"])
			require.Equal(t, tt.says, sentences(s)[0])
			require.Equal(t, tt.beside, serving(t, s), "beside a ready pod")
			s, err = kube.WorldAt(s.Now, read(t, web, seenPod("web", tt.metadata, tt.spec, tt.status)))
			require.NoError(t, err)
			require.Equal(t, tt.alone, serving(t, s), "alone")
			text, err := json.Marshal(s)
			require.NoError(t, err)
			var again cluster.Snapshot
			require.NoError(t, json.Unmarshal(text, &again))
			require.Empty(t, cmp.Diff(s, again))
		})
	}
}

// sentences are what a snapshot believes, with "" at the end.
func sentences(s cluster.Snapshot) (list []string) {
	for _, b := range s.BelievedOf(func(string) bool { return true }) {
		list = append(list, b.String())
	}
	return append(list, "")
}

// TestBelievedTogether: what is believed of many pods is told by their numbers, in order.
func TestBelievedTogether(t *testing.T) {
	s, err := kube.World(read(t, web, seenPod("a", "", onA, waits("ImagePullBackOff")), seenPod("b", "", onA, waits("CrashLoopBackOff")), seenPod("c", "", onA, waits("ImagePullBackOff")),
		seenPod("d", "", "", unscheduled("SchedulingGated", "")), seenPod("e", "", onA, waits("ContainerCreating")), seenPod("f", "", "", unscheduled("Unschedulable", "1 Insufficient cpu.")), seenPod("g", "", "", unscheduled("Unschedulable", ""))))
	require.NoError(t, err)
	require.Equal(t, `1 pod in ContainerCreating stays so
1 pod in CrashLoopBackOff stays so
2 pods in ImagePullBackOff stay so
1 pod in SchedulingGated stays so
new pods of a template of which no pod is ready do not become ready either
2 pods in Unschedulable wait for room on a node
pods are Unschedulable: nodes have only the room of pods that end
`, strings.Join(sentences(s), "\n"))
	require.Equal(t, cluster.Belief{Pods: 2, In: "ImagePullBackOff", Then: cluster.Stay, Of: "r"}, s.Believed[2])
	require.Len(t, s.BelievedOf(func(uid string) bool { return uid == "r" }), len(s.Believed))
	require.Equal(t, []cluster.Belief{{Then: cluster.FullNodes}}, s.BelievedOf(func(uid string) bool { return uid != "r" }))
}

// TestBelievedStarting: beside a pod that crashes, a pod of the same template that has just started stays as it
// is, if none is ready: so does the world, and so says the belief.
func TestBelievedStarting(t *testing.T) {
	crashes := seenPod("a", "", onA, waits("CrashLoopBackOff"))
	starts := seenPod("b", "", onA, waits("ContainerCreating"))
	s, err := kube.WorldAt(time.Date(2026, 5, 1, 11, 51, 0, 0, time.UTC), read(t, web, crashes, starts))
	require.NoError(t, err)
	require.Equal(t, []string{
		"1 pod in ContainerCreating stays so", "1 pod in CrashLoopBackOff stays so",
		"new pods of a template of which no pod is ready do not become ready either", "",
	}, sentences(s))
	require.Zero(t, serving(t, s))
}
