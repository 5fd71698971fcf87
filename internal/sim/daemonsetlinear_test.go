// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
)

// jittered updates a DaemonSet of n nodes, of which a tenth may be unavailable, with a plan for
// each pod.
func jittered(tb testing.TB, start DaemonSetCluster) DaemonSetResult {
	result, err := RunDaemonSet(start, DaemonSetConfig{Kubelet: Kubelet{
		ScheduleAfter: time.Second, ReadyAfter: 10 * time.Second, TerminateAfter: 5 * time.Second, Jitter: 5 * time.Second,
	}})
	require.NoError(tb, err)
	require.True(tb, result.Done)
	return result
}

func toJitter(tb testing.TB, n int) DaemonSetCluster {
	start := onNodes(tb, n, daemonset.DaemonSet{MaxUnavailable: rollout.Percent(10)})
	secondTemplate(&start)
	return start
}

// TestJitterIsLinear: what an update allocates grows as its nodes do, although a share of them is
// in the way of each plan, and there is a plan for each.
func TestJitterIsLinear(t *testing.T) {
	allocated := func(n int) float64 {
		start := toJitter(t, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		steps := jittered(t, start).Steps
		runtime.ReadMemStats(&after)
		require.Greater(t, len(steps), n, "a plan for each")
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	few, many := allocated(200), allocated(2_000)
	t.Logf("%.0f bytes for each of 200 nodes, %.0f for each of 2,000", few/200, many/2_000)
	require.Less(t, many, 12*few)
}
