// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &u.Object))
	return u
}

const head = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
`

const template = `  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:2", env: [{name: A, value: "1"}]}]
`

// liveOf returns what a server has after the apply of a text and changes by hand.
func liveOf(t *testing.T, last string) *unstructured.Unstructured {
	t.Helper()
	live := object(t, `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop, uid: u1, generation: 4}
spec:
  replicas: 7
  paused: true
  minReadySeconds: 9
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {kubectl.kubernetes.io/restartedAt: "2026-01-02T15:04:05Z"}
    spec:
      containers:
      - {name: web, image: "web:1", imagePullPolicy: Always, env: [{name: A, value: "1"}, {name: HAND, value: "x"}, {name: GONE, value: "y"}]}
      - {name: injected, image: "sidecar:1"}
`)
	if last != "" {
		text, err := yaml.YAMLToJSON([]byte(last))
		require.NoError(t, err)
		live.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: string(text)})
	}
	return live
}

// What the last apply did not own stays, and what it owned and the manifest lacks goes.
func TestApply(t *testing.T) {
	last := head + "  minReadySeconds: 9\n" + `  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "web:1", env: [{name: A, value: "1"}, {name: GONE, value: "y"}]}]
`
	live := liveOf(t, last)
	before, manifest := live.DeepCopy(), object(t, head+template)
	merged, err := Apply(live, manifest)
	require.NoError(t, err)
	require.Equal(t, before, live)
	require.Equal(t, object(t, head+template), manifest)
	require.Equal(t, "shop", merged.GetNamespace())
	spec := merged.Object["spec"].(map[string]any)
	require.EqualValues(t, 7, spec["replicas"], "scaled by hand, and not owned")
	require.Equal(t, true, spec["paused"])
	require.NotContains(t, spec, "minReadySeconds", "owned, and gone")
	pod := spec["template"].(map[string]any)
	require.Equal(t, map[string]any{"kubectl.kubernetes.io/restartedAt": "2026-01-02T15:04:05Z"}, pod["metadata"].(map[string]any)["annotations"])
	containers := pod["spec"].(map[string]any)["containers"].([]any)
	require.Len(t, containers, 2, "the other one was put there by somebody else")
	web := containers[0].(map[string]any)
	require.Equal(t, "web:2", web["image"])
	require.Equal(t, "Always", web["imagePullPolicy"], "of an earlier tag")
	require.ElementsMatch(t, []any{map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "HAND", "value": "x"}}, web["env"])

	again, err := Apply(merged, manifest)
	require.NoError(t, err)
	require.Equal(t, merged, again, "a second apply changes nothing")
}

// Replicas that the last apply held and the manifest lacks go back to the default; those
// that it did not hold, or that nobody has applied, stay.
func TestReplicas(t *testing.T) {
	for last, stays := range map[string]bool{"": true, head: true, head + "  replicas: 3\n": false} {
		merged, err := Apply(liveOf(t, last), object(t, head+template))
		require.NoError(t, err)
		_, there := merged.Object["spec"].(map[string]any)["replicas"]
		require.Equal(t, stays, there, last)
	}
}

// Custom resources have no merge keys: lists are replaced.
func TestCustomResource(t *testing.T) {
	live := object(t, `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web, namespace: shop, uid: u1, annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"paused":true}}'}}
spec: {paused: true, replicas: 5, strategy: {canary: {steps: [{setWeight: 5}, {pause: {}}]}}}
`)
	merged, err := Apply(live, object(t, `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: web}
spec: {strategy: {canary: {steps: [{setWeight: 20}]}}}
`))
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"replicas": int64(5), "strategy": map[string]any{"canary": map[string]any{"steps": []any{map[string]any{"setWeight": int64(20)}}}},
	}, merged.Object["spec"])
}
