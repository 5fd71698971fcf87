// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kplan-go/kplan"
	"github.com/stretchr/testify/require"
)

// row is the line of a hold in the README: its reason, what it means, and what ends it.
func row(reason string, a Advice) string {
	ends := a.Ends
	if a.Stuck {
		ends = "**Not by itself.** " + ends
	}
	return fmt.Sprintf("| %s | %s | %s |\n", reason, a.Means, ends)
}

// waits is a table of all that a planner waits for; what does not end by itself comes first.
func waits(title string, holds holdWords) string {
	reasons := slices.SortedFunc(maps.Keys(holds), func(a, b kplan.Reason) int {
		if holds[a].Stuck != holds[b].Stuck {
			if holds[a].Stuck {
				return -1
			}
			return 1
		}
		return strings.Compare(string(a), string(b))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s\n\n| reason | meaning | how it ends |\n|---|---|---|\n", title)
	for _, r := range reasons {
		b.WriteString(row(string(r), holds[r]))
	}
	return b.String()
}

// TestWaits: the README tells of every reason for which the planners wait, in the words of
// the command. KPLAN_REWRITE=1 writes it.
func TestWaits(t *testing.T) {
	const begin, end, name = "<!-- all reasons, in the words of the command -->\n", "<!-- end of the reasons -->\n", "../../README.md"
	want := waits("Deployments", deploymentHolds) + waits("ReplicaSets", replicaSetHolds) +
		waits("DaemonSets", daemonSetHolds) + waits("Rollouts of OpenKruise", rolloutHolds) + waits("Rollouts of Argo", argoHolds) + "\n"
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	got, after, found := strings.Cut(rest, end)
	require.True(t, found)
	if os.Getenv("KPLAN_REWRITE") != "" {
		require.NoError(t, os.WriteFile(name, []byte(before+begin+want+end+after), 0o644))
		return
	}
	require.Equal(t, want, got, "KPLAN_REWRITE=1 go test -run TestWaits writes it")
}

// TestUnseen: the README lists the features that forecasts do not look at.
func TestUnseen(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	text := strings.Join(strings.Fields(string(readme)), " ")
	seen := 0
	constants(t, "kube/unseen.go", func(feature, _ string) {
		require.Contains(t, text, strings.TrimSpace(feature))
		seen++
	})
	require.Greater(t, seen, 10)
}
