// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/kruise"
)

type releaseJSON struct {
	Kind   string
	Done   bool
	Bounds struct{ MaxTotal, MinAvailable int32 }
	Steps  []releaseStep
}

type releaseStep struct {
	Time               float64
	Step               int32
	State              kruise.StepState
	Available, Traffic int32
	Holds              []kplan.Hold
	Parts              []struct {
		New      bool
		Replicas int32
	}
}

// sizes are how many pods are wanted of the new template, and of others.
func (s *releaseStep) sizes() (fresh, old int32) {
	for _, p := range s.Parts {
		if p.New {
			fresh += p.Replicas
		} else {
			old += p.Replicas
		}
	}
	return fresh, old
}

var released20 = append(append([]string{}, echoserver...), "-f", progressive+"echoserver.yaml")

// TestSimulateRollout: the echoserver in steps of 20%, 50% and 100%, with traffic and
// pauses, as the worked example has it.
func TestSimulateRollout(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "rollout.svg")
	golden(t, data+"golden/rollout.txt", []byte(succeed(t, nil, append(released20, "--svg", svg)...)))
	picture, err := os.ReadFile(svg)
	require.NoError(t, err)
	golden(t, data+"golden/rollout.svg", picture)
	for _, want := range []string{"Rollout echoserver", "old ready", "new ready", "traffic to new, %", "step 1", "step 2", "at most 8 wanted", "at least 5 available"} {
		require.Contains(t, string(picture), ">"+want+"<")
	}
	text := succeed(t, nil, append(released20, "-o", "json")...)
	golden(t, data+"golden/rollout.json", []byte(text))
	var r releaseJSON
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	require.Equal(t, "Rollout", r.Kind)
	require.True(t, r.Done)
	require.EqualValues(t, 8, r.Bounds.MaxTotal)
	require.EqualValues(t, 5, r.Bounds.MinAvailable)
	type moment struct{ new, old, traffic int32 }
	paused, lasted := map[int32]moment{}, map[int32]float64{}
	for i, s := range r.Steps {
		fresh, old := s.sizes()
		require.LessOrEqual(t, fresh+old, int32(8))
		require.GreaterOrEqual(t, s.Available, int32(5))
		if s.State == kruise.StatePaused {
			paused[s.Step] = moment{fresh, old, s.Traffic}
			lasted[s.Step] += r.Steps[i+1].Time - s.Time
		}
	}
	require.Equal(t, map[int32]moment{1: {2, 4, 20}, 2: {3, 3, 50}, 3: {6, 0, 100}}, paused)
	require.InDelta(t, 60, lasted[1], 1)
	require.InDelta(t, 120, lasted[2], 1)
	require.InDelta(t, 0, lasted[3], 1, "the pause of a last step of 100% is ignored")
}

// TestSimulateRolloutWaits: for a person, who takes five minutes or never comes; and for
// pods that never become ready.
func TestSimulateRolloutWaits(t *testing.T) {
	manifest, err := os.ReadFile(progressive + "echoserver.yaml")
	require.NoError(t, err)
	manual := []byte(strings.Replace(string(manifest), "            duration: 60\n", "            {}\n", 1))
	args := append(append([]string{}, echoserver...), "-f", "-")
	require.Contains(t, succeed(t, manual, args...), "Complete after 7m48s.")
	require.Contains(t, succeed(t, manual, append(args, "--approve-after", "1h")...), "Complete after 1h2m48s.")
	code, stdout, stderr := run(manual, append(args, "--never-approve")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, inWords(stdout), "Not complete: the release has not finished, and nothing changes any more after 21s, in step 1 StepPaused: a person has to confirm step 1 of 3.")
	require.Contains(t, stderr, `Rollout "echoserver": the release has not finished`)

	code, stdout, _ = run(nil, append(released20, "--never-ready", "--time-limit", "1h")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, inWords(stdout), "in step 1 StepUpgrade")
}

// TestBadReleases: what a release needs and does not find.
func TestBadReleases(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"simulate", "-f", data + "echoserver-v2.yaml", "-f", progressive + "echoserver.yaml"}, "--from must hold its Deployment as it is before the release"},
		{[]string{"simulate", "--from", data + "echoserver-v1.yaml", "-f", data + "echoserver-v1.yaml", "-f", progressive + "echoserver.yaml"}, "there is nothing to release"},
		{append(released20, "--try", "maxSurge=1"), "--start and --try are for Deployments without a Rollout alone"},
	}
	for _, tt := range tests {
		code, stdout, stderr := run(nil, tt.args...)
		require.Equal(t, exitFailure, code)
		require.Empty(t, stdout)
		require.Contains(t, stderr, tt.want)
	}
}
