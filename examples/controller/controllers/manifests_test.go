// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

// The manifests have no field that the API does not know, and what they set for the
// controller's pods is there.
func TestManifests(t *testing.T) {
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	found, err := filepath.Glob("../manifests/*.yaml")
	require.NoError(t, err)
	objects := map[string]runtime.Object{}
	for _, name := range found {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, document := range strings.Split(string(text), "\n---\n") {
			o, kind, err := strict.Decode([]byte(document), nil, nil)
			require.NoError(t, err, name)
			objects[filepath.Base(name)+" "+kind.Kind] = o
		}
	}
	require.Contains(t, objects, "controller.yaml NetworkPolicy")
	d := objects["controller.yaml Deployment"].(*appsv1.Deployment)
	b := objects["controller.yaml PodDisruptionBudget"].(*policyv1.PodDisruptionBudget)
	require.Equal(t, d.Spec.Selector, b.Spec.Selector)
	require.Less(t, b.Spec.MaxUnavailable.IntVal, *d.Spec.Replicas, "one works while another one goes")
	c := d.Spec.Template.Spec.Containers[0]
	require.Positive(t, c.Resources.Limits.Memory().Value())
	require.True(t, *c.SecurityContext.ReadOnlyRootFilesystem)
	require.False(t, *c.SecurityContext.AllowPrivilegeEscalation)
}
