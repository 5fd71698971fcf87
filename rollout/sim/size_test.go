// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// updatedDaemons updates a DaemonSet on nodes, of which a tenth may be unavailable, and returns the bytes
// that the update allocates.
func updatedDaemons(tb testing.TB, nodes int, c sim.Config) uint64 {
	tb.Helper()
	w := newWorld(tb, cluster.Snapshot{Nodes: equalNodes(nodes, 0)}, c)
	var before, after runtime.MemStats
	for _, template := range []string{"v1", "v2"} {
		runtime.ReadMemStats(&before)
		d := webDaemonSet(template)
		d.MaxUnavailable = rollout.Percent(10)
		require.NoError(tb, w.Put(d))
		settled(tb, w)
	}
	runtime.ReadMemStats(&after)
	s := w.View().DaemonSet("web").Status
	require.Equal(tb, []int32{int32(nodes), int32(nodes)}, []int32{s.UpdatedNumberScheduled, s.NumberAvailable})
	return after.TotalAlloc - before.TotalAlloc
}

// TestDaemonSetMemory: an update of a DaemonSet allocates as much for each node of many as of few.
func TestDaemonSetMemory(t *testing.T) {
	few, many := updatedDaemons(t, 300, sim.Config{Times: lives}), updatedDaemons(t, 900, sim.Config{Times: lives})
	require.Less(t, many, 4*few)
}

// TestPlansUnseen: a DaemonSet is updated by the same writes whether somebody looks at the plans or not.
func TestPlansUnseen(t *testing.T) {
	writes := func(planned func(sim.Plan)) (list []sim.Change) {
		updatedDaemons(t, 60, sim.Config{Times: lives, Planned: planned, Observe: func(c sim.Change) {
			c.Object = nil // where it lies differs
			list = append(list, c)
		}})
		return list
	}
	holds := 0
	seen := writes(func(p sim.Plan) { holds = max(holds, len(p.Plan.(daemonset.Plan).Holds)) })
	require.Greater(t, holds, 5, "each node that is in the way is named")
	require.Equal(t, seen, writes(nil))
}
