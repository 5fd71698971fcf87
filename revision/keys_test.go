// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"testing"

	"github.com/kplan-go/kplan/revision"
	"github.com/stretchr/testify/require"
)

// TestKeys: what one function writes, the others read, under the same keys alone.
func TestKeys(t *testing.T) {
	k := revision.Keys{Revision: "n", History: "h", Desired: "d", Max: "m", Rollback: "r"}
	created := k.CreationAnnotations(map[string]string{"team": "shop", "r": "1"}, 4, 10, 13)
	require.Equal(t, map[string]string{"n": "4", "d": "10", "m": "13", "team": "shop"}, created)
	n, err := k.Number(created)
	require.NoError(t, err)
	require.EqualValues(t, 4, n)
	n, err = revision.Number(created)
	require.NoError(t, err)
	require.Zero(t, n, "another's number")

	set, changed := k.Sync(map[string]string{revision.AnnotationRevision: "9"}, created, 6)
	require.True(t, changed)
	require.Equal(t, map[string]string{"n": "6", "h": "4", revision.AnnotationRevision: "9"}, set, "Kubernetes' keys are like all others")

	_, err = k.Number(map[string]string{"n": "x"})
	require.ErrorContains(t, err, `Annotations["n"]`)
	to, ok := k.RollbackRequest(map[string]string{"r": "3", revision.AnnotationRollback: "2"})
	require.True(t, ok)
	require.EqualValues(t, 3, to)
	require.Equal(t, map[string]string{"n": "7", "a": "b"}, revision.RollbackAnnotations(
		map[string]string{"n": "7", "old": "x"}, map[string]string{"n": "1", "a": "b"}, revision.Options{Keys: k}))

	require.Equal(t, revision.AnnotationMax, revision.Keys{Revision: "n"}.OrDefault().Max)
	require.Empty(t, k.Errors("Keys"))
	require.Len(t, revision.Keys{Revision: "n", History: "n", Max: "n"}.Errors("Keys"), 2)
}
