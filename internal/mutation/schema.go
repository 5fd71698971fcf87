//go:build unix

package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// variable is the environment variable that chooses a mutant, and switchName the
// variable of the package under test that holds the choice.
const (
	variable   = "MUTATION_ID"
	switchName = "mutationID"
)

// mutations are the operators that gremlins changes by default.
var mutations = map[token.Token][]token.Token{
	token.ADD: {token.SUB},
	token.SUB: {token.ADD},
	token.MUL: {token.QUO},
	token.QUO: {token.MUL},
	token.REM: {token.MUL},
	token.EQL: {token.NEQ},
	token.NEQ: {token.EQL},
	token.GEQ: {token.GTR, token.LSS},
	token.GTR: {token.GEQ, token.LEQ},
	token.LEQ: {token.LSS, token.GTR},
	token.LSS: {token.LEQ, token.GEQ},
	token.INC: {token.DEC},
	token.DEC: {token.INC},
}

// A schema is a package in the making whose operators ask which mutant is on.
type schema struct {
	path    string
	fset    *token.FileSet
	files   []*ast.File
	names   []string
	source  [][]byte
	info    *types.Info
	imports types.Importer
	table   table
	edits   []edit
	last    int
}

// An edit replaces a range of a file. Its mutants are lost if it is dropped.
type edit struct {
	file, from, to int
	text           string
	closing        bool
	number         int
	line           int
	keys           []string // of the mutants that it serves
}

func parseSchema(dir string, imports types.Importer) (*schema, error) {
	names, err := sources(dir)
	if err != nil {
		return nil, err
	}
	s := &schema{path: dir, fset: token.NewFileSet(), names: names, imports: imports, table: table{}}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(s.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.source, s.files = append(s.source, text), append(s.files, file)
	}
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: imports}
	if _, err := conf.Check(s.path, s.fset, s.files, s.info); err != nil {
		return nil, err
	}
	for i, file := range s.files {
		s.scan(i, file)
	}
	return s, s.settle()
}

// scan collects the edits of a file.
func (s *schema) scan(i int, file *ast.File) {
	base := s.fset.File(file.FileStart).Base()
	v := visitor{s, i, file, base, tokens(s.source[i])}
	indices := map[ast.Expr]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && v.info.Types[e].Value != nil {
			if !indices[e] {
				v.constant(e)
			}
			return false
		}
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.ArrayType:
			return false
		case *ast.IndexExpr:
			indices[n.Index] = true // one beyond the range of an array compiles only if it is not constant
		case *ast.ForStmt:
			if post, ok := n.Post.(*ast.IncDecStmt); ok {
				v.step(post, true)
			}
		case *ast.BlockStmt:
			v.steps(n.List)
		case *ast.CaseClause:
			v.steps(n.Body)
		case *ast.BinaryExpr:
			v.binary(n)
		case *ast.UnaryExpr:
			if n.Op == token.SUB {
				v.unary(n)
			}
		}
		return true
	})
}

type visitor struct {
	*schema
	index  int
	file   *ast.File
	base   int
	tokens map[int]int
}

func (v visitor) offset(p token.Pos) int { return int(p) - v.base }

func (v visitor) text(n ast.Node) string {
	return string(v.source[v.index][v.offset(n.Pos()):v.offset(n.End())])
}

// mutants numbers the mutants of an operator. The cases are what the caller writes
// for each.
func (v visitor) mutants(op token.Token, pos token.Pos, write func(id int, op token.Token)) (keys []string) {
	for _, to := range mutations[op] {
		v.last++
		k := key(v.names[v.index], v.tokens[v.offset(pos)], to.String())
		v.table[k] = v.last
		keys = append(keys, k)
		write(v.last, to)
	}
	return keys
}

func (v visitor) edit(from, to token.Pos, text string, closing bool, keys []string) {
	v.edits = append(v.edits, edit{v.index, v.offset(from), v.offset(to), text, closing, len(v.edits), v.fset.Position(from).Line, keys})
}

// name writes a type as this file can name it, or nothing.
func (v visitor) name(t types.Type) (name string, ok bool) {
	if b, basic := t.(*types.Basic); basic && b.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	ok = true
	name = types.TypeString(t, func(p *types.Package) string {
		if p.Path() == v.path {
			return ""
		}
		for _, spec := range v.file.Imports {
			if strings.Trim(spec.Path.Value, `"`) == p.Path() && spec.Name == nil {
				return p.Name()
			}
		}
		ok = false
		return ""
	})
	return name, ok
}

// binary turns x op y into func(x X, y Y) Z { … }(x, y). A constant operand stays in
// the function, so that it takes its type from there.
func (v visitor) binary(n *ast.BinaryExpr) {
	tv, x, y := v.info.Types[n], v.info.Types[n.X], v.info.Types[n.Y]
	if !v.viable(n, x.Type) || n.Op == token.MUL && y.Value != nil && constant.Sign(y.Value) == 0 {
		return
	}
	result, ok1 := v.name(tv.Type)
	params, left, ok2 := v.param("x", n.X, x)
	param, right, ok3 := v.param("y", n.Y, y)
	if !ok1 || !ok2 || !ok3 || strings.Contains(left+right, "\n") {
		return
	}
	if left+right != "xy" && v.fset.Position(n.X.End()).Line != v.fset.Position(n.Y.Pos()).Line {
		return // an edit would remove a line break
	}
	if params != "" && param != "" {
		params += ", "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func(%s%s) %s { switch %s { ", params, param, result, switchName)
	keys := v.mutants(n.Op, n.OpPos, func(id int, op token.Token) {
		fmt.Fprintf(&b, "case %d: return %s %s %s; ", id, left, op, right)
	})
	fmt.Fprintf(&b, "}; return %s %s %s }(", left, n.Op, right)
	v.edit(n.Pos(), n.Pos(), b.String(), false, keys)
	switch {
	case left != "x":
		v.edit(n.X.Pos(), n.Y.Pos(), "", true, keys)
	case right != "y":
		v.edit(n.X.End(), n.End(), "", true, keys)
	default:
		v.edit(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), ",", true, keys)
	}
	v.edit(n.End(), n.End(), ")", true, keys)
}

// viable tells whether an operator has mutants that compile. Strings have no
// difference.
func (v visitor) viable(n *ast.BinaryExpr, x types.Type) bool {
	b, _ := x.Underlying().(*types.Basic)
	if n.Op == token.ADD && b != nil && b.Info()&types.IsString != 0 {
		v.table[key(v.names[v.index], v.tokens[v.offset(n.OpPos)], token.SUB.String())] = doesNotCompile
		return false
	}
	return mutations[n.Op] != nil
}

// constant turns a constant expression with operators into func() T { … }(). It may
// stand where Go demands a constant; then it does not compile, and settle drops it.
func (v visitor) constant(e ast.Expr) {
	t, ok := v.name(v.info.Types[e].Type)
	text, start := v.text(e), e.Pos()
	if !ok || strings.Contains(text, "\n") {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func() %s { switch %s { ", t, switchName)
	var keys []string
	change := func(op token.Token, pos token.Pos) {
		keys = append(keys, v.mutants(op, pos, func(id int, to token.Token) {
			at := int(pos - start)
			fmt.Fprintf(&b, "case %d: return %s%s%s; ", id, text[:at], to, text[at+len(op.String()):])
		})...)
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if v.viable(n, v.info.Types[n.X].Type) {
				change(n.Op, n.OpPos)
			}
		case *ast.UnaryExpr:
			if n.Op == token.SUB {
				change(n.Op, n.OpPos)
			}
		}
		return true
	})
	if len(keys) > 0 {
		fmt.Fprintf(&b, "}; return %s }()", text)
		v.edit(e.Pos(), e.End(), b.String(), false, keys)
	}
}

// operators tells whether an expression has something to mutate.
func operators(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			found = true
		}
		return true
	})
	return found
}

// param returns a parameter for an operand and what stands for it in the function.
func (v visitor) param(name string, e ast.Expr, tv types.TypeAndValue) (param, operand string, ok bool) {
	if tv.Value != nil && !operators(e) || tv.IsNil() {
		return "", "(" + v.text(e) + ")", true
	}
	t, ok := v.name(tv.Type)
	return name + " " + t, name, ok
}

func (v visitor) unary(n *ast.UnaryExpr) {
	t, ok := v.name(v.info.Types[n].Type)
	if !ok {
		return
	}
	keys := v.mutants(token.SUB, n.OpPos, func(id int, _ token.Token) {
		v.edit(n.Pos(), n.X.Pos(), fmt.Sprintf("func(x %s) %s { if %s == %d { return +x }; return -x }(", t, t, switchName, id), false, nil)
	})
	v.edits[len(v.edits)-1].keys = keys
	v.edit(n.End(), n.End(), ")", true, keys)
}

func (v visitor) steps(list []ast.Stmt) {
	for _, stmt := range list {
		if n, ok := stmt.(*ast.IncDecStmt); ok {
			v.step(n, false)
		}
	}
}

// step turns x++ into a choice between x++ and x--. After a loop's header there is
// room for an expression only.
func (v visitor) step(n *ast.IncDecStmt, post bool) {
	t, ok := v.name(v.info.Types[n.X].Type)
	if _, plain := n.X.(*ast.Ident); post && (!plain || !ok) || operators(n.X) {
		return
	}
	var number int
	var other token.Token
	keys := v.mutants(n.Tok, n.TokPos, func(id int, op token.Token) { number, other = id, op })
	x, text := v.text(n.X), ""
	if post {
		text = fmt.Sprintf("%s = func(x %s) %s { if %s == %d { x%s } else { x%s }; return x }(%s)", x, t, t, switchName, number, other, n.Tok, x)
	} else {
		text = fmt.Sprintf("if %s == %d { %s%s } else { %s%s }", switchName, number, x, other, x, n.Tok)
	}
	v.edit(n.Pos(), n.End(), text, true, keys)
}

// settle drops the edits of every line that does not compile, and their mutants,
// until the package does.
func (s *schema) settle() error {
	for range 100 {
		bad := s.check()
		if len(bad) == 0 {
			return nil
		}
		n := len(s.edits)
		dropped := map[string]bool{}
		for _, e := range s.edits {
			if bad[position{s.names[e.file], e.line}] {
				for _, k := range e.keys {
					dropped[k] = true
					delete(s.table, k)
				}
			}
		}
		s.edits = slices.DeleteFunc(s.edits, func(e edit) bool {
			return slices.ContainsFunc(e.keys, func(k string) bool { return dropped[k] })
		})
		if len(s.edits) == n {
			return fmt.Errorf("does not compile with its mutants: %v", bad)
		}
	}
	return fmt.Errorf("does not compile with its mutants")
}
