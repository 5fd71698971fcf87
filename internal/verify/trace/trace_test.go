// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// eval knows two commands: show prints the arguments, upper the input.
func eval(cmd Command) string {
	switch cmd.Name {
	case "show":
		lines := []string{"name " + cmd.Name, "positional " + strings.Join(cmd.Positional, " ")}
		for _, key := range slices.Sorted(maps.Keys(cmd.Args)) {
			lines = append(lines, key+" "+strings.Join(cmd.Args[key], " "))
		}
		return strings.Join(lines, "\n")
	case "upper":
		return strings.ToUpper(cmd.Input)
	}
	return "unknown command"
}

func TestRun(t *testing.T) {
	calls := 0
	Run(t, "testdata/*.txt", func(t *testing.T, cmd Command) string {
		calls++
		require.True(t, strings.HasPrefix(cmd.Pos, "example.txt:"), cmd.Pos)
		return eval(cmd)
	})
	require.Equal(t, 4, calls)
}

func TestRewrite(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.txt")
	require.NoError(t, os.WriteFile(name, []byte("# first\nupper\nabc\n----\nwrong\n"), 0o666))
	t.Setenv(Variable, "1")
	Run(t, name, func(_ *testing.T, cmd Command) string { return eval(cmd) })
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "# first\nupper\nabc\n----\nABC\n\n", string(text))
	t.Setenv(Variable, "")
	Run(t, name, func(_ *testing.T, cmd Command) string { return eval(cmd) })
}

// A wrong output is reported with its place, and rewritten.
func TestReplayFails(t *testing.T) {
	const file = "# c\n\nupper\nabc\n----\nABD\n\nupper\nx\n----\nX\n"
	rewritten, failures := Replay("f.txt", file, eval)
	require.Equal(t, []string{"f.txt:3: upper\nwant:\nABD\n\ngot:\nABC\n"}, failures)
	require.Equal(t, "# c\n\nupper\nabc\n----\nABC\n\nupper\nx\n----\nX\n\n", rewritten)
	again, failures := Replay("f.txt", rewritten, eval)
	require.Empty(t, failures)
	require.Equal(t, rewritten, again)
}

func TestReplayDetails(t *testing.T) {
	for _, c := range []struct {
		why, file string
		got       string // result of eval
		fails     bool
	}{
		{"nothing at all", "", "", false},
		{"only comments", "# a\n\n# b", "", false},
		{"no output is wanted and none given", "x\n----\n", "", false},
		{"a missing newline is added", "x\n----\na\n", "a", false},
		{"the file may lack its last newline", "x\n----\na", "a\n", false},
		{"so may the rule at the end", "x\n----\n----\na\n\n----\n----", "a\n\n", false},
		{"a blank line is not no line", "x\n----\n", "\n", true},
		{"output may be missing", "x\n----\na\nb\n", "a", true},
		{"output may be too much", "x\n----\na\n", "a\nb", true},
		{"output may be a rule", "x\n----\n\\----\n", "----\n", false},
		{"or look like one that is escaped", "x\n----\n\\\\----\n", "\\----\n", false},
		{"output may begin with a blank line", "x\n----\n----\n\na\n----\n----\n", "\na\n", false},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, failures := Replay("f.txt", c.file, func(Command) string { return c.got })
			require.Equal(t, c.fails, len(failures) > 0, "%v", failures)
		})
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ why, file, want string }{
		{"a command needs a rule", "# c\nx\nabc\n", "f.txt:2: want a command and ----"},
		{"a rule needs a command", "----\na\n", "f.txt:1: want a command and ----"},
		{"parentheses must close", "x a=(b\n----\n", "f.txt:1: a parenthesis is not closed"},
		{"and open", "x a=b)\n----\n", "f.txt:1: a parenthesis is closed that is not open"},
		{"a long output must end", "x\n----\n----\na\n----\n", "f.txt:1: no two lines of ---- behind the output"},
	} {
		_, failures := Replay("f.txt", c.file, eval)
		require.Equal(t, []string{c.want}, failures, c.why)
	}
}

func TestArguments(t *testing.T) {
	blocks, _, err := parse("f.txt", "scale web a=1 a=2 b=(x, y z) c= d=() (p, q)\n----\n")
	require.NoError(t, err)
	require.Len(t, blocks, 1)
	require.Equal(t, Command{
		Name: "scale", Positional: []string{"web", "(p, q)"}, Pos: "f.txt:1",
		Args: map[string][]string{"a": {"1", "2"}, "b": {"x", "y z"}, "c": {""}, "d": {""}},
	}, blocks[0].Command)
}

// The lines of an input may be commands themselves.
func TestLines(t *testing.T) {
	blocks, _, err := parse("f.txt", "node a b=c\n# why\n\nrun for=(1,2)\n----\n")
	require.NoError(t, err)
	commands, err := blocks[0].Lines()
	require.NoError(t, err)
	require.Equal(t, []Command{
		{Name: "node", Positional: []string{"a"}, Args: map[string][]string{"b": {"c"}}, Pos: "f.txt:1"},
		{Name: "run", Args: map[string][]string{"for": {"1", "2"}}, Pos: "f.txt:1"},
	}, commands)
	_, err = Command{Name: "x", Input: "y (\n", Pos: "f.txt:7"}.Lines()
	require.EqualError(t, err, "f.txt:7: a parenthesis is not closed")
}

// Property: a rewritten file gives the same output when it is read.
func TestRewriteSettles(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "a", "----", `\----`, "# b", "x y=z", " "})
	rapid.Check(t, func(t *rapid.T) {
		outputs := rapid.SliceOfN(rapid.SliceOfN(line, 0, 4), 1, 3).Draw(t, "outputs")
		file := ""
		for i := range outputs {
			file += fmt.Sprintf("# %d\nx %d\n----\n\n", i, i)
		}
		n := 0
		next := func(Command) string { n++; return strings.Join(outputs[(n-1)%len(outputs)], "\n") }
		rewritten, _ := Replay("f.txt", file, next)
		n = 0
		again, failures := Replay("f.txt", rewritten, next)
		if len(failures) > 0 || again != rewritten || n != len(outputs) {
			t.Fatalf("%d calls, %v\n%s", n, failures, rewritten)
		}
	})
}
