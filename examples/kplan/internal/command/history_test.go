// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHistory: the table of kubectl, letter by letter, and what it leaves out.
func TestHistory(t *testing.T) {
	const table = "deployment.apps/web \nREVISION  CHANGE-CAUSE\n2         new banner\n3         <none>\n4         back to the first\n\n"
	file := extraFile("causes")
	require.Equal(t, table, succeed(t, nil, "history", "-f", file))
	full := succeed(t, nil, "history", "-f", file, "--full")
	require.True(t, strings.HasPrefix(full, table))
	golden(t, data+"golden/history/causes-full.txt", []byte(full))
	golden(t, data+"golden/history/causes-2.txt", []byte(succeed(t, nil, "history", "-f", file, "--revision", "2")))
	require.Equal(t, "deployment.apps/web \nNo rollout history found.\n", succeed(t, []byte(good), "history", "-f", "-"))
}

// TestHistoryOrphan: a ReplicaSet without a controller is no revision, even if the
// Deployment is about to adopt it.
func TestHistoryOrphan(t *testing.T) {
	orphan := []byte(good + `---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: orphan, uid: o, labels: {app: web}, annotations: {deployment.kubernetes.io/revision: "7"}}
`)
	require.Contains(t, succeed(t, orphan, "plan", "-f", "-"), "adopt replica set orphan")
	require.Equal(t, "deployment.apps/web \nNo rollout history found.\n", succeed(t, orphan, "history", "-f", "-"))
	require.Regexp(t, "─ orphan +7, old, to be adopted +1", succeed(t, orphan, "explain", "-f", "-"))
}

// TestHistoryJSON: the revisions and their ReplicaSets.
func TestHistoryJSON(t *testing.T) {
	type row struct {
		Revision                        int64
		ReplicaSet, Images, ChangeCause string
		Current, Former                 bool
	}
	read := func(args ...string) []row {
		var h struct{ Revisions []row }
		require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, append(args, "-f", extraFile("causes"), "-o", "json")...)), &h))
		return h.Revisions
	}
	first := row{ReplicaSet: setName("web", 1), Images: "registry.example.com/web:1.1", ChangeCause: "back to the first"}
	former, current := first, first
	former.Revision, former.Former = 1, true
	current.Revision, current.Current = 4, true
	second := row{Revision: 2, ReplicaSet: setName("web", 2), Images: "registry.example.com/web:1.2", ChangeCause: "new banner"}
	third := row{Revision: 3, ReplicaSet: setName("web", 3), Images: "registry.example.com/web:1.3"}
	require.Equal(t, []row{second, third, current}, read("history"))
	require.Equal(t, []row{former, second, third, current}, read("history", "--full"))
	require.Equal(t, []row{second}, read("history", "--revision", "2"))
	require.Equal(t, []row{former}, read("history", "--revision", "1", "--full"))
}

// TestHistoryRefused: the words of kubectl, and exit code 1.
func TestHistoryRefused(t *testing.T) {
	for number, want := range map[string]string{
		"1":  "unable to find the specified revision",
		"9":  "unable to find the specified revision",
		"-2": "revision must be a positive integer: -2",
	} {
		code, stdout, stderr := run(nil, "history", "-f", extraFile("causes"), "--revision", number)
		require.Equal(t, exitFailure, code)
		require.Empty(t, stdout)
		require.Equal(t, "error: "+extraFile("causes")+`: Deployment "web": `+want+"\n", stderr)
	}
	_, _, stderr := run(nil, "history", "-f", extraFile("long-history"))
	require.Equal(t, "note: "+extraFile("long-history")+`: ReplicaSet "`+setName("web", 1)+`": left out, because its revision is "x"`+"\n", stderr)
}

// TestUndo: what kubectl prints, where it goes back to, and how.
func TestUndo(t *testing.T) {
	text := succeed(t, nil, "undo", "-f", extraFile("causes"))
	golden(t, data+"golden/undo/causes.txt", []byte(text))
	require.True(t, strings.HasPrefix(text, "deployment.apps/web rolled back (dry run)\n"))
	golden(t, data+"golden/undo/deadline-exceeded.txt", []byte(succeed(t, nil, "undo", "-f", live+"/deadline-exceeded.yaml", "--never-ready")))
	golden(t, data+"golden/undo/skipped.txt", []byte(succeed(t, nil, "undo", "-f", extraFile("causes"), "--to-revision", "4")))

	var u struct {
		Text, ReplicaSet string
		Undo             struct{ Number int64 }
		Images           []struct{ Container, Before, After string }
		Rollout          rolloutJSON
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "undo", "-f", extraFile("causes"), "--to-revision", "2", "-o", "json")), &u))
	require.Equal(t, "rolled back (dry run)", u.Text)
	require.Equal(t, setName("web", 2), u.ReplicaSet)
	require.EqualValues(t, 2, u.Undo.Number)
	require.Equal(t, "registry.example.com/web:1.1", u.Images[0].Before)
	require.Equal(t, "registry.example.com/web:1.2", u.Images[0].After)
	checkBounds(t, u.Rollout, 4, 3)
	require.True(t, u.Rollout.Done)
	last := u.Rollout.Steps[len(u.Rollout.Steps)-1].Parts
	for _, rs := range last {
		want := int32(0)
		if rs.Name == setName("web", 2) {
			want = 3
			require.EqualValues(t, 5, rs.Revision, "it gets the next revision")
		}
		require.Equal(t, want, rs.Available, rs.Name)
	}
}

// TestUndoRefused: the words of kubectl, and exit code 1.
func TestUndoRefused(t *testing.T) {
	tests := []struct {
		file, number, want string
	}{
		{extraFile("causes"), "9", "unable to find specified revision 9 in history"},
		{extraFile("causes"), "1", "unable to find specified revision 1 in history"},
		{extraFile("causes"), "-1", "unable to find specified revision -1 in history"},
		{extraFile("quota"), "0", `no rollout history found for deployment "web"`},
		{live + "/paused-idle.yaml", "1", "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"},
	}
	for _, tt := range tests {
		code, stdout, stderr := run(nil, "undo", "-f", tt.file, "--to-revision", tt.number)
		require.Equal(t, exitFailure, code)
		require.Empty(t, stdout)
		require.Equal(t, "error: "+tt.file+`: Deployment "web": `+tt.want, lastLine(stderr))
	}
}

// TestUndoUnfinished: a rollout that does not end gives exit code 1 after the output.
func TestUndoUnfinished(t *testing.T) {
	code, stdout, stderr := run(nil, "undo", "-f", extraFile("causes"), "--ready-after", "25h")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "deployment.apps/web rolled back (dry run)\n")
	require.Contains(t, stdout, "Not complete: the rollout has exceeded its progress deadline")
	require.Contains(t, lastLine(stderr), `Deployment "web": the rollout has exceeded its progress deadline`)
}

// TestDaemonUndo: of five nodes two have the present template and three the one before it. Back to that, the
// pod that is not ready goes at once, and then the other; the template generation rises, so that neither of
// them is taken for new.
func TestDaemonUndo(t *testing.T) {
	file := daemons + "blocked.yaml"
	text := succeed(t, nil, "undo", "-f", file)
	golden(t, data+"golden/undo/daemonset.txt", []byte(text))
	require.True(t, strings.HasPrefix(text, "daemonset.apps/agent rolled back (dry run)\n"))
	var u struct {
		Kind, Text, ControllerRevision string
		Undo                           struct{ Number int64 }
		Images                         []struct{ Before, After string }
		Rollout                        daemonRollout
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "undo", "-f", file, "--to-revision", "1", "-o", "json")), &u))
	require.Equal(t, "DaemonSet", u.Kind)
	require.EqualValues(t, 1, u.Undo.Number)
	require.Equal(t, "registry.example.com/web:1.2", u.Images[0].Before)
	require.Equal(t, "registry.example.com/web:1.1", u.Images[0].After)
	require.True(t, u.Rollout.Done)
	last := u.Rollout.Steps[len(u.Rollout.Steps)-1]
	require.Equal(t, []int32{5, 5}, []int32{last.Total, u.Rollout.updated(len(u.Rollout.Steps) - 1)})
	require.InDelta(t, 20, last.Time, 0)
	require.Equal(t, "daemonset.apps/agent\n", succeed(t, nil, "undo", "-f", file, "-o", "name"))
	require.Contains(t, succeed(t, nil, "undo", "-f", file, "-o", "yaml"), "text: rolled back (dry run)")

	require.Contains(t, inWords(succeed(t, nil, "undo", "-f", file, "--to-revision", "2")), "daemonset.apps/agent skipped rollback (current template already matches revision 2) (dry run) ")
	require.Equal(t, "1\n2\n:4\n", succeed(t, nil, "__complete", "undo", "-f", file, "--to-revision", ""))
	for number, want := range map[string]string{"9": "unable to find specified revision 9 in history", "-1": "unable to find specified revision -1 in history"} {
		code, _, stderr := run(nil, "undo", "-f", file, "--to-revision", number)
		require.Equal(t, exitFailure, code)
		require.Equal(t, "error: "+file+`: DaemonSet "agent": `+want, lastLine(stderr))
	}
	_, _, stderr := run(nil, "undo", "-f", daemons+"agent-v1.yaml")
	require.Contains(t, stderr, "no last revision to roll back to")
	_, _, stderr = run(nil, "undo", "-f", daemons+"partition.yaml")
	require.Contains(t, stderr, `no rollbacker has been implemented for "DaemonSet.apps.kruise.io"`)

	// Without pods and nodes.
	c := agentCluster{rolling: "maxUnavailable: 1", old: "agent:1", new: "agent:2"}
	text = inWords(succeed(t, c.yaml(), "undo", "-f", "-", "--now", agentNow))
	require.Contains(t, text, "there are 3 nodes that fit")
	require.Contains(t, text, "its nodes have pods of the present template")
	require.Contains(t, text, "Complete after 30s.")
	code, _, _ := run(c.yaml(), "undo", "-f", "-", "--now", agentNow, "--ready-after", "25h")
	require.Equal(t, exitFailure, code, "it does not finish")
}

// TestDaemonHistory: the ControllerRevisions of a DaemonSet are its history, and need no
// nodes.
func TestDaemonHistory(t *testing.T) {
	file := daemons + "blocked.yaml"
	golden(t, data+"golden/history/daemonset.txt", []byte(succeed(t, nil, "history", "-f", file, "--full")))
	golden(t, data+"golden/history/daemonset-1.txt", []byte(succeed(t, nil, "history", "-f", file, "--revision", "1")))
	var h struct {
		Kind, Name string
		Revisions  []struct {
			Revision                               int64
			ControllerRevision, ReplicaSet, Images string
			Current                                bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, "history", "-f", file, "-o", "json")), &h))
	require.Equal(t, "DaemonSet", h.Kind)
	require.Len(t, h.Revisions, 2)
	require.EqualValues(t, 2, h.Revisions[1].Revision)
	require.True(t, h.Revisions[1].Current)
	require.False(t, h.Revisions[0].Current)
	require.Equal(t, "registry.example.com/web:1.1", h.Revisions[0].Images)
	require.NotEmpty(t, h.Revisions[0].ControllerRevision)
	require.Empty(t, h.Revisions[0].ReplicaSet)

	require.Contains(t, succeed(t, nil, "history", "-f", daemons+"agent-v1.yaml"), "daemonset.apps/agent")
	code, _, stderr := run(nil, "history", "-f", file, "--revision", "9")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "unable to find the specified revision")
}
