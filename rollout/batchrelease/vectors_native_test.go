// SPDX-License-Identifier: Apache-2.0

package batchrelease_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/recorded"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

func TestVectorsNativePartition(t *testing.T) {
	seen := 0
	recorded.Agree(t, "adopters/rollouts_native_daemonset_util", func(t *testing.T, r recorded.Recording) (any, string) {
		var in struct {
			Op, Partition string
			Pods          json.RawMessage
		}
		r.Read(t, &in)
		var n int32
		if in.Op != "desired-updated" || json.Unmarshal(in.Pods, &n) != nil {
			return r.Output, "" // of functions that we have as parts of others
		}
		seen++
		got, err := batchrelease.NativeBatch{Partition: in.Partition, Pods: make([]batchrelease.DaemonSetPod, n)}.Desired()
		if err != nil {
			return map[string]bool{"error": true}, ""
		}
		return got, ""
	})
	require.Positive(t, seen)
}
