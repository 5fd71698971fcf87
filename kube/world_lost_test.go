// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
)

// log is a DaemonSet that is to go from the first to the second template on nodes a and b, one at a time.
func log(bReady, ofPodB string) []string {
	revision := func(name, image string, n int) string {
		return fmt.Sprintf(`{kind: ControllerRevision, metadata: {namespace: sys, name: log-%s, uid: log-%[1]s, labels: {app: log, controller-revision-hash: %[1]s}, ownerReferences: [{kind: DaemonSet, name: log, uid: log, controller: true}]},
  revision: %[3]d, data: {spec: {template: {$patch: replace, metadata: {labels: {app: log}}, spec: {containers: [{name: c, image: %[2]q}]}}}}}`, name, image, n)
	}
	pod := func(node, ready, more string) string {
		return fmt.Sprintf(`{kind: Pod, metadata: {namespace: sys, name: log-%s, uid: log-%[1]s, labels: {app: log, controller-revision-hash: old}, creationTimestamp: "2026-05-01T10:00:00Z",
  ownerReferences: [{kind: DaemonSet, name: log, uid: log, controller: true}] %[3]s}, spec: {nodeName: %[1]s, containers: [{name: c, image: "log:1"}]},
  status: {phase: Running, conditions: [{type: Ready, status: %[2]q, lastTransitionTime: "2026-05-01T10:00:00Z"}]}}`, node, ready, more)
	}
	return []string{
		`{kind: DaemonSet, metadata: {namespace: sys, name: log, uid: log}, spec: {selector: {matchLabels: {app: log}}, updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}},
  template: {metadata: {labels: {app: log}}, spec: {containers: [{name: c, image: "log:2"}]}}}}`,
		revision("old", "log:1", 1), revision("new", "log:2", 2), seenNode("a", "True", ""), seenNode("b", bReady, "taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}]"),
		pod("a", "True", ""), pod("b", bReady, ofPodB),
	}
}

func seenNode(name, ready, spec string) string {
	return fmt.Sprintf(`{kind: Node, metadata: {name: %s, labels: {kubernetes.io/hostname: %[1]s}}, spec: {%s}, status: {conditions: [{type: Ready, status: %q, lastTransitionTime: "2026-05-01T11:57:00Z"}]}}`, name, spec, ready)
}

// TestDaemonSetOnLostNode: the kubelet of b is silent. Whether the pod there is being deleted already or is yet to
// be, it never goes: it is the one that may be unavailable, and no other pod is updated. When the kubelet answers, all are.
func TestDaemonSetOnLostNode(t *testing.T) {
	for _, tt := range []struct{ name, ofPod, says string }{
		{"to be deleted", "", "1 pod in NotReady on a node that does not answer stays so"},
		{"being deleted", `, deletionTimestamp: "2026-05-01T11:57:30Z", deletionGracePeriodSeconds: 30`, "1 pod in Terminating on a node that does not answer stays so"},
		{"past its grace", `, deletionTimestamp: "2026-05-01T11:50:30Z", deletionGracePeriodSeconds: 30`, "1 pod in Terminating on a node that does not answer stays so"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := kube.World(read(t, log("Unknown", tt.ofPod)...))
			require.NoError(t, err)
			require.Equal(t, []string{tt.says, ""}, sentences(s))
			w, err := sim.New(s, sim.Config{})
			require.NoError(t, err)
			done, err := w.Settle(24 * time.Hour)
			require.NoError(t, err)
			require.True(t, done)
			require.Zero(t, w.View().DaemonSets()[0].Status.UpdatedNumberScheduled)
			require.False(t, w.View().DaemonPods()[1].DeletionTimestamp.IsZero())
			w.Answers("b", true)
			_, err = w.Settle(24 * time.Hour)
			require.NoError(t, err)
			require.Equal(t, int32(2), w.View().DaemonSets()[0].Status.UpdatedNumberScheduled)
		})
	}
	s, err := kube.World(read(t, log("True", "")...))
	require.NoError(t, err)
	require.Equal(t, []string{""}, sentences(s))
}

// TestLostSince: node b does not answer since 11:57:00, by its condition, or since 11:57:10, by its taint. Its
// pod is deleted 300 s later and stays; a new one on node a takes its place. That the pod is not ready says nothing
// about its template.
func TestLostSince(t *testing.T) {
	for spec, at := range map[string]time.Duration{"": 0, `taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute, timeAdded: "2026-05-01T11:57:10Z"}]`: 10 * time.Second} {
		lost := seenPod("web", "", ", nodeName: b", fmt.Sprintf(notReady, "2026-05-01T11:40:00Z"))
		s, err := kube.World(read(t, web, seenNode("a", "True", ""), seenNode("b", "Unknown", spec), lost))
		require.NoError(t, err)
		require.Empty(t, s.Held)
		require.Equal(t, "1 pod in ContainersNotReady on a node that does not answer stays so", sentences(s)[0])
		since := time.Date(2026, 5, 1, 11, 57, 0, 0, time.UTC).Add(at)
		require.Equal(t, since, s.Nodes[1].NotReadySince)
		w, err := sim.New(s, sim.Config{})
		require.NoError(t, err)
		require.NoError(t, w.Run(since.Add(299*time.Second)))
		require.Equal(t, int32(2), w.View().ReplicaSets()[0].Status.ReadyReplicas)
		require.True(t, w.View().Pod("shop/web").DeletionTimestamp.IsZero())
		require.NoError(t, w.Run(since.Add(300*time.Second)))
		require.Equal(t, int32(3), w.View().ReplicaSets()[0].Status.ReadyReplicas)
		_, err = w.Settle(24 * time.Hour)
		require.NoError(t, err)
		require.False(t, w.View().Pod("shop/web").DeletionTimestamp.IsZero(), "Terminating for ever")
	}
}

// TestWaitsForRoom: a pod was seen without room on the only node, which by what the input tells has room for
// it. So there is room only for as many pods as are there. Without nodes in the input those count that pods are
// on.
func TestWaitsForRoom(t *testing.T) {
	waiting := seenPod("web", "", "", unscheduled("Unschedulable", "0/1 nodes are available: 1 Insufficient memory."))
	ready := seenPod("other", "", onA, isReady)
	for _, objects := range [][]string{{web, waiting, ready, seenNode("a", "True", "")}, {web, waiting, ready}} {
		s, err := kube.World(read(t, objects...))
		require.NoError(t, err)
		require.Len(t, s.Nodes, 1)
		require.Equal(t, []string{"1 pod in Unschedulable waits for room on a node", "pods are Unschedulable: nodes have only the room of pods that end", ""}, sentences(s))
		require.Equal(t, int32(1), serving(t, s))
		w, err := sim.New(s, sim.Config{})
		require.NoError(t, err)
		require.True(t, w.Delete(sim.KindPod, "shop/other"))
		_, err = w.Settle(time.Hour)
		require.NoError(t, err)
		require.Equal(t, int32(1), w.View().ReplicaSets()[0].Status.ReadyReplicas)
	}
	tainted := seenPod("web", "", "", unscheduled("Unschedulable", "0/1 nodes are available: 1 seenNode(s) had untolerated taint {a: b}."))
	s, err := kube.World(read(t, web, tainted, ready, seenNode("a", "True", "taints: [{key: a, value: b, effect: NoSchedule}]")))
	require.NoError(t, err)
	require.Equal(t, []string{"1 pod in Unschedulable waits for room on a node", ""}, sentences(s), "the node refuses it already")
}

// TestHashOfRevision: a DaemonSet whose revision was labelled by another release has the hash of the label,
// and what its template means holds for the pods that are made from that revision.
func TestHashOfRevision(t *testing.T) {
	objects := read(t, log("True", "")...)
	d, err := kube.DaemonSet(kube.Default(objects[0].(*appsv1.DaemonSet)))
	require.NoError(t, err)
	objects[2].(*appsv1.ControllerRevision).Data.Raw = d.Template.Data
	s, err := kube.World(objects)
	require.NoError(t, err)
	require.Equal(t, "new", s.DaemonSets[0].Template.Hash)
	require.Contains(t, s.Templates, "new")
	set := s.Templates["new"]
	set.NeverReady = true
	s.Templates["new"] = set
	w, err := sim.New(s, sim.Config{})
	require.NoError(t, err)
	_, err = w.Settle(time.Hour)
	require.NoError(t, err)
	require.Equal(t, int32(1), w.View().DaemonSets()[0].Status.NumberReady)
}
