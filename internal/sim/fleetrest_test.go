// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// TestFleetNoRest: a ReplicaSet that releases the pods that it creates, for its selector does not
// select them, and so creates others, ends the fleet after a few thousand pods.
func TestFleetNoRest(t *testing.T) {
	for _, replicas := range []int32{3, 100, 700} {
		f := NewFleet(FleetConfig{Start: Epoch})
		require.NoError(t, f.PutReplicaSet(replicaset.ReplicaSet{
			Name: "r", UID: "r", Replicas: ptr.To(replicas), Selector: selector.FromLabels(map[string]string{"a": "b"}),
		}))
		steps, until := 0, Epoch.Add(time.Minute)
		for ; f.Step(until); steps++ {
			require.Less(t, steps, 60_000, "%d replicas", replicas)
		}
		require.ErrorIs(t, f.Err(), errNoRest, "%d replicas", replicas)
		t.Log(replicas, "replicas:", steps, "steps,", f.w.store.pods.size(), "pods")
	}
}
