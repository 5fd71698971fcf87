// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// A rollout is what a reader of the JSON output takes from it.
type rolloutJSON struct {
	Name   string
	Done   bool
	Bounds struct{ MaxTotal, MinAvailable int32 }
	Steps  []struct {
		Time      float64
		Actions   []map[string]any
		Total     int32
		Available int32
		Parts     []struct {
			Name                       string
			Revision                   int64
			Replicas, Ready, Available int32
		}
	}
}

func readRollout(t *testing.T, text string) rolloutJSON {
	var r rolloutJSON
	require.NoError(t, json.Unmarshal([]byte(text), &r))
	return r
}

// checkBounds checks every step against bounds that were worked out by hand.
func checkBounds(t *testing.T, r rolloutJSON, most, least int32) {
	t.Helper()
	require.Equal(t, most, r.Bounds.MaxTotal)
	require.Equal(t, least, r.Bounds.MinAvailable)
	require.NotEmpty(t, r.Steps)
	for i, s := range r.Steps {
		require.LessOrEqual(t, s.Total, most, "step %d", i+1)
		require.GreaterOrEqual(t, s.Available, least, "step %d", i+1)
		total, available := int32(0), int32(0)
		for _, rs := range s.Parts {
			total += rs.Replicas
			available += rs.Available
		}
		require.Equal(t, total, s.Total, "step %d", i+1)
		require.Equal(t, available, s.Available, "step %d", i+1)
		require.NotNil(t, s.Actions, "actions are always a list")
	}
}

var echoserver = []string{"simulate", "--from", data + "echoserver-v1.yaml", "-f", data + "echoserver-v2.yaml"}

// TestEchoserver: 6 replicas with 25% and 25% are 2 above and 1 below.
func TestEchoserver(t *testing.T) {
	golden(t, data+"golden/echoserver.txt", []byte(succeed(t, nil, echoserver...)))
	text := succeed(t, nil, append(echoserver, "-o", "json")...)
	golden(t, data+"golden/echoserver.json", []byte(text))
	r := readRollout(t, text)
	checkBounds(t, r, 8, 5)
	require.True(t, r.Done)
	require.Equal(t, "echoserver", r.Name)
	last := r.Steps[len(r.Steps)-1]
	require.Empty(t, last.Actions)
	require.EqualValues(t, 6, last.Total)
	require.Len(t, last.Parts, 2)
	require.EqualValues(t, 1, last.Parts[0].Revision)
	require.Zero(t, last.Parts[0].Replicas)
	require.EqualValues(t, 2, last.Parts[1].Revision)
	require.EqualValues(t, 6, last.Parts[1].Available)
	require.InDelta(t, 20, last.Time, 0, "two rounds of pods that need 10 seconds each")
}

// TestReadme: the READMEs of the command and of the repository show what the
// command prints.
func TestReadme(t *testing.T) {
	printed := "\n" + succeed(t, nil, echoserver...) + "```\n"
	for _, file := range []string{"../../README.md", "../../../../README.md"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), "-f examples/kplan/testdata/echoserver-v2.yaml\n")
		require.Contains(t, string(text), printed)
	}
	first, err := os.ReadFile("../../../../README.md")
	require.NoError(t, err)
	for text, lines := range map[string]int{
		succeed(t, nil, "explain", "-f", live+"/deadline-exceeded.yaml"):       2,
		succeed(t, nil, "order", "-f", live+"/unhealthy.yaml", "--count", "2"): 4,
	} {
		begin := slices.Collect(strings.Lines(text))[:lines]
		require.Contains(t, string(first), "```\n"+strings.Join(begin, "")+"```\n")
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	order := succeed(t, nil, "order", "-f", extraFile("pods"), "--now", liveNow.Format(time.RFC3339), "--count", "4")
	require.Contains(t, string(readme), "\n"+order+"```\n")
	explain := succeed(t, nil, "explain", "-f", live+"/deadline-exceeded.yaml", "--now", liveNow.Format(time.RFC3339))
	require.Contains(t, string(readme), "\n"+explain+"```\n")
	for _, shown := range []string{"explain/daemonset-blocked.txt", "daemonset.txt", "compare-runs.txt", "zones.txt", "compare-zones.txt", "rollout.txt", "replicaset/surplus-explain.txt"} {
		text, err := os.ReadFile(data + "golden/" + shown)
		require.NoError(t, err)
		require.Contains(t, string(readme), "\n"+string(text)+"```\n", shown)
	}
	require.Contains(t, string(readme), "\n"+succeed(t, nil, "simulate", "-f", progressive+"batch.yaml", "--heal")+"```\n")
	text, err := os.ReadFile(data + "golden/explain/rollout-batch.txt")
	require.NoError(t, err)
	ofRollout, _, found := strings.Cut(string(text), "\nDeployment default/web is")
	require.True(t, found)
	require.Contains(t, string(readme), "\n"+ofRollout+"```\n")
	for _, c := range newRoot("kplan").Commands() {
		if c.Name() == "help" {
			continue // every command has --help, which the README tells of
		}
		require.Contains(t, string(readme), "| `"+c.Name()+"` | ", "the README does not tell of it")
	}
}

// TestPage: how a rolling update works is told with what the command prints.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../../../deploy/README.md")
	require.NoError(t, err)
	web := []string{"simulate", "--from", data + "web-v1.yaml", "-f", data + "web-v2.yaml"}
	require.Contains(t, string(page), "```\n"+succeed(t, nil, web...)+"```\n")
	code, broken, _ := run(nil, append(web, "--never-ready")...)
	require.Equal(t, 1, code)
	require.Contains(t, string(page), "```\n"+broken+"```\n")
}

// TestStorefront: 20% of 40 is 8 above and 5% is 2 below, with slow pods of random
// speed that must have been ready for 15 seconds.
func TestStorefront(t *testing.T) {
	args := []string{
		"simulate", "--from", data + "storefront-v1.yaml", "-f", data + "storefront-v2.yaml",
		"--ready-after", "30s", "--schedule-after", "2s", "--terminate-after", "20s", "--jitter", "10s", "--seed",
	}
	seen := map[string]bool{}
	for _, seed := range []string{"1", "2", "3"} {
		text := succeed(t, nil, append(args, seed, "-o", "json")...)
		require.Equal(t, text, succeed(t, nil, append(args, seed, "-o", "json")...), "a seed gives the same rollout")
		r := readRollout(t, text)
		checkBounds(t, r, 48, 38)
		require.True(t, r.Done)
		seen[text] = true
	}
	require.Len(t, seen, 3, "another seed gives another rollout")
	golden(t, data+"golden/storefront.txt", []byte(succeed(t, nil, append(args, "1")...)))
}

// TestNeverReady: a broken version gets no further than the bounds allow, and the
// exit code tells.
func TestNeverReady(t *testing.T) {
	code, stdout, stderr := run(nil, append(echoserver, "--never-ready")...)
	require.Equal(t, exitFailure, code)
	golden(t, data+"golden/echoserver-never-ready.txt", []byte(stdout))
	require.Equal(t, `error: `+data+`echoserver-v2.yaml: Deployment "echoserver": the rollout has exceeded its progress deadline after 10m`,
		lastLine(stderr))
	code, stdout, _ = run(nil, append(echoserver, "--never-ready", "-o", "json")...)
	require.Equal(t, exitFailure, code)
	r := readRollout(t, stdout)
	checkBounds(t, r, 8, 5)
	require.False(t, r.Done)
}

func TestTimeLimit(t *testing.T) {
	code, stdout, stderr := run(nil, append(echoserver, "--time-limit", "15s", "-o", "json")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stderr, "the rollout has not finished within the time limit of 15s")
	require.False(t, readRollout(t, stdout).Done)
}

// TestStarts: without --from a rollout starts from nothing, or from the ReplicaSets
// in the files; and --from may hold them as well.
func TestStarts(t *testing.T) {
	nothing := readRollout(t, succeed(t, nil, "simulate", "-f", data+"echoserver-v1.yaml", "-o", "json"))
	require.Len(t, nothing.Steps, 2)
	require.Len(t, nothing.Steps[0].Parts, 1)
	require.EqualValues(t, 6, nothing.Steps[0].Total)
	require.Zero(t, nothing.Steps[0].Available)

	same := readRollout(t, succeed(t, nil, "simulate", "--from", data+"echoserver-v1.yaml", "-f", data+"echoserver-v1.yaml", "-o", "json"))
	require.Len(t, same.Steps, 1, "nothing has changed")
	require.Zero(t, same.Steps[0].Time)

	// 8 old and 3 new pods, of 10: the new ReplicaSet grows to 5 at once.
	growth := readRollout(t, succeed(t, nil, "simulate", "-f", live+"/growth.yaml", "-o", "json"))
	checkBounds(t, growth, 13, 8)
	require.EqualValues(t, 5, growth.Steps[0].Parts[1].Replicas)

	// Going back to version 1 in the middle: its ReplicaSet becomes revision 3.
	back := readRollout(t, succeed(t, nil, "simulate", "--from", live+"/growth.yaml", "-f", live+"/unhealthy.yaml", "-o", "json"))
	checkBounds(t, back, 13, 8)
	require.True(t, back.Done)
	last := back.Steps[len(back.Steps)-1]
	require.Equal(t, setName("web", 1), last.Parts[0].Name)
	require.EqualValues(t, 3, last.Parts[0].Revision)
	require.EqualValues(t, 10, last.Parts[0].Available)

	creation := readRollout(t, succeed(t, nil, "simulate", "-f", live+"/creation.yaml", "-o", "json"))
	checkBounds(t, creation, 13, 8)
}

// TestScaleAndPause: replicas and paused are those of the new manifest.
func TestScaleAndPause(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("old.yaml", []byte(with("replicas: 4")), 0o644))
	require.NoError(t, os.WriteFile("new.yaml", []byte(with("replicas: 7")), 0o644))
	require.NoError(t, os.WriteFile("paused.yaml", []byte(with("paused: true")), 0o644))
	scaled := readRollout(t, succeed(t, nil, "simulate", "--from", "old.yaml", "-f", "new.yaml", "-o", "json"))
	require.True(t, scaled.Done)
	require.Len(t, scaled.Steps, 2)
	require.Len(t, scaled.Steps[1].Parts, 1)
	require.EqualValues(t, 7, scaled.Steps[1].Available)

	code, stdout, stderr := run(nil, "simulate", "-f", "paused.yaml")
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "the Deployment is paused")
	require.Equal(t, "error: paused.yaml: Deployment \"web\": the rollout is paused\n", stderr)
}

// TestWithoutPods: ReplicaSets without their pods in the file have the pods that
// they report.
func TestWithoutPods(t *testing.T) {
	text, err := os.ReadFile(live + "/shrink.yaml")
	require.NoError(t, err)
	want := readRollout(t, succeed(t, text, "simulate", "-f", "-", "-o", "json"))
	without := podless(t, text)
	got := readRollout(t, succeed(t, without, "simulate", "-f", "-", "-o", "json"))
	require.Equal(t, want, got)
}

// podless returns a list without its pods.
func podless(t *testing.T, text []byte) []byte {
	var list map[string]any
	require.NoError(t, yaml.Unmarshal(text, &list))
	var rest []any
	for _, item := range list["items"].([]any) {
		if item.(map[string]any)["kind"] != "Pod" {
			rest = append(rest, item)
		}
	}
	list["items"] = rest
	text, err := yaml.Marshal(list)
	require.NoError(t, err)
	return text
}

// TestPicture: the files show the ReplicaSets, and what cannot be drawn says so.
func TestPicture(t *testing.T) {
	dir := t.TempDir()
	svg, page := filepath.Join(dir, "echo.svg"), filepath.Join(dir, "echo.html")
	text := succeed(t, nil, append(echoserver, "--svg", svg, "--html", page)...)
	require.Equal(t, succeed(t, nil, echoserver...), text, "the text stays")
	for _, file := range []string{svg, page} {
		picture, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, want := range []string{"Deployment echoserver", "rev 1 ready", "rev 2 ready", "at most 8 wanted", "at least 5 available"} {
			require.Contains(t, string(picture), want)
		}
	}
	drawn, err := os.ReadFile(svg)
	require.NoError(t, err)
	golden(t, data+"golden/echoserver.svg", drawn) // the README shows it
	require.NoError(t, os.Remove(svg))
	succeed(t, nil, "simulate", "--from", daemons+"agent-v1.yaml", "-f", daemons+"agent-v2.yaml", "--nodes", "10", "--svg", svg)
	picture, err := os.ReadFile(svg)
	require.NoError(t, err)
	require.Contains(t, string(picture), "DaemonSet agent")
	require.Contains(t, string(picture), "at least 8 available")

	for _, tt := range []struct {
		args []string
		want string
	}{
		{append(echoserver, "--svg", filepath.Join(dir, "no", "where")), "no such file or directory"},
		{append(echoserver, "--svg", svg, "--try", "maxSurge=1"), "this format shows steps"},
		{append(echoserver, "--svg", svg, "-f", data+"storefront-v1.yaml"), "--svg draws one rollout"},
	} {
		code, _, stderr := run(nil, tt.args...)
		require.Equal(t, exitFailure, code)
		require.Contains(t, stderr, tt.want)
	}
}
