//go:build unix

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An operator counts as covered if and only if it ran. The test package is measured
// by the real go command.
func TestWiden(t *testing.T) {
	const root = "testdata/widen"
	profile := filepath.Join(t.TempDir(), "coverage")
	cmd := exec.Command("go", "test", "-covermode=count", "-coverprofile="+profile, ".")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	require.NotEmpty(t, wrong(t, root, profile), "if Go has learned it, widen can go")
	require.NoError(t, widenFile(profile, root))
	require.Empty(t, wrong(t, root, profile))
}

// wrong returns the lines of operators that the profile and the marks of the source
// disagree on.
func wrong(t *testing.T, root, profile string) (lines []string) {
	source, err := os.ReadFile(filepath.Join(root, "widen.go"))
	require.NoError(t, err)
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	var blocks []block
	for line := range strings.Lines(string(text)) {
		if _, rest, found := strings.Cut(line, ".go:"); found {
			b, err := parseBlock(rest)
			require.NoError(t, err)
			blocks = append(blocks, b)
		}
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, 0)
	require.NoError(t, err)
	operators := 0
	check := func(pos token.Pos) {
		operators++
		at := fset.Position(pos)
		covered := false
		for _, b := range blocks {
			covered = covered || b.count > 0 && b.contains(at)
		}
		line := strings.Split(string(source), "\n")[at.Line-1]
		if covered == strings.HasSuffix(line, "// never") {
			lines = append(lines, line)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			check(n.OpPos)
		case *ast.IncDecStmt:
			check(n.TokPos)
		}
		return true
	})
	require.Greater(t, operators, 30)
	return lines
}
