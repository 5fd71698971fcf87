// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/partition"
)

// FuzzStrategy: a strategy that can be read is written as it was read, and counts are
// read from any text.
func FuzzStrategy(f *testing.F) {
	f.Add(`{"rollingStyle":"Partition","rollingUpdate":{"maxUnavailable":"25%","maxSurge":1},"partition":"20%"}`)
	f.Add(`{"updatedReadyReplicas":1,"expectedUpdatedReplicas":2}`)
	f.Fuzz(func(t *testing.T, text string) {
		require.Equal(t, partition.ParseExtraStatus(text), partition.ParseExtraStatus(text))
		s, err := partition.ParseStrategy(text)
		if err != nil {
			return
		}
		again, err := partition.ParseStrategy(s.Text())
		require.NoError(t, err)
		require.Equal(t, s.Text(), again.Text())
		whole := s.Default(true)
		require.Equal(t, whole, whole.Default(true), "defaults are given once")
	})
}
