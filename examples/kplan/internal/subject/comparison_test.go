// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestQuantiles: the shares that the quantiles name are met.
func TestQuantiles(t *testing.T) {
	var q quantiles
	require.NoError(t, q.Set("p50=10s,p90=30s,p99=2m"))
	require.Equal(t, "p50=10s,p90=30s,p99=2m0s", q.String())
	require.Equal(t, 10*time.Second, q.at(0.5))
	require.Equal(t, 30*time.Second, q.at(0.9))
	require.Equal(t, 2*time.Minute, q.at(0.99))
	random, below := rand.New(rand.NewPCG(1, 1)), map[time.Duration]int{}
	for range 100_000 {
		d := q.at(random.Float64())
		for _, limit := range []time.Duration{10 * time.Second, 30 * time.Second, 2 * time.Minute} {
			if d <= limit {
				below[limit]++
			}
		}
	}
	require.InDelta(t, 50_000, below[10*time.Second], 1000)
	require.InDelta(t, 90_000, below[30*time.Second], 1000)
	require.InDelta(t, 99_000, below[2*time.Minute], 500)

	require.NoError(t, q.Set("p50=7s"))
	require.Equal(t, 7*time.Second, q.at(0.01), "one alone is the time of all")
	for _, wrong := range []string{"", "10s", "p50", "p50=", "p50=-1s", "p0=1s", "p100=1s", "p50=0s", "p90=1s,p50=2s", "p50=2s,p90=1s", "p50=1s,p50=2s", "pNaN=1s", "50=1s"} {
		require.Error(t, q.Set(wrong), wrong)
	}
	require.Equal(t, "p50=7s", q.String(), "what is wrong changes nothing")
}

// TestQuantilesRise: a larger share never takes less time, and none is negative.
func TestQuantilesRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q quantiles
		percent, d := 0.0, time.Duration(0)
		for range rapid.IntRange(1, 4).Draw(t, "quantiles") {
			percent += rapid.Float64Range(0.5, 24).Draw(t, "percent")
			d += time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "more"))
			q = append(q, quantile{percent, d})
		}
		a, b := rapid.Float64Range(0, 0.999999).Draw(t, "a"), rapid.Float64Range(0, 0.999999).Draw(t, "b")
		if low, high := q.at(min(a, b)), q.at(max(a, b)); low > high || low < 0 {
			t.Fatalf("%v: %v for %v, %v for %v", q, low, min(a, b), high, max(a, b))
		}
	})
}
