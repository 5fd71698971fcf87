// SPDX-License-Identifier: Apache-2.0

package spelling

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistance(t *testing.T) {
	require.Equal(t, 3, Distance("kitten", "sitting"))
	require.Equal(t, 4, Distance("", "four"))
	require.Equal(t, 1, Distance("pods", "pod"))
	require.Equal(t, 1, Distance("Deploymnt", "deployment"))
}
