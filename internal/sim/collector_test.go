// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A Rollout is gone when its controller, behind the rest, makes one more BatchRelease. That is
// deleted as well, or it would hold the pods of the workload at its partition for ever.
func TestOrphanedReleaseIsCollected(t *testing.T) {
	var text strings.Builder
	w := NewSets(2060411, Every())
	w.Trace = func(line string) { text.WriteString(line + "\n") }
	require.NoError(t, w.Run(300))
	require.Contains(t, text.String(), "garbage collector delete BatchRelease", "the seed does not come to it any more: take another")
}
