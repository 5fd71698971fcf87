// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxCycle is the largest number of files whose references may form a cycle: larger cycles cannot
// be read one file after another.
const maxCycle = 5

// longer are packages with a longer cycle, and how long it is. A number may only shrink. Each filter of
// the scheduler keeps its counts in the one type Nodes.
var longer = map[string]int{"rollout/sim/scheduler": 8}

// TestCycles: a file leads to few others that lead back to it.
func TestCycles(t *testing.T) {
	packages, exports := packagesOf(t)
	checkCycles(t, packages, exports)
}

// TestCyclesOfModules is TestCycles for modules that are no part of the workspace, which
// KPLAN_MODULES names: to list their packages is to compile Kubernetes and more.
func TestCyclesOfModules(t *testing.T) {
	modules := strings.Fields(os.Getenv("KPLAN_MODULES"))
	if len(modules) == 0 {
		t.Skip("KPLAN_MODULES names no modules")
	}
	for _, module := range modules {
		packages, exports := compiled(t, filepath.Join("..", "..", "..", module), "./...")
		for pkg := range packages {
			if pkg != module && !strings.HasPrefix(pkg, module+"/") {
				delete(packages, pkg) // the module imports it
			}
		}
		require.NotEmpty(t, packages)
		checkCycles(t, packages, exports)
	}
}

func checkCycles(t *testing.T, packages map[string][]string, exports map[string]string) {
	for pkg, files := range packages {
		t.Run(pkg, func(t *testing.T) {
			longest := longestCycle(references(t, files, exports))
			require.LessOrEqual(t, len(longest), max(maxCycle, longer[pkg]), "%s: %s", pkg, longest)
		})
	}
}

// packagesOf returns the files of each package of the workspace, and where the types of all
// packages are that they import.
func packagesOf(t *testing.T) (packages map[string][]string, exports map[string]string) {
	return compiled(t, filepath.Join("..", "..", ".."),
		"./...", "./kube/...", "./examples/kplan/...", "./examples/controller/...", "./examples/fleet/...")
}

// compiled is packagesOf for patterns in the folder of a module or of a workspace.
func compiled(t *testing.T, folder string, patterns ...string) (packages map[string][]string, exports map[string]string) {
	const ours = "github.com/kplan-go/kplan/"
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", `{{.ImportPath}}	{{.Export}}	{{range .GoFiles}}{{$.Dir}}/{{.}} {{end}}`}, patterns...)...)
	cmd.Dir = folder
	if _, err := os.Stat(filepath.Join(folder, "go.work")); err != nil { // that above does not have it
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	packages, exports = map[string][]string{}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[part[0]] = part[1]
		if pkg, own := strings.CutPrefix(part[0], ours); own {
			packages[pkg] = strings.Fields(part[2])
		}
	}
	return packages, exports
}

// references returns the other files of a package to which each file refers: to their declarations,
// and to methods.
func references(t *testing.T, names []string, exports map[string]string) map[string][]string {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", func(name string) (io.ReadCloser, error) {
		return os.Open(exports[name])
	})}
	pkg, err := config.Check("p", fset, files, info)
	require.NoError(t, err)

	file := func(at token.Pos) string { return filepath.Base(fset.Position(at).Filename) }
	graph := map[string][]string{}
	for name, object := range info.Uses {
		from, to := file(name.Pos()), ""
		if f, ok := object.(*types.Func); ok {
			object = f.Origin()
		}
		switch f, isFunc := object.(*types.Func); {
		case object.Pkg() != pkg:
		case object.Parent() == pkg.Scope(), isFunc && f.Signature().Recv() != nil:
			to = file(object.Pos())
		}
		if to != "" && to != from && !slices.Contains(graph[from], to) {
			graph[from] = append(graph[from], to)
		}
	}
	return graph
}

// longestCycle returns the largest set of files each of which leads to all others
// (Tarjan's strongly connected components).
func longestCycle(graph map[string][]string) (longest []string) {
	index, low := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		for _, w := range graph[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if slices.Contains(stack, w) {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] < index[v] {
			return
		}
		at := slices.Index(stack, v)
		if part := stack[at:]; len(part) > max(1, len(longest)) {
			longest = slices.Sorted(slices.Values(part))
		}
		stack = stack[:at]
	}
	for v := range graph {
		if index[v] == 0 {
			visit(v)
		}
	}
	return longest
}

func TestLongestCycle(t *testing.T) {
	require.Empty(t, longestCycle(map[string][]string{"a": {"b", "c"}, "b": {"c"}}))
	require.Equal(t, []string{"a", "b", "c"}, longestCycle(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}))
}
