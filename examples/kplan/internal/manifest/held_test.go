// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/files"
	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/kube"
)

// TestHeld: objects come back from the form in which they are held as they were, down to lists
// that are empty and not nil, as often as they are opened.
func TestHeld(t *testing.T) {
	packer := &packed.Packer{}
	same := []cmp.Option{
		cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 && a.Format == b.Format }),
		cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) && a.Location() == b.Location() }),
	}
	var deployments, sets []func()
	hold := func(u *unstructured.Unstructured, file string) error {
		switch kindOf(u) {
		case "apps/v1 Deployment":
			d := kube.Default(decoded[appsv1.Deployment](t, u))
			h := holdDeployment(d.DeepCopy(), packer)
			d.Generation, d.Namespace, h.namespace = max(d.Generation, 1), "filled", "filled"
			deployments = append(deployments, func() { require.Empty(t, cmp.Diff(d, h.open(), same...), file); h.close() })
		case "apps/v1 ReplicaSet":
			rs := kube.Default(decoded[appsv1.ReplicaSet](t, u))
			h := holdSet(rs.DeepCopy(), packer)
			sets = append(sets, func() { require.Empty(t, cmp.Diff(rs, h.open(), same...), file); h.close() })
		case "v1 ReplicationController":
			rs := fromController(decoded[corev1.ReplicationController](t, u))
			h := holdSet(rs.DeepCopy(), packer)
			sets = append(sets, func() { require.Empty(t, cmp.Diff(rs, h.open(), same...), file); h.close() })
		}
		return nil
	}
	require.NoError(t, filepath.WalkDir("../../testdata", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			_ = files.Source{Names: []string{path}}.Each(hold) // of some others than manifests
		}
		return err
	}))
	require.Greater(t, len(deployments), 30)
	require.Greater(t, len(sets), 30)
	for range 2 {
		for _, check := range append(deployments, sets...) {
			check()
		}
	}
}

func decoded[T any](t *testing.T, u *unstructured.Unstructured) *T {
	object := new(T)
	_, err := decode(u, object)
	require.NoError(t, err)
	return object
}
