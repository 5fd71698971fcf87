// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type comparisonJSON struct {
	Name, Start string
	Runs        int
	Trials      []struct {
		Strategy                                   string
		Surge, Unavailable, PeakPods, MinAvailable int32
		TimeP50, TimeP90                           *float64
		Finished                                   int
	}
}

// TestCompare: six pods that need 10 seconds each, with other limits. One at a time
// takes six rounds; all at once takes one, and twice the pods. Twelve replicas grow to their size and their surge at once.
func TestCompare(t *testing.T) {
	args := append(echoserver, "--try", "maxSurge=1,maxUnavailable=0", "--try", "maxSurge=100%,maxUnavailable=0", "--try", "strategy=Recreate", "--try", "replicas=12")
	golden(t, data+"golden/compare.txt", []byte(succeed(t, nil, args...)))
	var c comparisonJSON
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, append(args, "-o", "json")...)), &c))
	require.Len(t, c.Trials, 5)
	want := []struct {
		strategy    string
		peak, least int32
		seconds     float64
	}{{"as written", 8, 5, 20}, {"maxSurge=1,maxUnavailable=0", 7, 6, 60}, {"maxSurge=100%,maxUnavailable=0", 12, 6, 10}, {"strategy=Recreate", 6, 0, 10}, {"replicas=12", 15, 6, 20}}
	for i, w := range want {
		r := c.Trials[i]
		require.Equal(t, w.strategy, r.Strategy)
		require.Equal(t, w.peak, r.PeakPods, w.strategy)
		require.Equal(t, w.least, r.MinAvailable, w.strategy)
		require.InDelta(t, w.seconds, *r.TimeP50, 0, w.strategy)
	}
}

// TestCompareRuns: random times give quantiles, and a seed the same ones.
func TestCompareRuns(t *testing.T) {
	args := append(echoserver, "--start", "p50=10s,p90=30s", "--try", "maxSurge=1,maxUnavailable=0", "--runs", "40", "-o", "json")
	text := succeed(t, nil, args...)
	require.Equal(t, text, succeed(t, nil, args...))
	require.NotEqual(t, text, succeed(t, nil, append(args, "--seed", "1")...))
	var c comparisonJSON
	require.NoError(t, json.Unmarshal([]byte(text), &c))
	require.Equal(t, 40, c.Runs)
	for _, r := range c.Trials {
		require.Equal(t, 40, r.Finished)
		require.Less(t, *r.TimeP50, *r.TimeP90)
		require.LessOrEqual(t, r.PeakPods, 6+r.Surge)
		require.GreaterOrEqual(t, r.MinAvailable, 6-r.Unavailable)
	}
	require.Less(t, *c.Trials[0].TimeP50, *c.Trials[1].TimeP50, "one at a time takes longer")
	golden(t, data+"golden/compare-runs.txt", []byte(succeed(t, nil, args[:len(args)-2]...)))

	code, stdout, stderr := run(nil, append(echoserver, "--try", "maxSurge=1", "--never-ready")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "never")
	require.Contains(t, stderr, "as written: 1 of 1 rollouts have not finished")

	code, _, stderr = run(nil, "simulate", "-f", daemons+"blocked.yaml", "--try", "maxSurge=1")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "--start and --try are for Deployments without a Rollout alone")
}

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

// TestBadTrials: what is no setting is a usage error.
func TestBadTrials(t *testing.T) {
	for _, wrong := range []string{"", "maxSurge", "maxSurge=some", "maxSurge=-1", "speed=9", "strategy=BlueGreen", "replicas=1e3", "replicas=-1", "replicas=2000000000", "maxSurge=1,,"} {
		code, _, stderr := run(nil, append(echoserver, "--try", wrong)...)
		require.Equal(t, exitUsage, code, wrong)
		require.Contains(t, stderr, "must be settings of maxSurge")
	}
}

// TestRejectedTrials: a strategy that the API server would reject in the manifest is rejected
// like that, before anything runs. What the strategy is counts before its limits.
func TestRejectedTrials(t *testing.T) {
	for try, want := range map[string]string{
		"maxSurge=0,maxUnavailable=0":                     "spec.strategy.rollingUpdate.maxUnavailable: 0: must not be 0 if maxSurge is 0",
		"maxUnavailable=250%":                             "spec.strategy.rollingUpdate.maxUnavailable: 250%: must not be more than 100%",
		"maxSurge=+5%":                                    "spec.strategy.rollingUpdate.maxSurge: \"+5%\": must be a percentage without a sign",
		"minReadySeconds=700":                             "spec.progressDeadlineSeconds: 600: must be greater than minReadySeconds",
		"minReadySeconds=700,maxSurge=0,maxUnavailable=0": "spec.progressDeadlineSeconds: 600: must be greater than minReadySeconds (and 1 more)",
		"maxSurge=1,strategy=Recreate":                    "spec.strategy.rollingUpdate: \"\": must not be set if the strategy is Recreate",
	} {
		code, stdout, stderr := run(nil, append(echoserver, "--try", "maxSurge=3", "--try", try)...)
		require.Equal(t, exitFailure, code, try)
		require.Empty(t, stdout)
		require.Contains(t, stderr, `Deployment "echoserver": --try `+try+": "+want)
	}
	text := strings.Replace(aloneSet("6", "web:1"), "kind: ReplicaSet", "kind: Deployment", 1)
	recreate := inFile(t, "recreate.yaml", strings.Replace(text, "{replicas", "{strategy: {type: Recreate}, replicas", 1))
	stdout := succeed(t, nil, "simulate", "-f", recreate, "--try", "maxUnavailable=3,strategy=RollingUpdate")
	require.Contains(t, inWords(stdout), "maxUnavailable=3, 2 3 ", "a surge of 25% by default")
}
