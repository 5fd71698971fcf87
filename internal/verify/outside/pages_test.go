// SPDX-License-Identifier: Apache-2.0

package outside_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// shown matches the first example of a page: a whole file of Go, and after it the output.
var shown = regexp.MustCompile("(?s)```go\n(package .*?)```\n.*?```\n(.*?)```\n")

// page writes the file that a page shows into a module, and returns the output that the page shows.
func page(t *testing.T, page, folder, file string) (printed string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../..", page))
	require.NoError(t, err)
	found := shown.FindSubmatch(text)
	require.NotNil(t, found, "%s shows no program", page)
	require.NoError(t, os.WriteFile(filepath.Join(folder, file), found[1], 0o644))
	return string(found[2])
}

// TestProgram: the world that the page of rollout/sim begins with, as it is written there.
func TestProgram(t *testing.T) {
	folder, environment := module(t, "world")
	want := page(t, "rollout/sim/README.md", folder, "main.go")
	for _, args := range [][]string{{"vet", "."}, {"run", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env, cmd.Stderr = folder, environment, os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err)
		if args[0] == "run" {
			require.Equal(t, want, string(out))
		}
	}
}

// TestMistake: the planner that the page of deploytest shows is told its mistake.
func TestMistake(t *testing.T) {
	folder, environment := module(t, "planner")
	want := page(t, "deploy/deploytest/README.md", folder, "planner_test.go")
	cmd := exec.Command("go", "test", ".", "-args", "-rapid.seed=1", "-rapid.nofailfile")
	cmd.Dir, cmd.Env = folder, environment
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), want)
}
