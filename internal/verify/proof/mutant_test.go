// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ssa"
)

// instead maps each operator to its replacement.
var instead = map[string]string{
	"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "++": "--", "--": "++",
	"min": "max", "max": "min", "!": "", "minus": "",
}

// A mutant is a function with one operator changed.
type mutant struct {
	name     string // as in testdata/equivalent.tsv
	function string // its place
	file     string
	at       int // the place in the file
	old, by  string
}

// mutants lists the mutants of the proved functions.
func mutants(t *testing.T, p *program, proved map[string]bool) []mutant {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	var all []mutant
	for _, file := range p.syntax {
		name := p.name(file)
		if strings.Contains(name, "internal/verify/proof") || filepath.Base(name) == withinFile {
			continue
		}
		short, err := filepath.Rel(root, name)
		require.NoError(t, err)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || !proved[p.files.Position(f.Name.Pos()).String()] {
				continue
			}
			count, function := map[string]int{}, f.Name.Name
			if f.Recv != nil {
				function = types.ExprString(f.Recv.List[0].Type) + "." + function
			}
			add := func(pos token.Pos, old string) {
				by, ok := instead[old]
				if !ok {
					return
				}
				count[old]++
				id := fmt.Sprintf("%s\t%s\t%s\t%d", short, function, old, count[old])
				if old == "minus" {
					old = "-"
				}
				all = append(all, mutant{id, p.files.Position(f.Name.Pos()).String(), name, p.files.Position(pos).Offset, old, by})
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BinaryExpr:
					add(n.OpPos, n.Op.String())
				case *ast.AssignStmt:
					add(n.TokPos, n.Tok.String())
				case *ast.IncDecStmt:
					add(n.TokPos, n.Tok.String())
				case *ast.UnaryExpr:
					switch n.Op {
					case token.NOT:
						add(n.OpPos, "!")
					case token.SUB:
						add(n.OpPos, "minus")
					}
				case *ast.CallExpr:
					if id, ok := n.Fun.(*ast.Ident); ok {
						add(id.Pos(), id.Name)
					}
				}
				return true
			})
		}
	}
	return all
}

// reaches returns the functions, by place, that the proof of each property or contract follows. Of
// a function with a contract it follows only the contract.
func reaches(t *testing.T, p *program) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, c := range p.all() {
		m, err := p.translate(c, 0)
		require.NoError(t, err)
		all[c.name()] = map[string]bool{}
		for f := range m.reached {
			all[c.name()][placeOf(p, f)] = true
		}
	}
	return all
}

func placeOf(p *program, f *ssa.Function) string {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if decl, ok := f.Syntax().(*ast.FuncDecl); ok {
		return p.files.Position(decl.Name.Pos()).String()
	}
	return ""
}
