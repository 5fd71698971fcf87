// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
