// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func at(args ...string) []string { return append(args, "--now", liveNow.Format(time.RFC3339)) }

// states are how the Deployments of the files stand, as their rules tell.
var states = map[string]string{
	"creation":          "progressing",
	"growth":            "progressing",
	"shrink":            "progressing",
	"unhealthy":         "progressing",
	"saturated":         "waiting",
	"paused-edit":       "waiting",
	"paused-idle":       "complete",
	"scaled-in-between": "progressing",
	"scaled-down":       "progressing",
	"stuck-annotation":  "stuck",
	"finished":          "complete",
	"history":           "complete",
	"min-available":     "waiting",
	"waiting":           "waiting",
	"recreate-down":     "progressing",
	"recreate-waiting":  "waiting",
	"recreate-up":       "progressing",
	"rollback":          "progressing",
	"deadline-exceeded": "stuck",
}

// explained is what a reader of the JSON output takes from it.
type explained struct {
	Name, Namespace, State, Why string
	RolloutStatus               struct {
		Text, Error string
		Done        bool
	}
	Budget struct {
		Replicas, Surge, Unavailable, MaxTotal, MinAvailable, Wanted, Available int32
	}
	Actions []map[string]any
	Holds   []struct {
		Name, Reason, Text, Means, Ends string
		Stuck                           bool
	}
	ReplicaSets []struct {
		Name     string
		New      bool
		Revision int64
		Wanted   int32
		Failure  string
	}
	Pods     []struct{ Name, ReplicaSet, Phase, Reason, Message string }
	Instants []struct {
		At   time.Time
		What string
	}
}

func explain(t *testing.T, args ...string) explained {
	t.Helper()
	var e explained
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, append(args, "-o", "json")...)), &e))
	require.Regexp(t, `^[A-Z].*\.$`, e.Why)
	for _, h := range e.Holds {
		require.NotEmpty(t, h.Text)
		require.NotEmpty(t, h.Ends, "%s", h.Reason)
	}
	return e
}

// TestExplainLive: every case is explained, and stands as it should.
func TestExplainLive(t *testing.T) {
	require.Len(t, states, len(liveCases))
	for _, c := range liveCases {
		args := at("explain", "-f", filepath.Join(live, c.file+".yaml"))
		text := succeed(t, nil, args...)
		golden(t, data+"golden/explain/"+c.file+".txt", []byte(text))
		e := explain(t, args...)
		require.Equal(t, states[c.file], e.State, c.file)
		require.Contains(t, inWords(text), "Deployment default/web is "+e.State+". "+e.Why+" ")
		require.EqualValues(t, c.replicas, e.Budget.Replicas, c.file)
		require.Equal(t, e.Budget.Replicas+e.Budget.Surge, e.Budget.MaxTotal, c.file)
		idle, wanted := 0, int32(0)
		for _, s := range c.sets {
			idle += s.starting + s.failing + s.terminating
			wanted += s.size
		}
		require.Len(t, e.Pods, idle, c.file)
		require.Equal(t, wanted, e.Budget.Wanted, c.file)
		require.Len(t, e.ReplicaSets, len(c.sets), c.file)
	}
	golden(t, data+"golden/explain/deadline-exceeded.json", []byte(succeed(t, nil, at("explain", "-f", live+"/deadline-exceeded.yaml", "-o", "json")...)))
}

// TestExplainReport: the text of kubectl rollout status.
func TestExplainReport(t *testing.T) {
	tests := map[string]string{
		"creation":  "Waiting for deployment spec update to be observed...",
		"saturated": `Waiting for deployment "web" rollout to finish: 5 out of 10 new replicas have been updated...`,
		"waiting":   `Waiting for deployment "web" rollout to finish: 0 of 3 updated replicas are available...`,
		"finished":  `deployment "web" successfully rolled out`,
	}
	for file, want := range tests {
		e := explain(t, at("explain", "-f", filepath.Join(live, file+".yaml"))...)
		require.Equal(t, want, e.RolloutStatus.Text, file)
		require.Equal(t, file == "finished", e.RolloutStatus.Done)
		require.Empty(t, e.RolloutStatus.Error)
	}
	e := explain(t, at("explain", "-f", live+"/deadline-exceeded.yaml")...)
	require.Equal(t, `deployment "web" exceeded its progress deadline`, e.RolloutStatus.Error)
}

// TestExplainPods: why pods do not serve is what their containers and conditions say.
func TestExplainPods(t *testing.T) {
	e := explain(t, at("explain", "-f", live+"/deadline-exceeded.yaml")...)
	require.Equal(t, "ImagePullBackOff", e.Pods[0].Reason)
	require.Equal(t, `Back-off pulling image "registry.example.com/web:1.2"`, e.Pods[0].Message)
	require.Contains(t, e.Why, "1 ImagePullBackOff")

	e = explain(t, at("explain", "-f", extraFile("resized"))...)
	require.Len(t, e.Pods, 2)
	require.Equal(t, "Unschedulable", e.Pods[0].Reason)
	require.Equal(t, "CrashLoopBackOff", e.Pods[1].Reason)
}

// TestExplainFailure: a ReplicaSet that cannot create pods says why, and nobody but
// the user can help.
func TestExplainFailure(t *testing.T) {
	args := at("explain", "-f", extraFile("quota"))
	golden(t, data+"golden/explain/quota.txt", []byte(succeed(t, nil, args...)))
	e := explain(t, args...)
	require.Equal(t, "stuck", e.State)
	require.Contains(t, e.ReplicaSets[0].Failure, "exceeded quota")
}

// TestExplainInstants: a pod becomes available 30 seconds after it was ready, which
// was 25 seconds before that; the deadline is 600 seconds after 20 seconds ago.
func TestExplainInstants(t *testing.T) {
	e := explain(t, at("explain", "-f", live+"/waiting.yaml")...)
	require.Len(t, e.Instants, 2)
	require.Equal(t, liveNow.Add(25*time.Second), e.Instants[0].At)
	require.Contains(t, e.Instants[0].What, "becomes available")
	require.WithinDuration(t, liveNow.Add(580*time.Second), e.Instants[1].At, time.Second)
	require.Contains(t, e.Instants[1].What, "deadline")
	require.Empty(t, explain(t, at("explain", "-f", live+"/finished.yaml")...).Instants)
}

// TestPolicies: each flag reaches the planner, and the output says that it is not
// what Kubernetes does.
func TestPolicies(t *testing.T) {
	stuck := live + "/stuck-annotation.yaml"
	require.Equal(t, "stuck", explain(t, at("explain", "-f", stuck)...).State)
	require.Equal(t, "progressing", explain(t, at("explain", "-f", stuck, "--corrected")...).State)
	require.Contains(t, succeed(t, nil, at("explain", "-f", stuck, "--corrected")...), "\nWith --corrected, unlike Kubernetes.\n")

	frozen := explain(t, at("explain", "-f", live+"/paused-idle.yaml", "--paused", "freeze")...)
	require.Equal(t, "Frozen", frozen.Holds[1].Reason)

	terminating := succeed(t, nil, at("plan", "-f", live+"/growth.yaml", "--terminating", "known", "--leftover=newest", "--strict-available")...)
	require.Contains(t, inWords(terminating), "With --strict-available --terminating=known --leftover=newest, unlike Kubernetes.")
	require.NotContains(t, succeed(t, nil, at("plan", "-f", live+"/growth.yaml", "--terminating", "started")...), "unlike")

	both := live + "/scaled-in-between.yaml"
	require.NotEqual(t, succeed(t, nil, at("plan", "-f", both, "-o", "json")...), succeed(t, nil, at("plan", "-f", both, "-o", "json", "--weigh-by-available")...))

	// Without the correction the annotation of former replicas keeps the rollout from going on.
	code, stdout, _ := run(nil, "simulate", "-f", stuck)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "Not complete")
	require.Contains(t, succeed(t, nil, "simulate", "-f", stuck, "--corrected"), "Complete after")
}

// TestAdoptionPolicy: an orphan is adopted by default, and not if the user says so.
func TestAdoptionPolicy(t *testing.T) {
	orphan := []byte(good + "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: orphan, uid: o, labels: {app: web}}\n")
	require.Contains(t, succeed(t, orphan, "plan", "-f", "-"), "adopt replica set orphan")
	for _, policy := range []string{"none", "same-template"} {
		require.NotContains(t, succeed(t, orphan, "plan", "-f", "-", "--adoption", policy), "adopt replica set")
	}
}

// TestExplainManifest: a manifest alone has nothing yet, and a snapshot without pods
// says so.
func TestExplainManifest(t *testing.T) {
	text := succeed(t, []byte(good), at("explain", "-f", "-")...)
	require.Contains(t, text, "Deployment web will start. Once it is applied, the controller will act")
	require.Contains(t, text, "(none yet)")
	require.NotContains(t, text, "holds no pods")

	file, err := os.ReadFile(live + "/deadline-exceeded.yaml")
	require.NoError(t, err)
	withoutPods, _, found := strings.Cut(string(file), "- apiVersion: v1\n  kind: Pod\n")
	require.True(t, found)
	text = succeed(t, []byte(withoutPods+"kind: List\n"), at("explain", "-f", "-")...)
	require.Contains(t, text, "is stuck.")
	require.Contains(t, text, "The input holds no pods")
	require.NotContains(t, succeed(t, []byte(withoutPods+"kind: List\n"), at("plan", "-f", "-")...), "POD ACTION", "pods that are not in the input may well exist")
}
