// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// The API server counts the templates of a DaemonSet, and pods with the number of its
// template are updated: so another template needs another number.
func TestTemplatesAreCounted(t *testing.T) {
	daemonSet := func(image string, live bool) *unstructured.Unstructured {
		labels := map[string]any{"app": "agent"}
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": map[string]any{"name": "agent", "namespace": "default"},
			"spec": map[string]any{"selector": map[string]any{"matchLabels": labels}, "template": map[string]any{
				"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": []any{map[string]any{"name": "agent", "image": image}}},
			}},
		}}
		if live {
			u.SetUID("u1")
			u.SetGeneration(3)
			u.SetAnnotations(map[string]string{appsv1.DeprecatedTemplateGeneration: "3"})
		}
		return u
	}
	s := Source{Running: []*unstructured.Unstructured{daemonSet("agent:1", true)}}
	for image, want := range map[string]string{"agent:1": "3", "agent:2": "4"} {
		merged, err := s.apply(daemonSet(image, false), "agent.yaml")
		require.NoError(t, err)
		require.Equal(t, want, merged.GetAnnotations()[appsv1.DeprecatedTemplateGeneration], image)
	}
	require.Equal(t, "3", s.Running[0].GetAnnotations()[appsv1.DeprecatedTemplateGeneration], "the live object stays as it is")
}
