// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// folders writes manifests into two folders of a new one, goes there, and returns its path.
func folders(t *testing.T, before, after map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for folder, files := range map[string]map[string]string{"old": before, "new": after} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, folder, "deploy"), 0o755))
		for name, text := range files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, folder, "deploy", name), []byte(text), 0o600))
		}
	}
	t.Chdir(dir)
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(data + name)
	require.NoError(t, err)
	return string(text)
}

var diffArgs = []string{"diff", "--from", "old/deploy", "-f", "new/deploy", "--nodes", "3"}

// TestDiff: what changes, what rolls, how long, and where bounds are touched; what stays is
// counted.
func TestDiff(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	goldens, err := filepath.Abs(data + "golden/diff")
	require.NoError(t, err)
	folders(t, map[string]string{
		"shop.yaml": fileText(t, "storefront-v1.yaml"), "echo.yaml": fileText(t, "echoserver-v1.yaml"), "web.yaml": fileText(t, "web-v1.yaml"),
	}, map[string]string{
		"shop.yaml": fileText(t, "storefront-v2.yaml"), "echo.yaml": fileText(t, "echoserver-v1.yaml"), "agent.yaml": fileText(t, "daemonset/agent-v1.yaml"),
	})
	golden(t, goldens+".txt", []byte(succeed(t, nil, diffArgs...)))
	golden(t, goldens+".json", []byte(succeed(t, nil, append(diffArgs, "-o", "json")...)))
	markdown := succeed(t, nil, append(diffArgs, "-o", "markdown")...)
	golden(t, goldens+".md", []byte(markdown))
	require.Contains(t, string(readme), "\n"+succeed(t, nil, diffArgs...)+"```\n")
	require.Equal(t, "deployment.apps/storefront\ndaemonset.apps/agent\n", succeed(t, nil, append(diffArgs, "-o", "name")...))

	var got struct {
		Changes []struct {
			Name, Result string
			Time         float64
			Bounds       []struct{ Limit, Reached int32 }
		}
		Unchanged int
		Gone      []string
	}
	require.NoError(t, json.Unmarshal([]byte(succeed(t, nil, append(diffArgs, "-o", "json")...)), &got))
	require.Equal(t, 1, got.Unchanged)
	require.Equal(t, []string{"Deployment web"}, got.Gone)
	var simulated struct{ Steps []struct{ Time float64 } }
	text := succeed(t, nil, "simulate", "--from", "old/deploy/shop.yaml", "-f", "new/deploy/shop.yaml", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(text), &simulated))
	require.Equal(t, simulated.Steps[len(simulated.Steps)-1].Time, got.Changes[0].Time, "as kplan simulate has it")
}

// TestDiffParts: each part that differs is named, and bounds that are not reached are not
// touched.
func TestDiffParts(t *testing.T) {
	echo := fileText(t, "echoserver-v1.yaml")
	for change, want := range map[[2]string]string{
		{"replicas: 6", "replicas: 5"}:        "| replicas: <code>6</code> -> <code>5</code> | will scale | 0s | 5 wanted, at most 7<br>5 available, at least 4 |",
		{"echoserver:1.9", "echoserver:1.10"}: "| image of echoserver: <code>registry.k8s.io/echoserver:1.9</code> -> <code>registry.k8s.io/echoserver:1.10</code> | will roll | 20s | 8 wanted, at most 8: touched<br>5 available, at least 5: touched |",
		{"        - name: echoserver\n", "        - name: echoserver\n          workingDir: /\n"}: "| other parts of the template | will roll |",
	} {
		after := strings.Replace(echo, change[0], change[1], 1)
		require.NotEqual(t, echo, after)
		folders(t, map[string]string{"echo.yaml": echo}, map[string]string{"echo.yaml": after})
		require.Contains(t, succeed(t, nil, append(diffArgs, "-o", "markdown")...), want)
	}
	folders(t, map[string]string{"echo.yaml": echo}, map[string]string{"echo.yaml": echo})
	require.Contains(t, succeed(t, nil, diffArgs...), "Nothing will roll.\n\nIf pods are ready 10s after they start, and gone 0s after they are deleted. 1\n  workload stays as it is.\n")

	folders(t, map[string]string{"echo.yaml": echo}, map[string]string{"echo.yaml": strings.Replace(echo, "echoserver:1.9", "echoserver:1.10", 1)})
	code, stdout, _ := run(nil, append(diffArgs, "--never-ready", "-o", "markdown")...)
	require.Equal(t, exitFailure, code)
	require.Contains(t, stdout, "| does not finish: the rollout has exceeded its progress deadline after 10m | - |")
}

// TestDiffReleases: a Rollout that has something to release is told of, and one that has not
// leaves its Deployment to itself.
func TestDiffReleases(t *testing.T) {
	v1, release := fileText(t, "echoserver-v1.yaml"), fileText(t, "rollout/echoserver.yaml")
	v2 := strings.Replace(v1, "echoserver:1.9", "echoserver:1.10", 1)
	folders(t, map[string]string{"echo.yaml": v1, "release.yaml": release}, map[string]string{"echo.yaml": v2, "release.yaml": release})
	require.Contains(t, succeed(t, nil, append(diffArgs, "-o", "markdown")...), "| Rollout <code>")
	folders(t, map[string]string{"echo.yaml": v1, "release.yaml": release}, map[string]string{"echo.yaml": v1, "release.yaml": release})
	require.Contains(t, succeed(t, nil, diffArgs...), "Nothing will roll.")
	folders(t, map[string]string{"web.yaml": good}, map[string]string{"web.yaml": good, "echo.yaml": v1, "release.yaml": release})
	require.Contains(t, succeed(t, nil, append(diffArgs, "-o", "markdown")...), "| Deployment <code>echoserver</code> | new | will start |")
}

// TestDiffHostile: nothing that a stranger writes becomes a link, a mention, HTML, or a cell.
func TestDiffHostile(t *testing.T) {
	const image = "x|y`z<script>[a](https://evil.example)@team #1 www.evil.example *b*_c_ \\u202e&amp;~d~"
	hostileText := strings.Replace(good, "image: web:1", `image: "`+strings.ReplaceAll(image, `\`, `\\`)+`\u202e"`, 1)
	require.NotEqual(t, good, hostileText)
	folders(t, map[string]string{"web.yaml": good}, map[string]string{"web.yaml": hostileText})
	text := succeed(t, nil, append(diffArgs, "-o", "markdown")...)
	requireText(t, text)
	_, row, found := strings.Cut(text, "| Deployment <code>web</code> | ")
	require.True(t, found, text)
	row, _, _ = strings.Cut(row, "\n")
	require.Equal(t, 4, strings.Count(row, "|"), "the cells of the row: %s", row)
	_, cell, _ := strings.Cut(row, " -> <code>")
	cell, _, found = strings.Cut(cell, "</code>")
	require.True(t, found)
	require.NotRegexp(t, "[|`<>\\[\\]()@*_~#&\\\\]|://|www\\.", regexp.MustCompile(`&#\d+;`).ReplaceAllString(cell, ""))
	back := regexp.MustCompile(`&#(\d+);`).ReplaceAllStringFunc(cell, func(s string) string {
		var n int
		require.NoError(t, json.Unmarshal([]byte(strings.Trim(s, "&#;")), &n))
		return string(rune(n))
	})
	require.Equal(t, image+`\u202e`, back, "people read what was written")
}

// TestDiffHostileNames: nor do keys and names of fields, of kinds that are not planned, or
// reasons.
func TestDiffHostileNames(t *testing.T) {
	const evil = `a: <script>|[x](https://evil.example)@team`
	labels := "metadata: {name: web, labels: {\"" + evil + "\": \"" + evil + "\"}, "
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet"} {
		before := workloadText(kind, "web", "x:1", "")
		after := strings.Replace(before, "metadata: {name: web", strings.TrimSuffix(labels, ", "), 1)
		after = strings.Replace(after, "  template:\n", "  \""+evil+"\": \""+evil+"\"\n  template:\n", 1)
		after = strings.Replace(after, "{name: c,", "{name: \""+evil+"\",", 1)
		for _, after := range []string{after, after + "  replicas: \"" + evil + "\"\n"} {
			_, _, rows, _, stderr := diffRows(t, before, strings.Replace(after, "---\n  replicas", "  replicas", 1))
			require.Len(t, rows, 1, stderr)
			require.Equal(t, 6, strings.Count(rows[0], "|"), rows[0])
			text := regexp.MustCompile(`&#\d+;|</?code>|<br>`).ReplaceAllString(rows[0], "")
			require.NotRegexp(t, "[<`\\[\\]()@]|://", strings.ReplaceAll(text, "->", ""), rows[0])
			require.Contains(t, rows[0], "script", "people read what was written")
		}
	}
}

// TestDiffUsage: two folders are wanted.
func TestDiffUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"must have --from FOLDER, and -f FOLDER or -k FOLDER": {"diff", "-f", "x"},
		"x: must be a type":                      {"diff", "--from", "a", "-f", "b", "x"},
		"must be text, wide, json, yaml or name": {"diff", "-o", "xml"},
	} {
		code, _, stderr := run(nil, args...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, want)
	}
}

// TestWorkflow: the workflow of the example is one, and its command does what it says.
func TestWorkflow(t *testing.T) {
	text, err := os.ReadFile("../../pull-request.yaml")
	require.NoError(t, err)
	var workflow struct {
		Name        string
		On          map[string]struct{ Paths []string }
		Permissions map[string]string
		Jobs        map[string]struct {
			RunsOn string `json:"runs-on"`
			Steps  []struct {
				Uses, Run string
				With      map[string]any
			}
		}
	}
	// GitHub reads YAML 1.2, in which on is a word.
	require.NoError(t, yaml.Unmarshal([]byte(strings.Replace(string(text), "\non:", "\n\"on\":", 1)), &workflow))
	require.Contains(t, workflow.On, "pull_request")
	require.Equal(t, map[string]string{"contents": "read"}, workflow.Permissions, "a pull request of a stranger may do nothing")
	require.Len(t, workflow.Jobs, 1)
	command := ""
	paths := map[string]bool{}
	for _, job := range workflow.Jobs {
		require.NotEmpty(t, job.RunsOn)
		for _, step := range job.Steps {
			require.True(t, (step.Uses == "") != (step.Run == ""), "a step uses something or runs something: %v", step)
			require.NotContains(t, step.Run, "${{", "what others write is never part of a script")
			if path, ok := step.With["path"].(string); ok {
				paths[path] = true
			}
			if rest, ok := strings.CutPrefix(step.Run, "kplan "); ok {
				command = rest
			}
		}
	}
	command, _, found := strings.Cut(command, " >> ")
	require.True(t, found)
	require.Equal(t, map[string]bool{"old": true, "new": true}, paths)
	folders(t, map[string]string{"web.yaml": good}, map[string]string{"web.yaml": strings.Replace(good, "image: web:1", "image: web:2", 1)})
	require.Contains(t, succeed(t, nil, strings.Fields(command)...), "**kplan:** 1 Deployment: 1 will roll.\n")
}
