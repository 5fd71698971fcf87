package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ssa"
)

// instead says by what each operator is replaced.
var instead = map[string]string{
	"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "++": "--", "--": "++",
	"min": "max", "max": "min", "!": "",
}

// A mutant is a function with one operator changed.
type mutant struct {
	name     string // as in testdata/mutants.tsv
	function string
	file     string
	at       int // the place in the file
	old      string
}

// mutants lists those of the functions that are proved.
func mutants(p *program, proved map[string]bool) []mutant {
	var all []mutant
	for _, file := range p.syntax {
		name := p.files.Position(file.FileStart).Filename
		if strings.Contains(name, "internal/proof") {
			continue
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || !proved[p.files.Position(f.Name.Pos()).String()] {
				continue
			}
			count := map[string]int{}
			add := func(pos token.Pos, old string) {
				if instead[old] == "" && old != "!" {
					return
				}
				count[old]++
				id := fmt.Sprintf("%s\t%s\t%s\t%d", filepath.Base(name), f.Name.Name, old, count[old])
				all = append(all, mutant{id, p.files.Position(f.Name.Pos()).String(), name, p.files.Position(pos).Offset, old})
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
					if n.Op == token.NOT {
						add(n.OpPos, "!")
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

// reaches says which functions, by place, each property or contract follows.
func reaches(t *testing.T, p *program) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, c := range append(slices.Clone(p.properties), p.contracts...) {
		m, err := p.translate(c, elements)
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

// equivalent reads which mutants are known to keep all proofs, with the reason.
func equivalent(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/equivalent.tsv")
	require.NoError(t, err)
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 5 {
			all[strings.Join(fields[:4], "\t")] = fields[4]
		}
	}
	return all
}

// Whatever operator is changed in the functions that are proved breaks a proof, or is named
// as equivalent. It takes some minutes.
func TestMutants(t *testing.T) {
	if os.Getenv("KPLAN_MUTANTS") == "" {
		t.Skip("set KPLAN_MUTANTS=1; it takes minutes")
	}
	p, known, known0 := program0(t), equivalent(t), map[string]answer{}
	reached, proved := reaches(t, p), map[string]bool{}
	for _, of := range reached {
		for f := range of {
			proved[f] = true
		}
	}
	z3 := solve(t, solvers[0])
	for _, c := range append(slices.Clone(p.contracts), p.properties...) {
		require.True(t, provedAll(t, p, c, z3, known0), c.name())
	}
	counts := map[string]int{}
	for _, mu := range mutants(p, proved) {
		if only := os.Getenv("KPLAN_MUTANT"); !strings.Contains(mu.name, only) {
			continue
		}
		how := judge(t, mu, reached, z3, known0)
		counts[strings.Fields(how)[0]]++
		t.Logf("%s\t%s", mu.name, how)
		switch reason, ok := known[mu.name]; {
		case how == "nothing" && !ok:
			t.Errorf("%s: no proof is broken", mu.name)
		case how != "nothing" && ok:
			t.Errorf("%s: %s, so it is not equivalent: %s", mu.name, how, reason)
		}
	}
	t.Log(counts)
}

// judge says what breaks a mutant: the compiler, a case, or a proof that cannot be had.
func judge(t *testing.T, mu mutant, reached map[string]map[string]bool, z3 *session, known map[string]answer) string {
	t.Helper()
	text, err := os.ReadFile(mu.file)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(text[mu.at:], []byte(mu.old)), mu.name)
	changed := slices.Concat(text[:mu.at], []byte(instead[mu.old]), text[mu.at+len(mu.old):])
	from, err := code()
	require.NoError(t, err)
	p, err := from.program(map[string][]byte{mu.file: changed})
	if err != nil {
		return "compiler"
	}
	for _, c := range p.properties {
		if !reached[c.name()][mu.function] {
			continue
		}
		if found, err := p.counterexample(z3, c); err != nil {
			return "translation: " + c.name()
		} else if found != nil {
			return "case: " + c.name()
		}
	}
	for _, c := range append(slices.Clone(p.contracts), p.properties...) {
		if reached[c.name()][mu.function] && !provedAll(t, p, c, z3, known) {
			return "proof: " + c.name()
		}
	}
	return "nothing"
}

// provedAll reports whether all that is to be proved of a function is, up to the first that is not.
func provedAll(t *testing.T, p *program, c contract, s *session, known map[string]answer) bool {
	t.Helper()
	m, err := p.translate(c, 0)
	if err != nil {
		return false
	}
	for _, o := range m.obligations {
		r, err := m.settle(s, o, known)
		require.NoError(t, err)
		if r.answer != unsatisfiable {
			return false
		}
	}
	return true
}
