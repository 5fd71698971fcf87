// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// invalid stands for a byte that is no UTF-8, which only arguments can have: files with one are
// refused.
const invalid = "@@INVALID@@"

// hostile is what a stranger may put into a field: it clears the screen, moves the cursor,
// sets the title, writes from right to left, is not seen, and begins lines of its own.
const hostile = "\x1b]0;pwned\a\x1b[2J\x1b[31m\r\nFORGED a\nFORGED b\n\n\tc\v\f\b\x00\x7f\u009b1A\u0085FORGED d" +
	"\u202ee\u2066\u2069\u200e\u200f\u200b\u200d\u2060\ufeff\u2028FORGED f\u2029FORGED g\u3164\ufe0f\U000e0041" + invalid

// requireText fails if a text holds more than visible characters and the line breaks of
// the program.
func requireText(t *testing.T, text string, what ...any) {
	t.Helper()
	require.True(t, utf8.ValidString(text), "%q %v", text, what)
	ignored := []*unicode.RangeTable{unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector}
	for line := range strings.SplitSeq(text, "\n") {
		require.False(t, strings.HasPrefix(line, "FORGED"), "%q %v", text, what)
		for _, r := range line {
			require.False(t, unicode.In(r, ignored...), "%q in %q %v", r, line, what)
		}
	}
}

// textCommands are all that write text about what is in the input.
var textCommands = []string{
	"plan", "explain", "simulate --never-ready --time-limit 10m", "simulate --try maxSurge=1", "history", "history --full", "history --revision 1", "undo", "order --count 1", "explain -o yaml", "plan -o name",
}

// formatCommands write it for other tools, in files that text alone may be in.
var formatCommands = []string{
	"simulate -o csv --never-ready --time-limit 10m", "simulate --trace - --time-limit 10m", "simulate --metrics - --scrape-every 1h --time-limit 10m",
	"simulate --mermaid - --time-limit 10m", "simulate --html - --time-limit 10m", "simulate --svg - --time-limit 10m",
}

// runText runs a command on objects and looks at what it writes.
func runText(t *testing.T, command string, objects []any, what ...any) (stdout, stderr string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
	require.NoError(t, err)
	args := append(strings.Fields(command), "-f", "-", "--now", "2026-01-02T15:04:05Z")
	_, stdout, stderr = run(text, args...)
	requireText(t, stdout, append(what, command)...)
	requireText(t, stderr, append(what, command)...)
	return stdout, stderr
}

// itemsOf returns the objects of a file.
func itemsOf(t *testing.T, file string) []any {
	t.Helper()
	text, err := os.ReadFile(data + file)
	require.NoError(t, err)
	var items []any
	for _, document := range strings.Split(string(text), "\n---\n") {
		var list struct{ Items []any }
		require.NoError(t, yaml.Unmarshal([]byte(document), &list))
		if list.Items == nil { // it is an object by itself
			list.Items = make([]any, 1)
			require.NoError(t, yaml.Unmarshal([]byte(document), &list.Items[0]))
		}
		items = append(items, list.Items...)
	}
	require.NotEmpty(t, items)
	return items
}

// A leaf is a text within an object: a value, or a key.
type leaf struct {
	path string // with one name for all elements of a list
	set  func(text string) (undo func())
}

// leavesOf returns the texts within a value.
func leavesOf(value any, path string, set func(any)) []leaf {
	var list []leaf
	switch v := value.(type) {
	case string:
		list = append(list, leaf{path, func(text string) func() {
			set(text)
			return func() { set(v) }
		}})
	case []any:
		for i := range v {
			list = append(list, leavesOf(v[i], path+"[]", func(to any) { v[i] = to })...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inner := v[key]
			list = append(list, leaf{path + ".(key " + key + ")", func(text string) func() {
				delete(v, key)
				v[text] = inner
				return func() {
					delete(v, text)
					v[key] = inner
				}
			}})
			list = append(list, leavesOf(inner, path+"."+key, func(to any) { v[key] = to })...)
		}
	}
	return list
}

// TestHostileTexts: whichever texts of the objects a stranger chooses, names and keys
// included, what the commands and their messages write is text. Many are set at once;
// only where that is refused fewer are, down to each alone.
func TestHostileTexts(t *testing.T) {
	for _, file := range []string{"kubectl/quota.yaml", "daemonset/blocked.yaml", "rollout/traffic.yaml", "replicaset/controller.yaml"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			if raceDetector && file != "replicaset/controller.yaml" {
				t.Skip("takes minutes under the race detector, and is run without it")
			}
			objects := itemsOf(t, file)
			seen, escaped := map[string]bool{}, 0
			var values, keys []leaf
			for i, object := range objects {
				kind := fmt.Sprint(object.(map[string]any)["kind"])
				for _, l := range leavesOf(object, kind, func(to any) { objects[i] = to }) {
					switch {
					case seen[l.path]:
					case strings.Contains(l.path, "(key "):
						keys = append(keys, l)
					default:
						values = append(values, l)
					}
					seen[l.path] = true
				}
			}
			requireAll(t, objects, values, &escaped)
			for _, l := range keys { // whatever is below another key would be lost with that
				requireAll(t, objects, []leaf{l}, &escaped)
			}
			require.Greater(t, escaped, 50, "the texts do not reach the output")
		})
	}
}

// requireAll runs the commands with all leaves set or, if plan refuses that, with either
// half of them. It counts the runs whose output shows what was set.
func requireAll(t *testing.T, objects []any, leaves []leaf, escaped *int) {
	var undo []func()
	for _, l := range leaves {
		undo = append(undo, l.set(hostile))
	}
	path := leaves[0].path
	stdout, stderr := runText(t, "plan", objects, path)
	refused := stdout == ""
	commands := slices.Concat(textCommands, formatCommands)
	if refused || strings.Contains(path, "(key ") {
		commands = []string{"history --revision 1", "order"} // which look at less
	}
	if !refused || len(leaves) == 1 {
		for _, command := range commands {
			more, errs := runText(t, command, objects, path)
			stderr += more + errs
		}
	}
	if strings.Contains(stdout+stderr, `\x1b`) {
		*escaped++
	}
	for _, f := range slices.Backward(undo) {
		f()
	}
	if half := len(leaves) / 2; refused && half > 0 {
		requireAll(t, objects, leaves[:half], escaped)
		requireAll(t, objects, leaves[half:], escaped)
	}
}

// TestHostileArguments: what comes from the command line, a script or a file name is
// escaped in messages as well.
func TestHostileArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.NewReplacer(invalid, "\xff", "\x00", "").Replace(hostile)
	require.NoError(t, os.WriteFile("web.yaml", []byte(good), 0o644))
	for _, args := range [][]string{
		{text}, {"plan", text}, {"plan", "-f", text}, {"plan", "-o", text}, {"plan", "--" + text}, {"plan", "--now", text},
		{"simulate", "-f", "web.yaml", "--try", text}, {"simulate", "-f", "web.yaml", "--svg", text + "/x"},
		{"simulate", "-f", "web.yaml", "--nodes", text}, {"order", "-f", "web.yaml", "--replicaset", text}, {"help", text},
	} {
		code, stdout, stderr := run(nil, args...)
		requireText(t, stdout, args)
		requireText(t, stderr, args)
		require.NotZero(t, code+len(stderr), "%q", args)
	}
}

// TestOddRevision: a template that YAML does not take as it is hides no revision.
func TestOddRevision(t *testing.T) {
	objects := itemsOf(t, "kubectl/quota.yaml")
	for _, object := range objects {
		if o := object.(map[string]any); o["kind"] == "ReplicaSet" {
			spec := o["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
			spec["containers"].([]any)[0].(map[string]any)["image"] = "odd\u009b31m"
		}
	}
	stdout, stderr := runText(t, "history", objects)
	require.Contains(t, stdout, "REVISION", stderr)
	stdout, stderr = runText(t, "history --revision 1", objects)
	require.Contains(t, stdout, `odd\x9B31m`, stderr)
}

// TestUnknownAge: a pod without a creation time is not as old as times can be.
func TestUnknownAge(t *testing.T) {
	objects := itemsOf(t, "daemonset/blocked.yaml")
	for _, object := range objects {
		if o := object.(map[string]any); o["kind"] == "Pod" {
			delete(o["metadata"].(map[string]any), "creationTimestamp")
		}
	}
	stdout, stderr := runText(t, "explain", objects)
	require.Contains(t, stdout, " unknown ", stderr)
	require.NotContains(t, stdout, "2562047h")
}

// TestFullDisk: an answer that cannot be written is an error, whatever is asked.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("the system has no /dev/full")
	}
	defer full.Close()
	for _, command := range append([]string{"plan -o json", "history -o json", "--help", "--version", "completion bash"}, slices.Concat(textCommands, formatCommands)...) {
		args := append([]string{"kplan"}, strings.Fields(command)...)
		if !strings.HasPrefix(command, "-") && !strings.HasPrefix(command, "completion") {
			args = append(args, "-f", data+"live/history.yaml")
		}
		var stderr bytes.Buffer
		require.Equal(t, exitFailure, Execute(args, nil, full, &stderr), command)
		require.Contains(t, stderr.String(), "error: write /dev/full: no space left on device", command)
	}
}

// withoutReadyTimes returns a Deployment whose pods are ready, nobody knows since when.
func withoutReadyTimes(t *testing.T) []any {
	objects := itemsOf(t, "live/waiting.yaml")
	for _, object := range objects {
		o := object.(map[string]any)
		if o["kind"] != "Pod" {
			continue
		}
		for _, c := range o["status"].(map[string]any)["conditions"].([]any) {
			delete(c.(map[string]any), "lastTransitionTime")
		}
	}
	return objects
}

// TestCorrectedPods: --corrected reaches the planner of ReplicaSets in a simulation. A pod
// that is ready, nobody knows since when, never becomes available; upstream looks at it
// every minReadySeconds forever, the corrected planner does not.
func TestCorrectedPods(t *testing.T) {
	upstream, _ := runText(t, "simulate --time-limit 1h", withoutReadyTimes(t))
	corrected, _ := runText(t, "simulate --time-limit 1h --corrected", withoutReadyTimes(t))
	require.Contains(t, upstream, "\n1     1h    3/3 ", "they are looked at until the end")
	require.Contains(t, corrected, "\n1     10m   3/3 ", "and once, before the deadline of the rollout")
}
