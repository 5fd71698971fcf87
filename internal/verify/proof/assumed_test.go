// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// text is an expression, on one line.
func (p *program) text(e ast.Node) string {
	var out bytes.Buffer
	if err := format.Node(&out, p.files, e); err != nil {
		panic(err)
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// callsOf lists the calls of functions without a package in a body, in order.
func callsOf(body ast.Node) (all []*ast.CallExpr, names []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if f, ok := c.Fun.(*ast.Ident); ok {
				all, names = append(all, c), append(names, f.Name)
			}
		}
		return true
	})
	return all, names
}

// An assumed holds the assumptions of a function in a file of properties, and its policies.
type assumed struct{ policies, conditions []string }

// assumes reads the functions of a file, and adds the assumptions of functions that they call.
func (p *program) assumes(f *ast.FuncDecl, assuming map[string]bool) (a assumed) {
	calls, names := callsOf(f.Body)
	for i, c := range calls {
		switch {
		case names[i] == "assume":
			a.conditions = append(a.conditions, p.text(c.Args[0]))
		case assuming[names[i]]:
			a.conditions = append(a.conditions, p.text(c))
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CompositeLit)
		if ok && c.Type != nil && (strings.HasSuffix(p.text(c.Type), "Policy") || strings.HasSuffix(p.text(c.Type), "Counting")) {
			if of := policyOf(p, c); of != "zero" || len(c.Elts) == 0 {
				a.policies = append(a.policies, of)
			}
			return false
		}
		return true
	})
	return a
}

// policyOf returns the policy of a literal, with its Counting: the names of the set fields, with parameters
// where these decide.
func policyOf(p *program, c *ast.CompositeLit) string {
	var parts []string
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && p.text(kv.Key) == "Counting" {
			if counting, ok := kv.Value.(*ast.CompositeLit); ok {
				parts = append(parts, policyOf(p, counting))
			}
			continue // a variable is listed where it is set
		}
		parts = append(parts, strings.TrimSuffix(p.text(e), ": true"))
	}
	if len(parts) == 0 {
		return "zero"
	}
	return strings.Join(parts, ", ")
}

// tables returns the tables of the assumptions of properties, and of the meaning of the names in
// it.
func (p *program) tables() string {
	var out, behind strings.Builder
	fmt.Fprintln(&out, "| property | policy | assumes |\n|---|---|---|")
	for _, file := range p.syntax {
		if dir := filepath.Base(filepath.Dir(p.name(file))); dir != "property" && filepath.Base(p.name(file)) != withinFile {
			continue
		}
		assuming := assumingIn(p, file)
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || p.isCase(f) {
				continue
			}
			a := p.assumes(f, assuming)
			switch {
			case f.Name.IsExported():
				fmt.Fprintf(&out, "| %s | %s | %s |\n", f.Name.Name, strings.Join(slices.Compact(a.policies), "; "), cells(a.conditions))
			case assuming[f.Name.Name]:
				fmt.Fprintf(&behind, "| %s | %s |\n", f.Name.Name, cells(a.conditions))
			case len(f.Body.List) == 1 && f.Type.Results != nil && len(f.Type.Results.List) == 1 && p.text(f.Type.Results.List[0].Type) == "bool":
				fmt.Fprintf(&behind, "| %s | %s |\n", f.Name.Name, cells([]string{p.text(f.Body.List[0].(*ast.ReturnStmt).Results[0])}))
			}
		}
	}
	return out.String() + "\n| where it says | it means, of each set or size |\n|---|---|\n" + behind.String()
}

// isCase reports whether a function is no property, but a case that a solver is asked for.
func (p *program) isCase(f *ast.FuncDecl) bool {
	return filepath.Base(p.files.Position(f.Pos()).Filename) == "case.go"
}

// assumingIn are the functions of the folder of a file which assume something by themselves.
func assumingIn(p *program, of *ast.File) map[string]bool {
	all := map[string]bool{}
	for _, file := range p.syntax {
		if filepath.Dir(p.name(file)) != filepath.Dir(p.name(of)) {
			continue
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && !f.Name.IsExported() && !p.isCase(f) {
				if _, names := callsOf(f.Body); slices.Contains(names, "assume") {
					all[f.Name.Name] = true
				}
			}
		}
	}
	return all
}

func cells(conditions []string) string {
	var quoted []string
	for _, c := range conditions {
		quoted = append(quoted, "`"+strings.ReplaceAll(c, "|", "\\|")+"`")
	}
	return strings.Join(quoted, ", ")
}

// The README lists the assumptions of each property as they are in the code. KPLAN_REWRITE=1 writes
// the tables.
func TestAssumptionsListed(t *testing.T) {
	const begin, end = "<!-- made by TestAssumptionsListed -->\n", "<!-- end of the tables -->"
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(readme), begin)
	require.True(t, found)
	said, after, found := strings.Cut(rest, end)
	require.True(t, found)
	is := program0(t).tables()
	for _, c := range program0(t).properties {
		require.Contains(t, is, "| "+c.name()+" |")
	}
	if os.Getenv("KPLAN_REWRITE") != "" {
		require.NoError(t, os.WriteFile("README.md", []byte(before+begin+is+end+after), 0o600))
		return
	}
	require.Equal(t, is, said)
}
