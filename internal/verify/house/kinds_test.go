// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// workloadKinds are the kinds that a progressive rollout drives.
var workloadKinds = []string{"Deployment", "StatefulSet", "DaemonSet", "CloneSet"}

// kindTables are the files with tables of kinds or drivers.
var kindTables = []string{"rollout/workload/kind.go", "rollout/workload/driver.go", "rollout/batchrelease/kind.go"}

// asksForKind returns where a file compares with a kind or a driver of a workload, switches
// over them, or lists them: whoever adds a kind would have to find these places.
func asksForKind(t *testing.T, name, text string) []string {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, 0)
	require.NoError(t, err)
	var places []string
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if namesKind(e) {
				places = append(places, set.Position(e.Pos()).String())
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				add(n.X, n.Y)
			}
		case *ast.CaseClause:
			add(n.List...)
		case *ast.CompositeLit:
			for _, e := range n.Elts { // of a map the key, of a list the element, of a struct neither
				switch pair, ok := e.(*ast.KeyValueExpr); {
				case !ok:
					add(e)
				case ok && isMap(n):
					add(pair.Key)
				}
			}
		case *ast.CallExpr:
			if called(n) == "EqualFold" {
				add(n.Args...)
			}
		}
		return true
	})
	return places
}

func isMap(n *ast.CompositeLit) bool {
	_, ok := n.Type.(*ast.MapType)
	return ok
}

func called(n *ast.CallExpr) string {
	if s, ok := n.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// namesKind reports whether an expression is the name of a kind, with or without its group,
// or of a driver.
func namesKind(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING && slices.Contains(workloadKinds, path.Base(strings.Trim(e.Value, "\"`")))
	case *ast.SelectorExpr:
		return isDriver(e.Sel.Name)
	case *ast.Ident:
		return isDriver(e.Name)
	}
	return false
}

// isDriver: package workload has constants such as DriverCloneSet and kindCloneSet.
func isDriver(name string) bool {
	rest, ok := strings.CutPrefix(name, "Driver")
	if !ok {
		rest, ok = strings.CutPrefix(name, "kind")
	}
	return ok && rest != "" && rest[0] <= 'Z'
}

// TestKindsHaveOneFile: what differs from kind to kind of workload is in the file of the
// kind, and nothing below rollout asks for the kind but the tables.
func TestKindsHaveOneFile(t *testing.T) {
	seen, tables := 0, 0
	for _, f := range tree(t, false) {
		if !strings.HasPrefix(f.path, "rollout/") || strings.HasPrefix(f.path, "rollout/sim/internal/") || strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		seen++
		places := asksForKind(t, f.path, f.text)
		if slices.Contains(kindTables, filepath.ToSlash(f.path)) {
			tables++
			require.NotEmpty(t, places, "%s is no table: nothing is to be left out for it", f.path)
			continue
		}
		for _, p := range places {
			t.Errorf("%s asks for the kind of a workload: make it a method of the kind, see workload.Traits", p)
		}
	}
	require.Greater(t, seen, 50)
	require.Equal(t, len(kindTables), tables)
}

// Each way to ask for a kind is found, and what only names one is not.
func TestAskingForAKindIsFound(t *testing.T) {
	for body, want := range map[string]int{
		`_ = r.Kind == "Deployment"`:                                       1,
		`_ = d != workload.DriverCanary`:                                   1,
		`switch r.Kind { case "CloneSet", "StatefulSet": }`:                2,
		`switch d { case DriverCloneSet: }`:                                1,
		`_ = slices.Contains([]string{"DaemonSet", "ReplicaSet"}, r.Kind)`: 1,
		`_ = map[workload.Driver]bool{workload.DriverDaemonSet: true}`:     1,
		`_ = strings.EqualFold(r.Kind, "Deployment")`:                      1,
		`_ = r.GroupKind() == "apps/Deployment"`:                           1,
		`_ = WatchKey{Kind: "Deployment"}`:                                 0,
		`_ = b.Kind == "Service"`:                                          0,
		`_ = workload.DriverOf(ref, style)`:                                0,
		`_ = strings.EqualFold(labels["workload-type"], "statefulset")`:    0,
	} {
		require.Len(t, asksForKind(t, "x.go", "package x\nfunc f() { "+body+" }"), want, body)
	}
}
