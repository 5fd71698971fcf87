// SPDX-License-Identifier: Apache-2.0

package viewers

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kplan-go/kplan/examples/kplan/internal/command"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

const data = "../../testdata/"

// tools returns the folder with the tools.
func tools(t *testing.T) string {
	folder := os.Getenv("KPLAN_VIEWERS")
	if folder == "" {
		t.Skip("KPLAN_VIEWERS does not name the folder of the tools, see install")
	}
	return folder
}

// kplan runs the command.
func kplan(t *testing.T, stdin []byte, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Execute(append([]string{"kplan"}, args...), bytes.NewReader(stdin), &stdout, &stderr)
	require.NotEmpty(t, stdout.String(), stderr.String())
}

var echoserver = []string{"simulate", "--from", data + "echoserver-v1.yaml", "-f", data + "echoserver-v2.yaml", "--terminate-after", "5s"}

// stranger is what somebody may put into a name: it ends strings, lines, blocks, tags and
// comments.
const stranger = "=a</script><img src=x onerror=alert(1)>\"} 1\\\"`;#%%:, ]]>&amp;\u202e\n```\nend\x1b[31m"

// items returns the objects of a file, and each changed.
func items(t *testing.T, file string, change func(kind string, meta, object map[string]any)) []byte {
	text, err := os.ReadFile(data + file)
	require.NoError(t, err)
	var list map[string]any
	require.NoError(t, yaml.Unmarshal(text, &list))
	for _, item := range list["items"].([]any) {
		o := item.(map[string]any)
		change(o["kind"].(string), o["metadata"].(map[string]any), o)
	}
	text, err = json.Marshal(list)
	require.NoError(t, err)
	return text
}

// forged returns a Deployment, and ReplicaSets and pods with that in their names, on a node of
// that name. A Deployment of such a name is refused.
func forged(t *testing.T) []byte {
	return items(t, "live/waiting.yaml", func(kind string, meta, o map[string]any) {
		if kind == "Deployment" {
			return
		}
		meta["name"] = stranger + meta["name"].(string)
		for _, ref := range meta["ownerReferences"].([]any) {
			ref := ref.(map[string]any)
			if ref["name"] = stranger; kind == "Pod" {
				o["spec"].(map[string]any)["nodeName"] = stranger
			}
		}
	})
}

// forgedRelease returns a Rollout of that name with what belongs to it.
func forgedRelease(t *testing.T) []byte {
	return items(t, "rollout/batch.yaml", func(kind string, meta, _ map[string]any) {
		if kind == "Rollout" || kind == "BatchRelease" {
			meta["name"] = stranger
		}
	})
}

// A job is what view.mjs opens, and seen what it tells of it.
type job struct {
	Tools    string   `json:"tools"`
	Chromium string   `json:"chromium"`
	Viewer   string   `json:"viewer"`
	Shots    string   `json:"shots"`
	Traces   []string `json:"traces"`
	Diagrams []string `json:"diagrams"`
	Pages    []string `json:"pages"`
	Pictures []string `json:"pictures"`
}

type seen struct {
	Traces []struct {
		Warnings  []string
		Processes map[string]struct {
			Slices, Counters []string
			Stages           int
			Inside           bool
		}
	}
	Diagrams []struct {
		Texts, Overlaps []string
		Scripts         int
	}
	Pages    []page
	Pictures []struct{ Texts, Overlaps, Outside []string }
	Errors   []string
}

// A page is what was seen of one, and moment what its controls show.
type page struct {
	Title, Tip                         string
	Sections, Rows, Markup             int
	Wide                               float64 // pixels that lie outside of a narrow window
	Overlaps                           []string
	First, Third, Last, Again, Clicked moment
}

type moment struct {
	Output, Focus string
	Events        []string
	Row           int
	Cursor        float64
}

// browser adds to a job what is needed to open something in the browser.
func browser(t *testing.T, j job) job {
	t.Helper()
	var err error
	j.Tools, err = filepath.Abs(tools(t))
	require.NoError(t, err)
	j.Chromium, err = exec.LookPath("chromium")
	require.NoError(t, err)
	if j.Shots = os.Getenv("KPLAN_SHOTS"); j.Shots == "" {
		j.Shots = t.TempDir()
	}
	return j
}

// script runs a script with a job, and reads its answer.
func script(t *testing.T, name string, job, answer any) {
	t.Helper()
	text, err := json.Marshal(job)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "job.json")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	node := exec.Command("node", name, file)
	var stderr bytes.Buffer
	node.Stderr = &stderr
	out, err := node.Output()
	require.NoError(t, err, stderr.String())
	require.NoError(t, json.Unmarshal(out, answer))
}

// look opens files in the browser.
func look(t *testing.T, j job) (s seen) {
	t.Helper()
	j = browser(t, j)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	j.Viewer = filepath.Join(strings.TrimSpace(string(root)), "src/internal/trace/traceviewer/static")
	script(t, "view.mjs", j, &s)
	require.Empty(t, s.Errors)
	return s
}

// TestTrace: the viewer of Chromium reads the traces without a warning, and every pod is a
// slice, once with its owner and once on its node, around those of its stages.
func TestTrace(t *testing.T) {
	tools(t)
	dir := t.TempDir()
	good, bad, hostile := filepath.Join(dir, "good.json"), filepath.Join(dir, "daemons.json"), filepath.Join(dir, "hostile.json")
	kplan(t, nil, append(echoserver, "--trace", good)...)
	kplan(t, nil, "simulate", "--from", data+"daemonset/agent-v1.yaml", "-f", data+"daemonset/agent-v2.yaml", "--nodes", "10", "--trace", bad)
	kplan(t, forged(t), "simulate", "-f", "-", "--trace", hostile)
	s := look(t, job{Traces: []string{good, bad, hostile}})
	require.Len(t, s.Traces, 3)
	for _, trace := range s.Traces {
		require.Empty(t, trace.Warnings)
		onNodes, ofOwners := 0, 0
		for name, p := range trace.Processes {
			require.True(t, p.Inside, name)
			require.NotContains(t, name, "\n")
			switch {
			case strings.HasPrefix(name, "Node "):
				onNodes += len(p.Slices)
			case len(p.Counters) == 0:
				ofOwners += len(p.Slices)
				require.GreaterOrEqual(t, p.Stages, len(p.Slices))
			}
		}
		require.Equal(t, ofOwners, onNodes)
		require.Positive(t, onNodes)
	}
	of := s.Traces[0].Processes
	require.Equal(t, []string{"steps 1-2", "steps 3-4", "steps 5-6"}, of["Deployment echoserver"].Slices)
	require.ElementsMatch(t, []string{"rev 1 ready", "rev 2 ready", "wanted", "available", "at most 8 wanted", "at least 5 available"}, of["Deployment echoserver"].Counters)
	require.Len(t, of["ReplicaSet echoserver-6cb75cb957 (rev 1)"].Slices, 6)
	require.Len(t, of["ReplicaSet echoserver-6dbc9567d5 (rev 2)"].Slices, 6)
	require.Len(t, s.Traces[1].Processes["DaemonSet agent"].Slices, 6, "instants")
	require.Len(t, s.Traces[1].Processes["Pods of DaemonSet agent"].Slices, 18, "two on each node, but for the two that go at once")
	require.Contains(t, s.Traces[2].Processes, "Node "+terminal.Escape(stranger))
}

// TestMermaid: Mermaid draws the diagrams, and no text lies on another.
func TestMermaid(t *testing.T) {
	tools(t)
	dir := t.TempDir()
	var files []string
	for name, args := range map[string][]string{
		"0": echoserver, "1": append(echoserver, "--never-ready"),
		"2": {"simulate", "--from", data + "daemonset/agent-v1.yaml", "-f", data + "daemonset/agent-v2.yaml", "--nodes", "10"},
	} {
		kplan(t, nil, append(args, "--mermaid", filepath.Join(dir, name))...)
	}
	kplan(t, forgedRelease(t), "simulate", "-f", "-", "--heal", "--mermaid", filepath.Join(dir, "3"))
	for _, name := range []string{"0", "1", "2", "3"} {
		files = append(files, filepath.Join(dir, name))
	}
	s := look(t, job{Diagrams: files})
	require.Len(t, s.Diagrams, 4)
	for i, d := range s.Diagrams {
		require.Empty(t, d.Overlaps, "%d", i)
		require.Zero(t, d.Scripts)
	}
	for _, want := range []string{"Deployment echoserver. Complete after 20s", "rev 1 ready", "rev 2: create with 2", "rev 1: 6 -> 5", "complete", "00:00:20"} {
		require.Contains(t, s.Diagrams[0].Texts, want)
	}
	require.Contains(t, s.Diagrams[1].Texts, "Deployment echoserver. Not complete: the rollout has exceeded its progress deadline after 10m")
	require.Contains(t, strings.Join(s.Diagrams[3].Texts, "\n"), "Rollout default/"+terminal.Escape(stranger)[:20])
}
