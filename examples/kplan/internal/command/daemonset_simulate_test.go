// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
)

type daemonRollout struct {
	Kind   string
	Done   bool
	Bounds struct{ MinAvailable int32 }
	Steps  []struct {
		Time             float64
		Actions          []map[string]any
		Status           daemonset.Status
		Total, Available int32
		Parts            []struct {
			New      bool
			Replicas int32
		}
	}
}

// updated is how many pods of the wanted template there are by a step.
func (r *daemonRollout) updated(step int) (n int32) {
	for _, p := range r.Steps[step].Parts {
		if p.New {
			n += p.Replicas
		}
	}
	return n
}

// TestSimulateDaemonSet: of ten nodes at most 20% are without a pod, so it takes five
// rounds of pods that need 10 seconds each.
func TestSimulateDaemonSet(t *testing.T) {
	args := []string{"simulate", "--from", daemons + "agent-v1.yaml", "-f", daemons + "agent-v2.yaml", "--nodes", "10"}
	golden(t, data+"golden/daemonset.txt", []byte(succeed(t, nil, args...)))
	text := succeed(t, nil, append(args, "-o", "json")...)
	golden(t, data+"golden/daemonset.json", []byte(text))
	r := readDaemonRollout(t, text)
	require.Equal(t, "DaemonSet", r.Kind)
	require.True(t, r.Done)
	require.EqualValues(t, 8, r.Bounds.MinAvailable)
	for _, s := range r.Steps {
		require.GreaterOrEqual(t, s.Available, int32(8))
		require.NotNil(t, s.Actions)
	}
	last := r.Steps[len(r.Steps)-1]
	require.InDelta(t, 50, last.Time, 0)
	require.EqualValues(t, 10, last.Status.DesiredNumberScheduled)
	require.EqualValues(t, 10, r.updated(len(r.Steps)-1))
	require.Empty(t, last.Actions)
}

func readDaemonRollout(t *testing.T, text string) daemonRollout {
	t.Helper()
	var r daemonRollout
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	return r
}

// TestSimulateDaemonSetStarts: from nothing, from what the files hold, and what ends
// early.
func TestSimulateDaemonSetStarts(t *testing.T) {
	r := readDaemonRollout(t, succeed(t, nil, "simulate", "-f", daemons+"agent-v1.yaml", "--nodes", "3", "-o", "json"))
	require.True(t, r.Done)
	require.EqualValues(t, 3, r.Steps[0].Total)
	require.Zero(t, r.Steps[0].Available)
	require.EqualValues(t, 3, r.updated(len(r.Steps)-1))

	r = readDaemonRollout(t, succeed(t, nil, "simulate", "-f", daemons+"partition.yaml", "-o", "json"))
	require.True(t, r.Done, "what the partition keeps is not waited for")
	require.EqualValues(t, 3, r.updated(0))

	code, stdout, stderr := run(nil, "simulate", "-f", daemons+"paused.yaml")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "Not complete: the update rests: the update is paused; nodes with an old pod: 1.\n")
	require.Contains(t, stderr, `DaemonSet "agent": the update rests`)

	code, stdout, stderr = run(nil, "simulate", "--from", daemons+"agent-v1.yaml", "-f", daemons+"agent-v2.yaml", "--nodes", "10", "--never-ready")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "daemon set agent:")
	require.Contains(t, stderr, `the rollout has not finished, and nothing changes any more after 0s`)
	_, stdout, _ = run(nil, "simulate", "--from", daemons+"agent-v1.yaml", "-f", daemons+"agent-v2.yaml", "--nodes", "10", "--never-ready", "-o", "wide")
	require.Contains(t, stdout, "2 nodes: node-01 and node-02: waits")

	// Many steps are cut, and what is left out is counted.
	slow, err := os.ReadFile(daemons + "agent-v2.yaml")
	require.NoError(t, err)
	slow = []byte(strings.Replace(string(slow), "maxUnavailable: 20%", "maxUnavailable: 1", 1))
	text := succeed(t, slow, "simulate", "--from", daemons+"agent-v1.yaml", "-f", "-", "--nodes", "60")
	require.Contains(t, text, "...")
	require.Contains(t, inWords(text), "20 more steps, which -o json shows 121 10m 0/0 60/60 60 60")
	require.Contains(t, text, "Complete after 10m.")

	_, _, stderr = run(nil, "simulate", "--from", data+"echoserver-v1.yaml", "-f", daemons+"agent-v2.yaml", "--nodes", "2")
	require.Contains(t, stderr, `DaemonSet "agent" is not in the files of --from and starts from nothing`)
}
