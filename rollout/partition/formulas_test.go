// SPDX-License-Identifier: Apache-2.0

package partition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// Limits, lower bound and sizes.
func TestPartitionFormulas(t *testing.T) {
	p, n := rollout.Percent, rollout.Int
	partitions := []rollout.IntOrPercent{n(0), p(1), p(20), p(50), p(99), p(100), p(101), n(5), n(50), {}}
	for replicas, limits := range map[int32][]int32{
		1: {0, 1, 1, 1, 1, 1, 1, 1, 1, 0}, 2: {0, 1, 1, 1, 1, 2, 1, 2, 2, 0}, 6: {0, 1, 2, 3, 5, 6, 5, 5, 6, 0}, 100: {0, 1, 20, 50, 99, 100, 99, 5, 50, 0},
	} {
		for i, v := range partitions {
			require.Equal(t, limits[i], partition.Limit(v, replicas), "%v of %d", v, replicas)
		}
	}
	budget := func(replicas int32, surge, unavailable rollout.IntOrPercent) rollout.Budget {
		return partition.Budget(replicas, &partition.RollingUpdate{MaxSurge: surge, MaxUnavailable: unavailable}, false)
	}
	require.Equal(t, rollout.Budget{Replicas: 6, Surge: 2, Unavailable: 1}, budget(6, p(25), p(25)))
	require.Equal(t, rollout.Budget{Replicas: 6}, partition.Budget(6, nil, false), "no limits at all")
	require.Equal(t, rollout.Budget{Replicas: 6}, partition.Budget(6, nil, true), "no limits at all")
	require.Equal(t, rollout.Budget{Replicas: 6, Surge: 2}, partition.Budget(6, &partition.RollingUpdate{MaxSurge: n(2)}, true))
	require.Equal(t, rollout.Budget{Replicas: 6, Unavailable: 1}, budget(6, n(0), n(0)), "both 0")
	require.Equal(t, rollout.Budget{Replicas: 6, Unavailable: 1}, budget(6, unset, unset), "both unset")
	require.Equal(t, rollout.Budget{}, budget(0, n(0), n(0)), "capped")
	require.Equal(t, rollout.Budget{Replicas: 3, Unavailable: 3}, budget(3, n(0), n(9)))
	for _, c := range []struct{ surge, replicas, want int32 }{{1, 6, 0}, {0, 6, 1}, {0, 0, 0}} {
		require.Equal(t, c.want, partition.LowerBound(rollout.Budget{Replicas: c.replicas, Surge: c.surge}))
	}
	six := budget(6, p(25), p(25))
	for _, c := range []struct {
		why        string
		partition  rollout.IntOrPercent
		total      int64
		size, want int32
	}{
		{"the only one ignores the partition", p(20), 1, 1, 6}, {"at the limit", p(20), 6, 2, 2}, {"above it, it never shrinks", p(20), 6, 5, 5}, {"no surge left", p(100), 8, 3, 3},
		{"as far as the surge", p(100), 6, 3, 5}, {"to the limit", p(20), 6, 0, 2}, {"by one", p(50), 6, 2, 3},
	} {
		require.Equal(t, c.want, partition.NewSize(c.partition, six, c.total, c.size), c.why)
	}
	require.Equal(t, int64(2), partition.OldLimit(p(20), 6, 6, 2))
	require.Equal(t, int64(-1), partition.OldLimit(p(20), 6, 3, 0), "old pods are missing")
	require.Equal(t, int64(3), partition.OldLimit(p(20), 6, 4, 5), "the new one is over its limit")
}

// The defaults of the annotation.
func TestStrategyDefaults(t *testing.T) {
	p, n := rollout.Percent, rollout.Int
	for _, c := range []struct {
		why                string
		style              string
		ru                 *partition.RollingUpdate
		surge, unavailable rollout.IntOrPercent
	}{
		{"nothing is there", "Partition", nil, unset, p(25)}, {"the surge stays unset, and the other is lost", "Partition", &partition.RollingUpdate{MaxUnavailable: n(2)}, unset, p(25)},
		{"unset unavailability", "Partition", &partition.RollingUpdate{MaxSurge: n(2)}, n(2), p(25)}, {"both", "Partition", &partition.RollingUpdate{MaxSurge: n(2), MaxUnavailable: n(3)}, n(2), n(3)},
		{"both 0", "Partition", &partition.RollingUpdate{MaxSurge: p(0), MaxUnavailable: n(0)}, n(0), n(1)},
		{"another style", "partition", &partition.RollingUpdate{MaxSurge: n(2)}, n(2), unset},
	} {
		got := partition.Strategy{RollingStyle: c.style, RollingUpdate: c.ru}.Default(false).RollingUpdate
		require.Equal(t, partition.RollingUpdate{MaxSurge: c.surge, MaxUnavailable: c.unavailable}, *got, c.why)
	}
	require.Nil(t, partition.Strategy{}.Default(false).RollingUpdate)
}
