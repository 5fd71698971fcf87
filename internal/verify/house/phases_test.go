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

// TestPhases: only the files that write change a plan or create one that is not empty; and no
// function that returns only bools or numbers changes its arguments.
func TestPhases(t *testing.T) {
	_, exports := packagesOf(t)
	for pkg, files := range writers {
		t.Run(pkg, func(t *testing.T) {
			for _, found := range phases(load(t, filepath.Join("..", "..", "..", pkg), exports), files) {
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
	changes := c.changes()
	c.functions(func(f *ast.FuncDecl) {
		file := filepath.Base(c.fset.Position(f.Pos()).Filename)
		add := func(what string) { found = append(found, file+": "+f.Name.Name+" "+what) }
		if !slices.Contains(writers, file) {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && len(lit.Elts) > 0 && isPlan(c.info.TypeOf(lit)) {
					add("makes a plan")
				}
				for _, x := range targets(n) {
					if c.inPlan(x) {
						add("changes a plan")
					}
				}
				return true
			})
		}
		if c.answers(f) && slices.Contains(changes[c.info.Defs[f.Name]], true) {
			add("answers, and changes what it was given")
		}
	})
	return found
}

// functions calls see with each function that has a body.
func (c checked) functions(see func(*ast.FuncDecl)) {
	for _, file := range c.files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				see(f)
			}
		}
	}
}

// changes returns for each function which arguments it changes, the receiver first: directly, or by
// passing them to a function of the package that does.
func (c checked) changes() map[types.Object][]bool {
	changes := map[types.Object][]bool{}
	for more := true; more; {
		more = false
		c.functions(func(f *ast.FuncDecl) {
			name, given := c.info.Defs[f.Name], c.given(f)
			note := func(x ast.Expr, behind bool) {
				if i := c.reaches(x, given, behind); i >= 0 && !changes[name][i] {
					more, changes[name][i] = true, true
				}
			}
			if changes[name] == nil {
				changes[name] = make([]bool, len(given))
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				for _, x := range targets(n) {
					note(x, false)
				}
				if call, ok := n.(*ast.CallExpr); ok {
					callee, args := c.call(call)
					for i, changed := range changes[callee] {
						if changed && i < len(args) {
							note(args[i], !c.addressed(callee, i, args[i]))
						}
					}
				}
				return true
			})
		})
	}
	return changes
}

// call returns the function of a call, nil if it is known only at run time, and the arguments, the
// receiver first.
func (c checked) call(call *ast.CallExpr) (types.Object, []ast.Expr) {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		if f, ok := c.info.Uses[f].(*types.Func); ok {
			return f.Origin(), call.Args
		}
	case *ast.SelectorExpr:
		if s := c.info.Selections[f]; s != nil && s.Kind() == types.MethodVal {
			return s.Obj().(*types.Func).Origin(), append([]ast.Expr{f.X}, call.Args...)
		}
	}
	return nil, nil
}

// addressed reports whether a call takes the address of its receiver implicitly, to call a method
// of the pointer. reaches finds an explicit &.
func (c checked) addressed(callee types.Object, i int, arg ast.Expr) bool {
	recv := callee.Type().(*types.Signature).Recv()
	if i > 0 || recv == nil {
		return false
	}
	_, wants := recv.Type().(*types.Pointer)
	_, is := c.info.TypeOf(arg).Underlying().(*types.Pointer)
	return wants && !is
}

// targets returns the expressions that a node may write to: left sides of assignments, and
// arguments of delete, clear and copy.
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

// answers reports whether a function only answers: all its results are bools or numbers.
func (c checked) answers(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	for _, r := range f.Type.Results.List {
		basic, ok := c.info.TypeOf(r.Type).Underlying().(*types.Basic)
		if !ok || basic.Info()&(types.IsBoolean|types.IsNumeric) == 0 {
			return false
		}
	}
	return true
}

// given returns the receiver and the parameters of a function; nil where they have no name.
func (c checked) given(f *ast.FuncDecl) (given []types.Object) {
	for _, list := range []*ast.FieldList{f.Recv, f.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				given = append(given, c.info.Defs[name])
			}
			if len(field.Names) == 0 {
				given = append(given, nil)
			}
		}
	}
	return given
}

// reaches returns the index in given of the argument that an expression leads to through a pointer,
// a slice or a map, or -1. behind says that the expression itself is such a pointer, slice or map.
func (c checked) reaches(x ast.Expr, given []types.Object, behind bool) int {
	for {
		switch e := x.(type) {
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			behind, x = true, e.X
		case *ast.SliceExpr:
			x = e.X
		case *ast.StarExpr:
			behind, x = true, e.X
		case *ast.ParenExpr:
			x = e.X
		case *ast.UnaryExpr:
			behind, x = false, e.X
		case *ast.CallExpr: // a conversion
			if len(e.Args) != 1 || !c.info.Types[e.Fun].IsType() {
				return -1
			}
			x = e.Args[0]
		case *ast.Ident:
			at := slices.Index(given, c.info.Uses[e])
			if at < 0 || given[at] == nil {
				return -1
			}
			if _, isMap := given[at].Type().Underlying().(*types.Map); !behind && !isMap {
				return -1
			}
			return at
		default:
			return -1
		}
		_, pointer := c.info.TypeOf(x).(*types.Pointer)
		behind = behind || pointer
	}
}

// TestPhasesFail plants violations of the phases.
func TestPhasesFail(t *testing.T) {
	source := `package p
type Action int
type Plan struct { Actions []Action; Holds map[string]int; Status struct{ N int } }
type part struct { n int }
type list[T any] []T
type state struct { plan Plan; n int; sets []int; part part }
func (s *state) act(a Action)       { s.plan.Actions = append(s.plan.Actions, a) }
func (s *state) first(a Action)     { s.plan.Actions[0] = a }
func (s *state) report()            { s.plan.Status.N++ }
func (s *state) forget()            { delete(s.plan.Holds, "") }
func whole() Plan                   { return Plan{Actions: []Action{1}} }
func reset(p *Plan)                 { *p = Plan{} }
func (s *state) full() bool         { s.n++; return s.n > 3 }
func (s *state) take() (int, bool)  { s.sets[0] = 1; return 1, true }
func sum(list []int) (n int)        { list[0] = 2; return n }
func (s *state) by() bool           { s.change(); return true }
func (s *state) deep() bool         { return twice(&s.part.n) == 2 }
func twice(n *int) int              { set(n); return *n }
func (s *state) part2() bool        { s.part.set(); return true }
func some(s state) int              { s.sort(); return 0 }
func (s *state) puts() int          { list[int](s.sets).put(1); return 0 }
func puts(l list[int]) int          { l.put(1); return 0 }
`
	harmless := `package p
func empty() Plan                   { return Plan{} }
func (s *state) read() (n int)      { n = len(s.plan.Actions); return n }
func (s state) copied() int         { s.n = 3; return s.n }
func (s *state) change()            { s.n = 3 }
func (s *state) list() []int        { s.n = 3; return nil }
func set(n *int)                    { *n = 2 }
func (p *part) set()                { p.n = 3 }
func (s state) sort()               { s.sets[0] = 1 }
func (s state) local() bool         { var q part; q.set(); s.change(); set(&s.n); return q.n == 3 }
func (s *state) asks() bool         { return s.full2() }
func (l list[T]) put(x T)           { l[0] = x }
func (s *state) full2() bool        { return s.n > 3 }
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
		"plant.go: sum answers, and changes what it was given", "plant.go: by answers, and changes what it was given",
		"plant.go: deep answers, and changes what it was given", "plant.go: twice answers, and changes what it was given",
		"plant.go: part2 answers, and changes what it was given", "plant.go: some answers, and changes what it was given",
		"plant.go: puts answers, and changes what it was given", "plant.go: puts answers, and changes what it was given",
	}
	require.Equal(t, append([]string{
		"plant.go: act changes a plan", "plant.go: first changes a plan", "plant.go: report changes a plan",
		"plant.go: forget changes a plan", "plant.go: whole makes a plan", "plant.go: reset changes a plan",
	}, answers...), plant())
	require.Equal(t, answers, plant("plant.go"), "the one that writes may")
}
