// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConstants(t *testing.T) {
	require.Equal(t, "Neighbours", Constants(t, "../../../podorder", "Rule")["RuleNeighbours"])
	require.Contains(t, failure(func(t T) { Constants(t, ".", "Rule") }), "no constants of type Rule")
}
