// SPDX-License-Identifier: Apache-2.0

package defaults

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// The path of each row is one of its type, and no two rows without a condition are of one.
func TestPaths(t *testing.T) {
	require.Len(t, tables(), 7)
	for kind, rows := range tables() {
		seen := map[string]bool{}
		for _, r := range rows {
			path := strings.Join(r.names, ".")
			require.True(t, resolves(kind, r.names), "%v has no %s", kind, path)
			if len(r.when) == 0 && !r.anyway {
				require.False(t, seen[path], "%v: %s twice", kind, path)
				seen[path] = true
			}
		}
	}
}

// resolves reports whether a path leads to a field.
func resolves(t reflect.Type, names []string) bool {
	for _, name := range names {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if name == "*" {
			if t.Kind() != reflect.Slice && t.Kind() != reflect.Map {
				return false
			}
			t = t.Elem()
			continue
		}
		index, ok := fields(t)[name]
		if !ok {
			return false
		}
		t = t.FieldByIndex(index).Type
	}
	return true
}

// What the table does not know stays as it is.
func TestApplyUnknown(t *testing.T) {
	require.False(t, Apply(&corev1.Pod{}))
	d := &appsv1.Deployment{}
	require.True(t, Apply(d))
	require.Equal(t, int32(1), *d.Spec.Replicas)
}

func TestIsLatest(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for image, want := range map[string]bool{
		"nginx": true, "nginx:latest": true, "nginx:1.27": false, "nginx" + digest: false, "nginx:latest" + digest: true,
		"": false, "Nginx": false, "Team/nginx": true, "example.com:5000/a/b": true, "example.com:5000": false, "localhost/a:latest": true,
		"nginx:latest@sha256:01": false, "nginx:latest@md5:0123456789abcdef0123456789abcdef": false, "[::1]:80/a": true,
		strings.Repeat("a", 240) + "/" + strings.Repeat("b", 14): true, strings.Repeat("a", 240) + "/" + strings.Repeat("b", 15): false,
		strings.Repeat("0a", 32): false, strings.Repeat("0a", 31): true,
	} {
		require.Equal(t, want, isLatest(image), image)
	}
}
