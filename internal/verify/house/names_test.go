// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// most is the largest number of lines of go doc for a package: a reader should be able to remember
// them.
const most = 100

// mostForTests is how many for a package that tests import.
const mostForTests = 40

// mostNames is the largest number of exported names of a package, including constants.
const mostNames = 100

// mostOf is the largest number of exported names of packages that users read as a whole: packages
// for tests, and the simulator.
var mostOf = map[string]int{
	"daemonset/daemonsettest": 40, "deploy/deploytest": 40, "rollout/plantest": 40, "podorder/podordertest": 40, "replicaset/replicasettest": 40,
	"rollout/rollouttest": 40, "rollout/sim": 60, "rollout/sim/cluster": 40, "rollout/sim/record": 20, "rollout/sim/scheduler": 40, "selector/selectortest": 40,
}

// TestDeclaredNames counts the exported names of each package, including constants. Methods and
// fields are found with their types, as go doc shows them.
func TestDeclaredNames(t *testing.T) {
	names := map[string]map[string]bool{}
	for _, f := range tree(t, true) {
		if isForUsers(f) || adapters[f.pkg()] != nil && !f.isTest() {
			if names[f.pkg()] == nil {
				names[f.pkg()] = map[string]bool{}
			}
			for _, d := range f.tree.Decls {
				declared(d, names[f.pkg()])
			}
		}
	}
	require.Greater(t, len(names), 50)
	for pkg, declared := range names {
		maps.DeleteFunc(declared, func(name string, _ bool) bool { return !ast.IsExported(name) })
		most, ok := mostOf[pkg]
		if !ok {
			most = mostNames
		}
		t.Logf("%s: %d", pkg, len(declared))
		require.LessOrEqual(t, len(declared), most, pkg)
	}
	for _, pkg := range append(slices.Collect(maps.Keys(mostOf)), "kube", "kube/argo", "kube/kruise") {
		require.NotEmpty(t, names[pkg], pkg)
	}
}

// adapters lists the packages of ours that each package of the module kube may import. The ones
// that are not below internal are imported by users.
var adapters = map[string][]string{
	"kube":                   {"daemonset", "daemonset/inplace", "deploy", "kube/internal/convert", "kube/internal/defaults", "kube/internal/valid", "podorder", "replicaset", "revision", "rollout", "rollout/partition", "rollout/sim/cluster", "rollout/sim/scheduler", "rollout/traffic", "rollout/workload", "selector", "selector/claim"},
	"kube/argo":              {"deploy", "kube", "kube/internal/convert", "kube/internal/valid", "replicaset", "revision", "rollout", "rollout/argo", "rollout/sim/cluster", "rollout/traffic"},
	"kube/kruise":            {"daemonset", "daemonset/inplace", "deploy", "kube", "kube/internal/convert", "revision", "rollout", "rollout/batchrelease", "rollout/kruise", "rollout/partition", "rollout/sim/cluster", "rollout/traffic", "rollout/workload"},
	"kube/internal/convert":  {"rollout"},
	"kube/internal/valid":    {},
	"kube/internal/apitest":  {"kube", "rollout"},
	"kube/internal/defaults": {},
}

// larger are packages that need more lines, and how many. A number may only shrink.
var larger = map[string]int{}

// documented returns how many lines the short documentation of a package has: one for each
// function and type, and one for each group of constants without a type of the package.
func documented(t *testing.T, folder string) int {
	t.Helper()
	cmd := exec.Command("go", "doc", "-short", ".")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", folder, out)
	return strings.Count(string(out), "\n")
}

// No package that users import has more names than a person can hold in the head.
func TestNames(t *testing.T) {
	seen := 0
	for _, pkg := range slices.AppendSeq(slices.Collect(maps.Keys(adapters)), maps.Keys(imports)) {
		if strings.Contains("/"+pkg, "/internal/") {
			continue
		}
		seen++
		n, limit := documented(t, root+"/"+pkg), max(most, larger[pkg])
		require.Positive(t, n, pkg)
		if n > limit {
			t.Errorf("%s has %d lines of go doc -short, more than %d", pkg, n, limit)
		}
		if l, ok := larger[pkg]; ok && n < l {
			t.Errorf("%s has %d lines only: lower its limit of %d", pkg, n, l)
		}
	}
	require.Greater(t, seen, 10)
	for pkg := range forTests {
		n := documented(t, root+"/"+pkg)
		require.Positive(t, n, pkg)
		require.LessOrEqual(t, n, mostForTests, pkg)
	}
}

// The packages of the module kube import only the packages in the table.
func TestAdapterImports(t *testing.T) {
	used := map[string]map[string]bool{}
	for _, f := range tree(t, true) {
		if !strings.HasPrefix(f.path, "kube/") || f.isTest() {
			continue
		}
		allowed, known := adapters[f.pkg()]
		require.True(t, known, "%s is not in the table", f.pkg())
		for _, spec := range f.tree.Imports {
			name, own := ours(importPath(spec))
			if !own || name == "." { // the root; kube has pointers to values from k8s.io/utils
				continue
			}
			if !slices.Contains(allowed, name) {
				t.Error(f.at(spec.Pos(), "%s must not import %s", f.pkg(), name))
			}
			if used[f.pkg()] == nil {
				used[f.pkg()] = map[string]bool{}
			}
			used[f.pkg()][name] = true
		}
	}
	for pkg, allowed := range adapters {
		require.ElementsMatch(t, allowed, slices.Collect(maps.Keys(used[pkg])), "what %s imports", pkg)
	}
}
