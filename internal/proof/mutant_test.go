// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

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
	name     string // as in testdata/equivalent.tsv
	function string
	file     string
	at       int // the place in the file
	old      string
}

// mutants lists those of the functions that are proved.
func mutants(p *program, proved map[string]bool) []mutant {
	var all []mutant
	for _, file := range p.syntax {
		name := p.name(file)
		if strings.Contains(name, "internal/proof") || filepath.Base(name) == withinFile {
			continue
		}
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
				if instead[old] == "" && old != "!" {
					return
				}
				count[old]++
				id := fmt.Sprintf("%s\t%s\t%s\t%d", filepath.Base(name), function, old, count[old])
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

// reaches says which functions, by place, the proof of each property or contract follows. Of
// those with a contract it follows that alone.
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
	p, known, answers := program0(t), equivalent(t), map[string]answer{}
	reached, proved := reaches(t, p), map[string]bool{}
	for _, of := range reached {
		for f := range of {
			proved[f] = true
		}
	}
	z3 := solve(t, solvers[0])
	for _, c := range p.all() {
		require.Empty(t, open(t, p, c, z3, answers))
	}
	counts, only := map[string]int{}, regexp.MustCompile(os.Getenv("KPLAN_MUTANT"))
	for _, mu := range mutants(p, proved) {
		if !only.MatchString(mu.name) {
			continue
		}
		start := time.Now()
		how := judge(t, mu, reached, z3, answers)
		counts[strings.TrimSuffix(strings.Fields(how)[0], ":")]++
		t.Logf("%s\t%s\t%.1f s", mu.name, how, time.Since(start).Seconds())
		switch reason, ok := known[mu.name]; {
		case how == "nothing" && !ok:
			t.Errorf("%s: no proof is broken", mu.name)
		case how != "nothing" && ok:
			t.Errorf("%s: %s, so it is not equivalent: %s", mu.name, how, reason)
		}
		delete(known, mu.name)
	}
	if os.Getenv("KPLAN_MUTANT") == "" {
		require.Empty(t, known, "no such operator")
	}
	t.Log(counts)
}

// judge says what breaks a mutant: the compiler, or a proof that cannot be had.
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
	for _, c := range p.all() {
		if !reached[c.name()][mu.function] {
			continue
		}
		if what := open(t, p, c, z3, known); what != "" {
			return "proof: " + c.name() + ": " + what
		}
	}
	return "nothing"
}

// open is the first of what is to be proved of a function that is not.
func open(t *testing.T, p *program, c contract, s *session, known map[string]answer) string {
	t.Helper()
	m, err := p.translate(c, 0)
	if err != nil {
		return err.Error()
	}
	for _, o := range m.obligations {
		r, err := m.settle(s, o, 0, known)
		require.NoError(t, err)
		if r.answer != unsatisfiable {
			return o.name
		}
	}
	return ""
}
