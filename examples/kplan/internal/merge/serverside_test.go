// SPDX-License-Identifier: Apache-2.0

package merge

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// written returns an object after managers have written it, one after the other: the first
// of a pair applies its text, or changes it by hand if that begins with an asterisk.
func written(t *testing.T, pairs ...string) *unstructured.Unstructured {
	t.Helper()
	manager, err := managerOf(object(t, pairs[1]).GroupVersionKind())
	require.NoError(t, err)
	live := object(t, pairs[1])
	live.Object = map[string]any{"apiVersion": live.GetAPIVersion(), "kind": live.GetKind(), "metadata": map[string]any{"name": "web"}}
	for i := 0; i < len(pairs); i += 2 {
		var next runtime.Object
		if name := pairs[i]; name[0] == '*' {
			after := object(t, pairs[i+1])
			after.SetManagedFields(live.GetManagedFields())
			next, err = manager.Update(live, after, name[1:])
		} else {
			next, err = manager.Apply(live, object(t, pairs[i+1]), name, true)
		}
		require.NoError(t, err)
		live = next.(*unstructured.Unstructured)
	}
	live.SetUID("u1")
	return live
}

func field(t *testing.T, u *unstructured.Unstructured, path ...string) any {
	t.Helper()
	value, _, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	require.NoError(t, err)
	return value
}

const before = head + "  replicas: 3\n  minReadySeconds: 9\n" + `  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "web:1", env: [{name: A, value: "1"}, {name: GONE, value: "y"}]}
`

// What kubectl has applied and the manifest lacks goes; what others have written stays, also
// within a container and a list of variables.
func TestServerSide(t *testing.T) {
	hand := head + "  replicas: 3\n  paused: true\n  minReadySeconds: 9\n" + `  template:
    metadata:
      labels: {app: web}
      annotations: {kubectl.kubernetes.io/restartedAt: "2026-01-02T15:04:05Z"}
    spec:
      containers:
      - {name: web, image: "web:1", imagePullPolicy: Always, env: [{name: A, value: "1"}, {name: GONE, value: "y"}, {name: HAND, value: "x"}]}
      - {name: injected, image: "sidecar:1"}
`
	live := written(t, Manager, before, "*kubectl-edit", hand)
	was := live.DeepCopy()
	merged, err := ServerSide(live, object(t, head+"  replicas: 3\n"+template))
	require.NoError(t, err)
	require.Equal(t, was, live)
	require.EqualValues(t, 3, field(t, merged, "spec", "replicas"))
	require.Equal(t, true, field(t, merged, "spec", "paused"), "by hand")
	require.Nil(t, field(t, merged, "spec", "minReadySeconds"), "it was kubectl's")
	pod := field(t, merged, "spec", "template").(map[string]any)
	require.NotEmpty(t, pod["metadata"].(map[string]any)["annotations"])
	containers := pod["spec"].(map[string]any)["containers"].([]any)
	require.Len(t, containers, 2)
	require.Equal(t, map[string]any{
		"name": "web", "image": "web:2", "imagePullPolicy": "Always", "env": []any{map[string]any{"name": "A", "value": "1"}, map[string]any{"name": "HAND", "value": "x"}},
	}, containers[0])
	require.True(t, Live(merged))
}

// A field that two have applied stays until both give it up.
func TestServerSideShared(t *testing.T) {
	live := written(t, Manager, before, "argocd", before)
	merged, err := ServerSide(live, object(t, head+"  replicas: 3\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: \"web:1\"}]}\n"))
	require.NoError(t, err)
	require.EqualValues(t, 9, field(t, merged, "spec", "minReadySeconds"))
}

// What others own and the manifest says otherwise is a conflict, in the words of the server.
func TestServerSideConflict(t *testing.T) {
	live := written(t, Manager, head+template, "*hpa", head+"  replicas: 7\n"+template)
	_, err := ServerSide(live, object(t, head+"  replicas: 3\n"+template))
	require.EqualError(t, err, `the API server would refuse, in its words: "Apply failed with 1 conflict: conflict with \"hpa\" using apps/v1: .spec.replicas"; `+
		"leave these fields out of the manifest, or let kubectl take them with --force-conflicts")
	merged, err := ServerSide(live, object(t, head+template))
	require.NoError(t, err)
	require.EqualValues(t, 7, field(t, merged, "spec", "replicas"))
	merged, err = ServerSide(live, object(t, head+"  replicas: 7\n"+template))
	require.NoError(t, err)
	require.EqualValues(t, 7, field(t, merged, "spec", "replicas"), "the same is none")
}

// What was applied without --server-side is taken over: what the manifest lacks goes.
func TestServerSideFromClientSide(t *testing.T) {
	text, err := yaml.YAMLToJSON([]byte(before))
	require.NoError(t, err)
	applied := object(t, before)
	applied.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: string(text)})
	first, err := yaml.Marshal(applied.Object)
	require.NoError(t, err)
	live := written(t, "*kubectl-client-side-apply", string(first))
	merged, err := ServerSide(live, object(t, head+"  replicas: 4\n"+template))
	require.NoError(t, err)
	require.EqualValues(t, 4, field(t, merged, "spec", "replicas"))
	require.Nil(t, field(t, merged, "spec", "minReadySeconds"))
	containers := field(t, merged, "spec", "template", "spec", "containers").([]any)
	require.Equal(t, []any{map[string]any{"name": "A", "value": "1"}}, containers[0].(map[string]any)["env"])
}

// A custom resource is merged without its schema.
func TestServerSideCustomResource(t *testing.T) {
	rollout := "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {paused: false, replicas: 3, strategy: {canary: {steps: [{setWeight: 5}]}}}\n"
	live := written(t, Manager, rollout, "*kubectl-argo-rollouts", "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {paused: false, restartAt: x, replicas: 3, strategy: {canary: {steps: [{setWeight: 5}]}}}\n")
	merged, err := ServerSide(live, object(t, "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {replicas: 3, strategy: {canary: {steps: [{setWeight: 9}, {pause: {}}]}}}\n"))
	require.NoError(t, err)
	require.Equal(t, "x", field(t, merged, "spec", "restartAt"))
	require.Nil(t, field(t, merged, "spec", "paused"))
	require.Len(t, field(t, merged, "spec", "strategy", "canary", "steps"), 2)
}

// Objects without managed fields say nothing about who owns what.
func TestServerSideWithoutManagers(t *testing.T) {
	_, err := ServerSide(liveOf(t, ""), object(t, head+template))
	require.ErrorContains(t, err, "kubectl get -o yaml --show-managed-fields")
}
