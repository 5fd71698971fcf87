// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
)

// TestReported: of two ReplicaSets only the statuses tell of pods: three of the old one are ready, one of the new
// one is not. It becomes ready if the rollout has come on within five minutes, and else stays so, as do all that
// follow it.
func TestReported(t *testing.T) {
	set := func(name string, n, ready int, image string) string {
		return fmt.Sprintf(`{kind: ReplicaSet, metadata: {namespace: shop, name: web-%s, uid: %[1]s, creationTimestamp: "2026-05-01T11:50:00Z", labels: {app: web, pod-template-hash: %[1]s},
  annotations: {deployment.kubernetes.io/revision: "%[2]d"}, ownerReferences: [{kind: Deployment, name: web, uid: d, controller: true}]}, spec: {replicas: %[2]d, minReadySeconds: 60, selector: {matchLabels: {app: web, pod-template-hash: %[1]s}},
  template: {metadata: {labels: {app: web, pod-template-hash: %[1]s}}, spec: {containers: [{name: c, image: %[4]q, resources: {requests: {memory: 1Gi}}}]}}}, status: {replicas: %[2]d, readyReplicas: %[3]d, availableReplicas: %[3]d}}`, name, n, ready, image)
	}
	const status = `{type: Progressing, status: %q, lastUpdateTime: %q}`
	for _, tt := range []struct {
		name, progressing string
		says              []string
		ends              bool
	}{
		{"it comes on", fmt.Sprintf(status, "True", "2026-05-01T11:56:00Z"), []string{"4 pods are not in the input, and are as the status of their ReplicaSet says", "1 pod in NotReady, by the status alone, becomes ready", ""}, true},
		{"nothing for long", fmt.Sprintf(status, "True", "2026-05-01T11:54:00Z"), []string{"1 pod in NotReady, by the status alone, stays so",
			"new pods of a template of which no pod is ready do not become ready either", "4 pods are not in the input, and are as the status of their ReplicaSet says", ""}, false},
		{"past the deadline", fmt.Sprintf(status, "False", "2026-05-01T11:59:00Z"), []string{"1 pod in NotReady, by the status alone, stays so",
			"new pods of a template of which no pod is ready do not become ready either", "4 pods are not in the input, and are as the status of their ReplicaSet says", ""}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := `{kind: Deployment, metadata: {namespace: shop, name: web, uid: d, generation: 2}, spec: {replicas: 3, minReadySeconds: 60, selector: {matchLabels: {app: web}}, strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}},
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: "web:2", resources: {requests: {memory: 1Gi}}}]}}}, status: {conditions: [` + tt.progressing + `]}}`
			n := `{kind: Node, metadata: {name: %s}, status: {allocatable: {memory: 2Gi}, conditions: [{type: Ready, status: "True", lastHeartbeatTime: "2026-05-01T12:00:00Z"}]}}`
			s, err := kube.World(read(t, d, set("old", 3, 3, "web:1"), set("new", 1, 0, "web:2"), fmt.Sprintf(n, "a"), fmt.Sprintf(n, "b")))
			require.NoError(t, err)
			require.Equal(t, tt.says, sentences(s))
			require.Equal(t, []string{"a", "a", "b", "b"}, []string{s.Pods[0].NodeName, s.Pods[1].NodeName, s.Pods[2].NodeName, s.Pods[3].NodeName})
			w, err := sim.New(s, sim.Config{})
			require.NoError(t, err)
			require.NoError(t, w.Run(w.Now()))
			require.Equal(t, int32(3), w.View().ReplicaSet("shop/web-old").Status.AvailableReplicas)
			done, err := w.Settle(24 * time.Hour)
			require.NoError(t, err)
			require.True(t, done)
			require.Equal(t, map[bool]int32{true: 3, false: 0}[tt.ends], w.View().Deployments()[0].Status.UpdatedReplicas-w.View().Deployments()[0].Status.UnavailableReplicas)
		})
	}
}

// TestReportedAlone: by the status of a ReplicaSet of 11:50, which no Deployment controls, two of its three pods are
// ready. Ten minutes later the third one is believed to stay as it is, which says nothing about new ones.
func TestReportedAlone(t *testing.T) {
	objects := read(t, `{kind: ReplicaSet, metadata: {name: web, uid: r, creationTimestamp: "2026-05-01T11:50:00Z"}, spec: {replicas: 3}, status: {replicas: 3, readyReplicas: 2, availableReplicas: 2}}`)
	for after, want := range map[time.Duration]int32{5 * time.Minute: 3, 10 * time.Minute: 2} {
		s, err := kube.WorldAt(time.Date(2026, 5, 1, 11, 50, 0, 0, time.UTC).Add(after), objects)
		require.NoError(t, err)
		require.Equal(t, want, serving(t, s))
		require.False(t, s.Templates[s.ReplicaSets[0].Template.ID].NeverReady)
	}
}

// Pods of a template that names a node are on that node, full or not: those that the world creates, and
// those that only a status tells of.
func TestTemplateNamesNode(t *testing.T) {
	node := `{kind: Node, metadata: {name: %s}, status: {allocatable: {pods: %d}, conditions: [{type: Ready, status: "True"}]}}`
	for _, status := range []string{`{}`, `{replicas: 3, readyReplicas: 3, availableReplicas: 3}`} {
		s, err := kube.World(read(t, fmt.Sprintf(node, "a", 9), fmt.Sprintf(node, "b", 0), `{kind: ReplicaSet, metadata: {name: web, uid: r},
  spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {nodeName: b}}}, status: `+status+`}`))
		require.NoError(t, err)
		w, err := sim.New(s, sim.Config{})
		require.NoError(t, err)
		_, err = w.Settle(time.Hour)
		require.NoError(t, err)
		require.Len(t, w.View().Pods(), 3)
		for _, p := range w.View().Pods() {
			require.Equal(t, "b", p.NodeName, status)
			require.True(t, p.Ready)
		}
	}
}
