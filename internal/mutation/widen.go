//go:build unix

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A block is one line of a coverage profile.
type block struct {
	startLine, startCol, endLine, endCol int
	count                                int
}

func (b block) contains(p token.Position) bool {
	at := [2]int{p.Line, p.Column}
	start, end := [2]int{b.startLine, b.startCol}, [2]int{b.endLine, b.endCol}
	return slices.Compare(start[:], at[:]) <= 0 && slices.Compare(at[:], end[:]) < 0
}

func (b block) String() string {
	return fmt.Sprintf("%d.%d,%d.%d 0 %d", b.startLine, b.startCol, b.endLine, b.endCol, b.count)
}

func parseBlock(s string) (b block, err error) {
	var statements int
	_, err = fmt.Sscanf(s, "%d.%d,%d.%d %d %d", &b.startLine, &b.startCol, &b.endLine, &b.endCol, &statements, &b.count)
	return b, err
}

// widenFile widens a profile in place. The module is at root.
func widenFile(profile, root string) error {
	text, err := os.ReadFile(profile)
	if err != nil {
		return err
	}
	module, err := modulePath(root)
	if err != nil {
		return err
	}
	blocks := map[string][]block{}
	for line := range strings.Lines(string(text)) {
		name, rest, found := strings.Cut(line, ".go:")
		if !found {
			continue
		}
		b, err := parseBlock(rest)
		if err != nil {
			return err
		}
		blocks[name+".go"] = append(blocks[name+".go"], b)
	}
	out, err := os.OpenFile(profile, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	below, err := below(module, root, blocks)
	if err != nil {
		return err
	}
	for name, file := range below {
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		added, err := widen(source, blocks[name])
		if err != nil {
			return err
		}
		for _, b := range added {
			fmt.Fprintf(out, "%s:%s\n", name, b)
		}
	}
	return out.Close()
}

// below returns the files of the profile's packages, by their names in the profile.
// A file without a function is not in the profile.
func below(module, root string, blocks map[string][]block) (map[string]string, error) {
	files := map[string]string{}
	for name := range blocks {
		pkg := name[:strings.LastIndex(name, "/")]
		dir := filepath.Join(root, strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/"))
		names, err := sources(dir)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			files[pkg+"/"+n] = filepath.Join(dir, n)
		}
	}
	return files, nil
}

func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	for line := range strings.Lines(string(text)) {
		if name, found := strings.CutPrefix(line, "module "); found {
			return strings.TrimSpace(name), nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("%s: no module", root))
}

// sources lists the Go files of a folder that are not tests.
func sources(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// widen returns blocks for the expressions that a profile leaves out, with a count
// that is above 0 only if they ran:
//
//   - The expressions of a case ran as often as the switch did, less the times that
//     an earlier case was taken.
//   - What follows a function literal in the same statement ran as often as what
//     precedes it.
//   - Constants and variables of the package are always evaluated.
func widen(source []byte, profile []block) ([]block, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	w := widening{fset: fset, profile: profile}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok != token.IMPORT {
			w.around(d.Pos(), d.End(), literals(d), 1)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			w.cases(n)
		case ast.Stmt:
			w.tail(n)
		}
		return true
	})
	return w.added, nil
}

type widening struct {
	fset    *token.FileSet
	profile []block
	added   []block
}

// ran returns how often the code at a position ran, 0 if the profile does not know.
func (w *widening) ran(pos token.Pos) int {
	at := w.fset.Position(pos)
	i := slices.IndexFunc(w.profile, func(b block) bool { return b.contains(at) })
	if i < 0 {
		return 0
	}
	return w.profile[i].count
}

func (w *widening) add(from, to token.Pos, count int) {
	start, end := w.fset.Position(from), w.fset.Position(to)
	w.added = append(w.added, block{start.Line, start.Column, end.Line, end.Column, count})
}

func (w *widening) cases(s *ast.SwitchStmt) {
	left := w.ran(s.Switch)
	for _, stmt := range s.Body.List {
		c := stmt.(*ast.CaseClause)
		if c.List == nil {
			continue // default is taken last, wherever it stands
		}
		for _, e := range c.List {
			w.around(e.Pos(), e.End(), literals(e), max(left, 0))
		}
		// One that is also reached by fallthrough counts too often here, so that
		// later ones count too low.
		left -= w.ran(c.Colon + 1)
	}
}

// tail adds what follows a function literal within a statement.
func (w *widening) tail(s ast.Stmt) {
	var parts []ast.Node
	end := s.End()
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.LabeledStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return
	case *ast.IfStmt:
		parts, end = []ast.Node{s.Init, s.Cond}, s.Body.Lbrace
	case *ast.ForStmt:
		parts, end = []ast.Node{s.Init, s.Cond, s.Post}, s.Body.Lbrace
	case *ast.RangeStmt:
		parts, end = []ast.Node{s.X}, s.Body.Lbrace
	default:
		parts = []ast.Node{s}
	}
	if lits := literals(parts...); len(lits) > 0 {
		w.around(lits[0].End(), end, lits[1:], w.ran(s.Pos()))
	}
}

// around adds the range without the function literals in it.
func (w *widening) around(from, to token.Pos, lits []*ast.FuncLit, count int) {
	for _, l := range lits {
		w.add(from, l.Body.Lbrace, count)
		from = l.End()
	}
	w.add(from, to, count)
}

// literals returns the outermost function literals below nodes, in order.
func literals(nodes ...ast.Node) (lits []*ast.FuncLit) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			l, ok := n.(*ast.FuncLit)
			if ok {
				lits = append(lits, l)
			}
			return !ok
		})
	}
	return lits
}
