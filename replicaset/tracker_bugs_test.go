// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// trackerBugs are changes of the incremental counting that make it wrong: of a file, what it
// has once, and what it has instead.
var trackerBugs = []struct{ name, file, old, becomes string }{
	{"a pod that leaves stays counted", "tracker_count.go", "t.totals.add(r.state, -1)\n\tt.records.Set(i, record{})", "t.records.Set(i, record{})"},
	{"a pod that changes is counted twice", "tracker_count.go", "t.leave(i)\n\tif !same && before", "if !same && before"},
	{"terminating pods are not subtracted", "count.go", "t.terminating += n", "t.terminating += max(n, 0)"},
	{"a pod is available a second early", "tracker_count.go", "case instant <= t.observed:", "case instant <= t.observed+1e9:"},
	{"who leaves stays in the queue", "tracker_count.go", "t.cut(int(r.place - 1))", "_ = 0"},
	{"one becomes available at a time", "tracker_count.go", "for t.queue.Len() > 0 && t.queue.At(0).at <= now {", "if t.queue.Len() > 0 && t.queue.At(0).at <= now {"},
	{"an instant too late", "tracker_count.go", "t.queue.At(0).at <= now", "t.queue.At(0).at < now"},
	{"time never goes back", "tracker_count.go", "earlier := now < t.observed ||", "earlier :="},
	{"a pod that is cut from the middle never rises", "queue.go", "if k > 0 && d.at < t.queue.At((k-1)/2).at {", "if false {"},
	{"the larger of two behind goes up", "queue.go", "t.queue.At(next+1).at < t.queue.At(next).at", "t.queue.At(next+1).at > t.queue.At(next).at"},
	{"the pod that moves keeps its number in the queue", "tracker_count.go", "d.pod = int32(i)", ""},
	{"the pod that moves keeps its number by name", "tracker_count.go", "t.names.move(last, i, t.name)", ""},
	{"the pod that moves keeps its number by UID", "tracker_count.go", "t.uids.move(last, i, t.uid)", ""},
	{"a free cell hides others", "index.go", "(c-home)&mask >= (c-free)&mask", "home == c && mask > 0"},
	{"two pods of one UID are no longer noticed when a third is gone", "tracker_count.go", "t.twins -= t.uids.count(t.uid(i), t.uid)", "t.twins = 0"},
	{"the UID that a pod had is not forgotten", "tracker_count.go", "if !same && before.registered(uid)", "if !s.registered(uid) && before.registered(uid)"},
	{"another minReadySeconds changes nothing", "tracker_apply.go", " && a.MinReadySeconds == b.MinReadySeconds", ""},
	{"other template labels change nothing", "tracker_apply.go", " && maps.Equal(a.TemplateLabels, b.TemplateLabels)", ""},
	{"values of a selector are not compared", "tracker_apply.go", " && slices.Equal(x.Values, y.Values)", ""},
	{"a deletion of the ReplicaSet changes nothing", "tracker_apply.go", "a.DeletionTimestamp.IsZero() == b.DeletionTimestamp.IsZero() && ", ""},
	{"another dialect counts as before", "tracker.go", "t.recount(m)\n\t}\n\tc, err", "t.measure = m\n\t}\n\tc, err"},
	{"a far instant is a near one", "tracker.go", "s > -9e9 && s < 9e9", "true"},
	{"what is late is taken", "tracker_apply.go", "case compare && age < 0:", "case compare && age < -1:"},
	{"a removal of another UID removes", "tracker_apply.go", "p.UID == known.UID && e.New == nil", "e.New == nil"},
	{"clones write to each other's pages", "../internal/paged/list.go", "l.owner, l.shared = new(owner), true", "l.shared = true"},
	{"no pods to finish with", "tracker.go", "len(p.Actions) > 0 && isClaim(p.Actions[0])", "false"},
	{"no pods if pods are to be adopted", "tracker.go", "c.adopt == 0 && ", ""},
}

// planted returns the text of a file with a bug.
func planted(t *testing.T, file, old, becomes string) string {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), old), "%s: %q", file, old)
	return strings.Replace(string(text), old, becomes, 1)
}

// TestTrackerBugsApply: each bug is a change of the sources as they are.
func TestTrackerBugsApply(t *testing.T) {
	for _, b := range trackerBugs {
		planted(t, b.file, b.old, b.becomes)
	}
}

// TestTrackerBugs plants each bug, and wants TestTrackerSteps to find it, and says after how
// many steps it does. It compiles the package again and again, and so runs only on demand.
func TestTrackerBugs(t *testing.T) {
	if os.Getenv("KPLAN_MUTANTS") == "" {
		t.Skip("takes minutes: set KPLAN_MUTANTS to run it")
	}
	for _, b := range trackerBugs {
		t.Run(b.name, func(t *testing.T) {
			dir := t.TempDir()
			path, err := filepath.Abs(b.file)
			require.NoError(t, err)
			bug, overlay := filepath.Join(dir, "bug.go"), filepath.Join(dir, "overlay.json")
			list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: bug}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(bug, []byte(planted(t, b.file, b.old, b.becomes)), 0o600))
			require.NoError(t, os.WriteFile(overlay, list, 0o600))
			cmd := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout", "2m", "-overlay", overlay, "-run", "^TestTrackerSteps$", ".")
			cmd.Env = append(os.Environ(), "KPLAN_STEPS=200000")
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "nobody notices\n%s", out)
			switch steps := regexp.MustCompile(`after \d+ steps`).Find(out); {
			case steps != nil:
				t.Logf("found %s", steps)
			case strings.Contains(string(out), "test timed out"):
				t.Log("found: a step never ends")
			default:
				t.Fatalf("it does not run\n%s", out)
			}
		})
	}
}
