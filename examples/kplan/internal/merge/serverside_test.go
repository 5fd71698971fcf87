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
	merged, err := ServerSide(live, object(t, head+"  replicas: 3\n"+template), false)
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
	merged, err := ServerSide(live, object(t, head+"  replicas: 3\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: \"web:1\"}]}\n"), false)
	require.NoError(t, err)
	require.EqualValues(t, 9, field(t, merged, "spec", "minReadySeconds"))
}

// What others own and the manifest says otherwise is a conflict, in the words of the server.
func TestServerSideConflict(t *testing.T) {
	live := written(t, Manager, head+template, "*hpa", head+"  replicas: 7\n"+template)
	_, err := ServerSide(live, object(t, head+"  replicas: 3\n"+template), false)
	require.EqualError(t, err, `the API server would refuse, in its words: "Apply failed with 1 conflict: conflict with \"hpa\" using apps/v1: .spec.replicas"; `+
		"leave these fields out of the manifest, or let kubectl take them with --force-conflicts")
	merged, err := ServerSide(live, object(t, head+template), false)
	require.NoError(t, err)
	require.EqualValues(t, 7, field(t, merged, "spec", "replicas"))
	merged, err = ServerSide(live, object(t, head+"  replicas: 7\n"+template), false)
	require.NoError(t, err)
	require.EqualValues(t, 7, field(t, merged, "spec", "replicas"), "the same is none")
}

// What was applied without --server-side is taken over: what the manifest lacks goes.
func TestServerSideFromClientSide(t *testing.T) {
	live := written(t, "*kubectl-client-side-apply", applied(t, before))
	merged, err := ServerSide(live, object(t, head+"  replicas: 4\n"+template), false)
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
	merged, err := ServerSide(live, object(t, "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {replicas: 3, strategy: {canary: {steps: [{setWeight: 9}, {pause: {}}]}}}\n"), false)
	require.NoError(t, err)
	require.Equal(t, "x", field(t, merged, "spec", "restartAt"))
	require.Nil(t, field(t, merged, "spec", "paused"))
	require.Len(t, field(t, merged, "spec", "strategy", "canary", "steps"), 2)
}

// By force the manifest wins, and kubectl owns the field afterwards.
func TestServerSideForced(t *testing.T) {
	live := written(t, Manager, head+template, "*hpa", head+"  replicas: 7\n"+template)
	merged, err := ServerSide(live, object(t, head+"  replicas: 3\n"+template), true)
	require.NoError(t, err)
	require.EqualValues(t, 3, field(t, merged, "spec", "replicas"))
	again, err := ServerSide(merged, object(t, head+template), false)
	require.NoError(t, err)
	require.Nil(t, field(t, again, "spec", "replicas"), "it was kubectl's alone")
}

// applied returns a manifest with itself as the annotation that kubectl apply leaves.
func applied(t *testing.T, manifest string) string {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(manifest))
	require.NoError(t, err)
	u := object(t, manifest)
	u.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: string(text)})
	text, err = yaml.Marshal(u.Object)
	require.NoError(t, err)
	return string(text)
}

// What is live stays as it was, whatever is applied to it, and shares nothing with the
// result; so does the manifest. An apply that changes nothing is where the merge of the API
// server hands back the very object.
func TestServerSideIsPure(t *testing.T) {
	for name, live := range map[string]*unstructured.Unstructured{
		"something changes": written(t, Manager, head+"  replicas: 2\n"+template),
		"nothing changes":   written(t, Manager, before),
		"taken over":        written(t, "*kubectl-client-side-apply", applied(t, before)),
		"taken over again":  written(t, "*kubectl-client-side-apply", applied(t, before), Manager, before),
	} {
		manifest := object(t, before)
		was, said := live.DeepCopy(), manifest.DeepCopy()
		merged, err := ServerSide(live, manifest, false)
		require.NoError(t, err, name)
		scribble(merged.Object)
		require.Equal(t, was, live, name)
		require.Equal(t, said, manifest, name)

		taken, err := TakeOver(live, manifest, false)
		require.NoError(t, err, name)
		if taken != live { // which it may be if there is nothing to take over
			scribble(taken.Object)
		}
		require.Equal(t, was, live, name)
		require.Equal(t, said, manifest, name)
	}
}

// scribble overwrites all that a value holds.
func scribble(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			scribble(inner)
			v[key] = "scribbled"
		}
	case []any:
		for i, inner := range v {
			scribble(inner)
			v[i] = "scribbled"
		}
	}
}

// Objects without managed fields say nothing about who owns what.
func TestServerSideWithoutManagers(t *testing.T) {
	_, err := ServerSide(liveOf(t, ""), object(t, head+template), false)
	require.ErrorContains(t, err, "kubectl get -o yaml --show-managed-fields")
}
