// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/trace"
)

// eval returns a function that runs the blocks of one file.
func eval(planners Planners) func(trace.Command) string {
	c := New(planners)
	return func(cmd trace.Command) (out string) {
		defer func() { // planted bugs may name objects that are not there
			if r := recover(); r != nil {
				out = "panic\n"
			}
		}()
		if cmd.Name == "inapplicable" {
			return ""
		}
		return c.Eval(cmd)
	}
}

// inapplicable reports whether a file says why its check cannot be run, instead of
// running it.
func inapplicable(text string) bool {
	return strings.Contains("\n"+text, "\ninapplicable\n")
}

func files(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/*.trace")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts[filepath.Base(name)] = string(text)
	}
	return texts
}

// TestScenarios replays all files, and counts them: 22 of the conformance suite, 9
// other end-to-end tests, and 43 integration tests.
func TestScenarios(t *testing.T) {
	cases := map[*testing.T]func(trace.Command) string{}
	trace.Run(t, "testdata/*.trace", func(t *testing.T, cmd trace.Command) string {
		if cases[t] == nil {
			cases[t] = eval(Ours())
		}
		return cases[t](cmd)
	})
	ran, groups := 0, map[string]int{}
	var not []string
	for name, text := range files(t) {
		group, _, _ := strings.Cut(name, "-")
		groups[group]++
		if inapplicable(text) {
			not = append(not, name)
			require.Equal(t, 1, strings.Count(text, "\n----\n"), "%s: a reason and nothing else", name)
			require.Regexp(t, `\ninapplicable\n(?s:[^\n].{60,})\n----\n+$`, text, "%s: no reason", name)
			continue
		}
		ran++
		require.Contains(t, text, "\nrun", "%s runs nothing", name)
		require.Regexp(t, `(?m)\n----\n[^\n]`, text, "%s expects nothing", name)
	}
	slices.Sort(not)
	t.Logf("%d scenarios ran, %d are not applicable: %s", ran, len(not), strings.Join(not, " "))
	require.Equal(t, map[string]int{"conformance": 22, "e2e": 9, "integration": 43}, groups)
	require.GreaterOrEqual(t, ran, 64)
}

// TestExpectationsCanFail: each line of each expected output matters.
func TestExpectationsCanFail(t *testing.T) {
	lines := 0
	for name, text := range files(t) {
		outputs := map[string]string{} // of the blocks, by position
		run := eval(Ours())
		_, failures := trace.Replay(name, text, func(cmd trace.Command) string {
			outputs[cmd.Pos] = run(cmd)
			return outputs[cmd.Pos]
		})
		require.Empty(t, failures)
		expecting := false
		all := strings.SplitAfter(text, "\n")
		for i, line := range all {
			switch {
			case line == "----\n":
				expecting = true
			case line == "\n":
				expecting = false
			case expecting:
				lines++
				altered := strings.Join(all[:i], "") + "x" + strings.Join(all[i:], "")
				_, failures := trace.Replay(name, altered, func(cmd trace.Command) string { return outputs[cmd.Pos] })
				require.Len(t, failures, 1, "%s:%d", name, i+1)
			}
		}
	}
	t.Logf("%d lines of expected output", lines)
}

// TestScenariosNoticeBugs: each planted bug fails some scenario, and each scenario
// fails with some planted bug.
func TestScenariosNoticeBugs(t *testing.T) {
	noticed := map[string]int{} // plants, by scenario
	for plant, planners := range plants() {
		scenarios := 0
		for name, text := range files(t) {
			if inapplicable(text) {
				continue
			}
			noticed[name] += 0
			if _, failures := trace.Replay(name, text, eval(planners)); len(failures) > 0 {
				noticed[name]++
				scenarios++
			}
		}
		require.Positive(t, scenarios, "nothing notices that %s", plant)
		t.Logf("%d scenarios notice that %s", scenarios, plant)
	}
	for name, plants := range noticed {
		require.Positive(t, plants, "%s notices no bug", name)
	}
}

// TestSteps: a step that means nothing is not passed over.
func TestSteps(t *testing.T) {
	for step, want := range map[string]string{
		"dance":                         "error: dance: no name\n",
		"dance web":                     "error: dance: web: unknown step\n",
		"deployment web size=3":         "error: deployment: web: unknown key size\n",
		"deployment web replicas=x":     `error: deployment: web: replicas: strconv.ParseInt: parsing "x": invalid syntax` + "\n",
		"deployment web replicas=(1,2)": "error: deployment: web: replicas: 2 values\n",
		"deployment web labels=x":       "error: deployment: web: labels: x is no pair\n",
		"delete pod p":                  "error: delete: p is not there\n",
		"delete house h":                "error: delete: unknown kind house\n",
		"show":                          "error: show: no kind\n",
		"show houses":                   "error: show: unknown kind houses\n",
		"show pods p":                   "none\n",
		"gone p":                        "error: gone: p: p is not there\n",
		"undo house h":                  "error: undo: unknown kind house\n",
		"run for=soon":                  `error: run: for: time: invalid duration "soon"` + "\n",
		"revision r data=v1":            "error: revision: r: 0 daemon sets\n",
	} {
		_, failures := trace.Replay("f", step+"\n----\n"+want, eval(Ours()))
		require.Empty(t, failures)
	}
}
