// SPDX-License-Identifier: Apache-2.0

package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestChart: every kind is drawn below its steps, and strategies side by side.
func TestChart(t *testing.T) {
	compared := append(echoserver, "--start", "p50=10s,p90=30s", "--try", "maxSurge=1,maxUnavailable=0", "--runs", "40")
	for name, args := range map[string][]string{
		"deployment": echoserver,
		"daemonset":  {"simulate", "--from", daemons + "agent-v1.yaml", "-f", daemons + "agent-v2.yaml", "--nodes", "10"},
		"replicaset": {"simulate", "-f", data + "replicaset/surplus.yaml"},
		"strategies": compared,
	} {
		plain := succeed(t, nil, args...)
		text, found := strings.CutPrefix(succeed(t, nil, append(args, "--chart")...), plain+"\n")
		require.True(t, found, "it stands below what is shown without")
		golden(t, data+"golden/chart/"+name+".txt", []byte(text))
		require.Equal(t, succeed(t, nil, append(args, "-o", "json")...), succeed(t, nil, append(args, "-o", "json", "--chart")...))
		if name == "strategies" {
			readme, err := os.ReadFile("../../README.md")
			require.NoError(t, err)
			require.Contains(t, string(readme), "--chart | tail -7\n"+text+"```\n")
		}
	}
	release := []string{"simulate", "-f", progressive + "batch.yaml", "--heal"}
	require.Equal(t, succeed(t, nil, release...), succeed(t, nil, append(release, "--chart")...), "a Rollout is drawn once")
	never := succeed(t, nil, append(echoserver, "--try", "maxSurge=1", "--chart")...)
	require.Contains(t, never, "\nTIME        0  ")
	code, stuck, _ := run(nil, append(echoserver, "--try", "maxSurge=1", "--never-ready", "--chart")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stuck, "░  never\n", "what does not end goes beyond the axis")
}
