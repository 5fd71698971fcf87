// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// A Rollout is gone when its controller, behind the rest, makes one more BatchRelease. That is
// deleted as well, or it would hold the pods of the workload at its partition for ever.
func TestOrphanedReleaseIsCollected(t *testing.T) {
	var text strings.Builder
	w := NewSets(1, Faults{})
	w.Trace = func(line string) { text.WriteString(line + "\n") }
	orphan := &BatchRelease{Release: batchrelease.Release{Name: "orphan", WorkloadRef: w.ref}, OwnerUID: "gone"}
	_, answer := create(w, &w.store.batchReleases, by(User), orphan)
	require.Equal(t, done, answer)
	require.NoError(t, w.Run(300))
	require.Contains(t, text.String(), "garbage collector delete BatchRelease orphan")
	require.Nil(t, w.store.batchReleases.named("orphan"))
}
