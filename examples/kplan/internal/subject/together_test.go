// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
)

// TestNothingToRelease: a Rollout that has nothing to release leaves nothing in the cluster of the others.
func TestNothingToRelease(t *testing.T) {
	w := func(version string) *manifest.Workload {
		file := filepath.Join(t.TempDir(), "web.yaml")
		require.NoError(t, os.WriteFile(file, []byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: c, image: \"x:"+version+"\"}]}\n"), 0o600))
		set, err := manifest.Load(manifest.Source{Filenames: []string{file}})
		require.NoError(t, err)
		set.Workloads[0].Open()
		return &set.Workloads[0]
	}
	j, err := deploymentJob(w("1"), w("2"), epoch)
	require.NoError(t, err)
	j.begin = func(*world.Beginning) error { return errNoRelease }
	other, err := deploymentJob(w("1"), nil, epoch)
	require.NoError(t, err)
	other.objects[0].SetName("other")
	other.begin = func(b *world.Beginning) error { b.BeginDeployment("shop", "other", false); return nil }
	require.Len(t, begun([]*job{j, other}), 1)
	require.Len(t, other.start.Deployments, 2)
	require.Equal(t, "shop/web", other.start.Deployments[0].Name)
}
