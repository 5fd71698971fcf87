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
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writers are the planners that decide before they write, and the files that make their
// plans. A plan is a value of the type Plan; nothing else gives one its fields.
var writers = map[string][]string{
	"daemonset":            {"write.go"},
	"deploy":               {"write.go"},
	"replicaset":           {"write.go"},
	"rollout/argo":         {"write.go"},
	"rollout/batchrelease": {"write.go"},
	"rollout/kruise":       {"write.go"},
}

// TestPhases: outside of the files that write, no function changes a plan or makes one
// that is not empty; and no function that answers, with a bool or numbers, changes what it
// was given.
func TestPhases(t *testing.T) {
	_, exports := packagesOf(t)
	for pkg, files := range writers {
		t.Run(pkg, func(t *testing.T) {
			for _, found := range phases(load(t, filepath.Join("..", "..", pkg), exports), files) {
				t.Error(found)
			}
		})
	}
}

// A checked is a package with its types.
type checked struct {
	files []*ast.File
	fset  *token.FileSet
	info  *types.Info
}

func load(t *testing.T, folder string, exports map[string]string) checked {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	c := checked{fset: token.NewFileSet()}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(c.fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		c.files = append(c.files, file)
	}
	return c.check(t, importer.ForCompiler(c.fset, "gc", func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) }))
}

func (c checked) check(t *testing.T, imports types.Importer) checked {
	c.info = &types.Info{
		Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	config := types.Config{Importer: imports}
	_, err := config.Check("checked", c.fset, c.files, c.info)
	require.NoError(t, err)
	return c
}

// phases returns where a package does not keep its phases.
func phases(c checked, writers []string) (found []string) {
	for _, file := range c.files {
		writes := slices.Contains(writers, filepath.Base(c.fset.Position(file.Pos()).Filename))
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			add := func(at token.Pos, what string) {
				p := c.fset.Position(at)
				found = append(found, filepath.Base(p.Filename)+": "+f.Name.Name+" "+what)
			}
			given := c.given(f)
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && !writes && len(lit.Elts) > 0 && isPlan(c.info.TypeOf(lit)) {
					add(lit.Pos(), "makes a plan")
				}
				for _, x := range targets(n) {
					if !writes && c.inPlan(x) {
						add(x.Pos(), "changes a plan")
					}
					if given != nil && c.reaches(x, given) {
						add(x.Pos(), "answers, and changes what it was given")
					}
				}
				return true
			})
		}
	}
	return found
}

// targets returns what a node may write to: the left sides of assignments, and what an
// address is taken of.
func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return slices.DeleteFunc([]ast.Expr{n.Key, n.Value}, func(x ast.Expr) bool { return x == nil })
		}
	case *ast.CallExpr:
		if name, ok := n.Fun.(*ast.Ident); ok && (name.Name == "delete" || name.Name == "clear" || name.Name == "copy") {
			return n.Args[:1]
		}
	}
	return nil
}

// isPlan reports whether a type is Plan of the package, or a pointer to it.
func isPlan(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == "Plan" && named.Obj().Pkg().Path() == "checked"
}

// inPlan reports whether an expression is part of a plan.
func (c checked) inPlan(x ast.Expr) bool {
	for {
		switch e := x.(type) {
		case *ast.SelectorExpr:
			if isPlan(c.info.TypeOf(e.X)) {
				return true
			}
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			if isPlan(c.info.TypeOf(e)) {
				return true
			}
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return false
		}
	}
}

// given returns the receiver and the parameters of a function that only answers: all its
// results are bools or numbers. It is nil for others.
func (c checked) given(f *ast.FuncDecl) map[types.Object]bool {
	if f.Type.Results == nil {
		return nil
	}
	for _, r := range f.Type.Results.List {
		basic, ok := c.info.TypeOf(r.Type).Underlying().(*types.Basic)
		if !ok || basic.Info()&(types.IsBoolean|types.IsNumeric) == 0 {
			return nil
		}
	}
	given := map[types.Object]bool{}
	for _, list := range []*ast.FieldList{f.Recv, f.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				given[c.info.Defs[name]] = true
			}
		}
	}
	return given
}

// reaches reports whether an expression is behind a pointer, a slice or a map that was given.
func (c checked) reaches(x ast.Expr, given map[types.Object]bool) bool {
	behind := false
	for {
		switch e := x.(type) {
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			behind, x = true, e.X
		case *ast.StarExpr:
			behind, x = true, e.X
		case *ast.ParenExpr:
			x = e.X
		case *ast.Ident:
			_, isMap := c.info.TypeOf(e).Underlying().(*types.Map)
			return given[c.info.Uses[e]] && (behind || isMap)
		default:
			return false
		}
		_, pointer := c.info.TypeOf(x).(*types.Pointer)
		behind = behind || pointer
	}
}

// TestPhasesFail plants what the phases forbid.
func TestPhasesFail(t *testing.T) {
	source := `package p
type Action int
type Plan struct { Actions []Action; Holds map[string]int; Status struct{ N int } }
type state struct { plan Plan; n int; sets []int }
func (s *state) act(a Action)       { s.plan.Actions = append(s.plan.Actions, a) }
func (s *state) first(a Action)     { s.plan.Actions[0] = a }
func (s *state) report()            { s.plan.Status.N++ }
func (s *state) forget()            { delete(s.plan.Holds, "") }
func whole() Plan                   { return Plan{Actions: []Action{1}} }
func reset(p *Plan)                 { *p = Plan{} }
func (s *state) full() bool         { s.n++; return s.n > 3 }
func (s *state) take() (int, bool)  { s.sets[0] = 1; return 1, true }
func sum(list []int) (n int)        { list[0] = 2; return n }
`
	harmless := `package p
func empty() Plan                   { return Plan{} }
func (s *state) read() (n int)      { n = len(s.plan.Actions); return n }
func (s state) copied() int         { s.n = 3; return s.n }
func (s *state) change()            { s.n = 3 }
func (s *state) list() []int        { s.n = 3; return nil }
`
	plant := func(names ...string) (found []string) {
		c := checked{fset: token.NewFileSet()}
		for i, text := range []string{source, harmless} {
			file, err := parser.ParseFile(c.fset, []string{"plant.go", "harmless.go"}[i], text, parser.SkipObjectResolution)
			require.NoError(t, err)
			c.files = append(c.files, file)
		}
		return phases(c.check(t, nil), names)
	}
	answers := []string{
		"plant.go: full answers, and changes what it was given", "plant.go: take answers, and changes what it was given",
		"plant.go: sum answers, and changes what it was given",
	}
	require.Equal(t, append([]string{
		"plant.go: act changes a plan", "plant.go: first changes a plan", "plant.go: report changes a plan",
		"plant.go: forget changes a plan", "plant.go: whole makes a plan", "plant.go: reset changes a plan",
	}, answers...), plant())
	require.Equal(t, answers, plant("plant.go"), "the one that writes may")
}
