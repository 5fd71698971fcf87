// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhyEnded: a simulation that has not finished says how long it was, or that nothing was
// left to happen; and what has passed of a pause is counted up to its end. JSON says so in the same words.
func TestWhyEnded(t *testing.T) {
	agents := []string{"simulate", "--from", daemons + "agent-v1.yaml", "-f", daemons + "agent-v2.yaml", "--nodes", "3", "--never-ready"}
	limits := argoData + "canary-limits.yaml"
	limited := []string{"simulate", "--from", before(t, limits), "-f", limits, "--time-limit"}
	released := slices.Clip(released20)
	set := []string{"simulate", "-f", inFile(t, "set.yaml", aloneSet("3", "web:1"))}
	tests := []struct {
		args []string
		want string
	}{
		{append(echoserver, "--time-limit", "5s"), "the rollout has not finished within the time limit of 5s"},
		{append(echoserver, "--never-ready"), "the rollout has exceeded its progress deadline after 10m"},
		{agents, "the rollout has not finished, and nothing changes any more after 0s"},
		{append(agents, "--schedule-after", "1h", "--time-limit", "1m"), "the rollout has not finished within the time limit of 1m"},
		{append(released, "--never-ready", "--time-limit", "10m"), "the release has not finished within the time limit of 10m, in step 1 StepUpgrade: ready pods of the step: 0; it asks for 2"},
		{append(released, "--time-limit", "1m"), "the release has not finished within the time limit of 1m, in step 1 StepPaused: 39 of 60 seconds of the pause have passed"},
		{append(limited, "1m5s"), "the update has not finished within the time limit of 1m5s: CanaryPauseStep: 55 of 60 seconds have passed"},
		{append(limited, "5m", "--never-ready"), "the update has not finished within the time limit of 5m: more replicas need to be updated: available pods: 0; 1 are wanted"},
		{append(set, "--time-limit", "1s"), "0 of 3 pods are available within the time limit of 1s"},
		{append(set, "--never-ready"), "0 of 3 pods are available, and nothing changes any more after 0s"},
	}
	for _, tt := range tests {
		code, stdout, stderr := run(nil, tt.args...)
		require.Equal(t, exitFailure, code, tt.want)
		require.Contains(t, lastLine(stderr), tt.want)
		require.Contains(t, inWords(stdout), tt.want)
		code, document, _ := run(nil, append(slices.Clip(tt.args), "-o", "json")...)
		require.Equal(t, exitFailure, code, tt.want)
		require.Contains(t, inWords(stdout), "Not complete: "+whyNotDone(t, document)+".")
	}
	_, document, _ := run(nil, append(echoserver, "-o", "json")...)
	require.Empty(t, whyNotDone(t, document))
}

// whyNotDone returns what the JSON of a simulation says of its end.
func whyNotDone(t *testing.T, document string) string {
	var end struct {
		Done bool
		Why  *string
	}
	require.NoError(t, json.Unmarshal([]byte(document), &end))
	require.Equal(t, end.Done, end.Why == nil)
	if end.Done {
		return ""
	}
	return *end.Why
}
