// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// Releases over workloads other than Deployments, with manifests of our own.
const otherKinds = progressive + "kinds/"

// releaseOf returns the arguments that simulate the release of a kind.
func releaseOf(kind string, more ...string) []string {
	return append([]string{
		"simulate", "--from", otherKinds + kind + "-v1.yaml", "-f", otherKinds + kind + "-v2.yaml", "-f", otherKinds + kind + "-rollout.yaml", "--terminate-after", "5s", "--nodes", "6",
	}, more...)
}

// TestSimulateKinds: each kind pauses where its steps say, and stays within its own limits
// in between.
func TestSimulateKinds(t *testing.T) {
	tests := []struct {
		kind        string
		paused      map[int32]string // new and old pods
		most, least int32
	}{
		{"cloneset", map[int32]string{1: "1/9", 2: "5/5", 3: "10/0"}, 10, 8},
		{"statefulset", map[int32]string{1: "1/4", 2: "3/2", 3: "5/0"}, 5, 4},
		{"advanced-statefulset", map[int32]string{1: "1/5", 2: "3/3", 3: "6/0"}, 6, 4},
		{"daemonset", map[int32]string{1: "1/5", 2: "3/3", 3: "6/0"}, 6, 5},
		{"advanced-daemonset", map[int32]string{1: "1/5", 2: "3/3", 3: "6/0"}, 6, 4},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			golden(t, data+"golden/simulate/rollout-"+tt.kind+".txt", []byte(succeed(t, nil, releaseOf(tt.kind)...)))
			files := []string{"-f", otherKinds + tt.kind + "-v2.yaml", "-f", otherKinds + tt.kind + "-rollout.yaml", "--nodes", "6", "--now", "2026-11-23T10:00:00Z"}
			golden(t, data+"golden/plan/rollout-"+tt.kind+".txt", []byte(succeed(t, nil, append([]string{"plan"}, files...)...)))
			golden(t, data+"golden/explain/rollout-"+tt.kind+".txt", []byte(succeed(t, nil, append([]string{"explain"}, files...)...)))
			var r releaseJSON
			require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, releaseOf(tt.kind, "-o", "json")...)), &r))
			require.True(t, r.Done)
			require.Equal(t, [2]int32{tt.most, tt.least}, [2]int32{r.Bounds.MaxTotal, r.Bounds.MinAvailable})
			paused := map[int32]string{}
			for _, s := range r.Steps {
				fresh, old := s.sizes()
				require.LessOrEqual(t, fresh+old, tt.most)
				require.GreaterOrEqual(t, s.Available, tt.least)
				if s.State == kruise.StatePaused {
					paused[s.Step] = fmt.Sprintf("%d/%d", fresh, old)
				}
			}
			require.Equal(t, tt.paused, paused)
		})
	}
}

// TestKindsWait: for a person, and for pods that never become ready.
func TestKindsWait(t *testing.T) {
	code, stdout, stderr := run(nil, releaseOf("statefulset", "--never-approve")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, inWords(stdout), "in step 1 StepPaused: a person has to confirm step 1 of 3.")
	require.Contains(t, stderr, `Rollout "ledger": the release has not finished`)
	for _, kind := range []string{"cloneset", "statefulset", "advanced-statefulset", "daemonset", "advanced-daemonset"} {
		code, stdout, _ = run(nil, releaseOf(kind, "--never-ready", "--time-limit", "1h")...)
		require.Equal(t, exitFailure, code)
		require.Contains(t, inWords(stdout), "in step 1 StepUpgrade", kind)
	}
}

// TestBadKinds: what such a release needs and does not find.
func TestBadKinds(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(otherKinds + name)
		require.NoError(t, err)
		return string(text)
	}
	rollout, v2 := read("cloneset-rollout.yaml"), read("cloneset-v2.yaml")
	v1 := otherKinds + "cloneset-v1.yaml"
	inPlaceOnly := strings.Replace(v2, "maxUnavailable: 20%", "type: InPlaceOnly", 1)
	daemonSet := read("daemonset-v2.yaml") + "---\n" + read("daemonset-rollout.yaml")
	text := inWords(succeed(t, []byte(daemonSet), "simulate", "--from", otherKinds+"daemonset-v1.yaml", "-f", "-"))
	require.Contains(t, text, "there are 3 nodes that fit, since the input has none; --nodes makes others")
	tests := []struct{ from, text, want string }{
		{"", v2 + "---\n" + rollout, "nothing is being released; --from must hold its CloneSet as it is before the release"},
		{otherKinds + "statefulset-v1.yaml", v2 + "---\n" + rollout, "--from must hold its CloneSet"},
		{v1, read("cloneset-v1.yaml") + "---\n" + rollout, "the template of its CloneSet is that of --from, and there is nothing to release"},
		{v1, inPlaceOnly + "---\n" + rollout, "updated in place only, and the new template differs in more than images"},
		{v1, v2 + "---\n" + v2 + "---\n" + rollout, "there is one of this name already"},
		{v1, strings.Replace(v2, "20%", "a few", 1) + "---\n" + rollout, `CloneSet "guestbook": spec.updateStrategy.maxUnavailable`},
		{v1, v2 + "---\n" + strings.Replace(rollout, "  strategy:\n", "  disabled: true\n  strategy:\n", 1), "the Rollout releases nothing"},
	}
	for _, tt := range tests {
		args := []string{"simulate", "-f", "-"}
		if tt.from != "" {
			args = append(args, "--from", tt.from)
		}
		code, stdout, stderr := run([]byte(tt.text), args...)
		require.Equal(t, exitFailure, code, tt.want)
		require.Empty(t, stdout)
		require.Contains(t, stderr, tt.want)
		require.NotContains(t, stderr, "not planned")
	}
}

// TestKindsUnderWay: a release of v1alpha1 with its BatchRelease, as the API server has it, is
// planned and explained, and simulated if its pods are known.
func TestKindsUnderWay(t *testing.T) {
	live := []byte(cloneSetLive(t))
	for _, command := range []string{"plan", "explain"} {
		golden(t, data+"golden/"+command+"/rollout-cloneset-live.txt", []byte(succeed(t, live, command, "-f", "-", "--now", "2026-11-23T10:00:00Z")))
	}
	code, stdout, stderr := run(live, "simulate", "-f", "-")
	require.Equal(t, exitFailure, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, `CloneSet "guestbook": its pods are not in the input`)
}

// cloneSetLive returns a release of ten pods of which the first batch is under way, with other
// words in place of some.
func cloneSetLive(t *testing.T, words ...string) string {
	t.Helper()
	text, err := os.ReadFile(otherKinds + "cloneset-live.yaml")
	require.NoError(t, err)
	changed := strings.NewReplacer(words...).Replace(string(text))
	var release kubekruise.BatchReleaseObjectV1alpha1
	require.NoError(t, yaml.Unmarshal([]byte(strings.Split(changed, "---\n")[1]), &release))
	return strings.Replace(changed, "PLAN", kubekruise.BatchReleaseV1alpha1(&release).ReleasePlan.Hash(), 1)
}
