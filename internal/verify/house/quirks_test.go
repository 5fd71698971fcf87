// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// planners are the packages that have quirks.
var planners = []string{"deploy", "replicaset", "daemonset", "rollout/workload", "revision", "rollout/argo"}

// citing are the packages whose names may be cited, apart from planners.
var citing = []string{"rollout", "rollout/batchrelease", "rollout/kruise"}

// quirksOf returns the names of the quirks of a planner, but for the set of all.
func quirksOf(t *testing.T, pkg string) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, pkg, "quirk", "quirk.go"), nil, 0)
	require.NoError(t, err)
	for _, d := range parsed.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST || len(g.Specs) < 2 {
			continue
		}
		for _, s := range g.Specs {
			names = append(names, s.(*ast.ValueSpec).Names[0].Name)
		}
	}
	require.NotEmpty(t, names, pkg)
	return names
}

// exported returns the top-level declarations of a package, and its quirks.
func exported(t *testing.T, files []file, pkg string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	if slices.Contains(planners, pkg) {
		for _, q := range quirksOf(t, pkg) {
			names[q] = true
		}
	}
	for _, f := range files {
		if f.pkg() == pkg {
			for _, d := range f.tree.Decls {
				declared(d, names)
			}
		}
	}
	return names
}

// declared adds the names of a declaration.
func declared(d ast.Decl, names map[string]bool) {
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
		names[f.Name.Name] = true
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			names[s.Name.Name] = true
		case *ast.ValueSpec:
			for _, n := range s.Names {
				names[n.Name] = true
			}
		}
	}
}

// cited is a name of another package, as comments, documents and tables cite it.
var cited = regexp.MustCompile(`\b(deploy|replicaset|daemonset|rollout|workload|argo|batchrelease|kruise|revision)\.([A-Z][A-Za-z0-9]+)\b`)

// checkCited finds names that no package has.
func checkCited(name, text string, have map[string]map[string]bool) (violations []string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		for _, m := range cited.FindAllStringSubmatch(line, -1) {
			if !have[m[1]][m[2]] {
				violations = append(violations, fmt.Sprintf("%s:%d: %s is not there", name, n, m[0]))
			}
		}
	}
	return violations
}

// prose returns the comments and literals of a source file, line by line: the parts that the
// compiler does not check.
func prose(text string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	at := fset.AddFile("", fset.Base(), len(text))
	s.Init(at, []byte(text), nil, scanner.ScanComments)
	var out strings.Builder
	for line := 1; ; {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out.String()
		}
		if tok != token.COMMENT && tok != token.STRING || strings.HasPrefix(lit, "//go:") {
			continue
		}
		for ; line < at.Line(pos); line++ {
			out.WriteByte('\n')
		}
		out.WriteString(lit)
		line += strings.Count(lit, "\n")
	}
}

// TestCited: whatever is cited as a name of a planner, in comments, literals and documents,
// is there.
func TestCited(t *testing.T) {
	files, have := tree(t, true), map[string]map[string]bool{}
	for _, pkg := range slices.Concat(planners, citing) {
		have[path.Base(pkg)] = exported(t, files, pkg)
	}
	found := 0
	texts(t, func(name, text string) {
		if ext := filepath.Ext(name); ext != ".go" && ext != ".md" || strings.HasSuffix(name, "internal/verify/house/quirks_test.go") {
			return
		}
		if strings.HasPrefix(name, "internal/verify/conformance/upstream/") {
			return // its replicaset and daemonset are packages of Kubernetes
		}
		if filepath.Ext(name) == ".go" {
			text = prose(text)
		}
		found += len(cited.FindAllString(text, -1))
		for _, v := range checkCited(name, text, have) {
			t.Error(v)
		}
	})
	require.Greater(t, found, 100)
}

// TestCheckCited has citations that the check finds, and some that it does not.
func TestCheckCited(t *testing.T) {
	have := map[string]map[string]bool{"deploy": {"SumsWrapAround": true}}
	require.Empty(t, checkCited("x", "breaks by deploy.SumsWrapAround\n", have))
	require.Equal(t, []string{"x:2: deploy.SumsWrap is not there"}, checkCited("x", "\n// deploy.SumsWrap\n", have))
	require.Len(t, checkCited("x", "`workload.SumsWrapAround`", have), 1)
	require.Equal(t, "\n// deploy.A\n\n\"deploy.B\"", prose("package x\n// deploy.A\n//go:embed deploy.C\nvar s, t = \"deploy.B\", deploy.D\n"))
}

// TestQuirkTables: a quirk is called by one name in each package that has it, is a row of
// its table, and is set by one bit.
func TestQuirkTables(t *testing.T) {
	for _, pkg := range planners {
		text := ""
		for _, f := range tree(t, false) {
			if f.pkg() == pkg+"/quirk" && !f.isTest() {
				text += f.text
			}
		}
		names := quirksOf(t, pkg)
		require.LessOrEqual(t, len(names), 64, pkg)
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), pkg)
		for _, q := range names {
			require.Contains(t, text, `"`+q+`"`, "%s.%s has no row", pkg, q)
		}
	}
}

// overview is the largest number of lines of a package comment, so that new readers read it to the
// end.
const overview = 60

// checkOverview finds package comments that are too long.
func checkOverview(f file) []string {
	if f.tree.Doc == nil {
		return nil
	}
	if n := strings.Count(f.tree.Doc.Text(), "\n"); n > overview {
		return []string{fmt.Sprintf("%s: the package comment has %d lines, at most %d", f.path, n, overview)}
	}
	return nil
}

// TestOverviews: each package comment is an overview.
func TestOverviews(t *testing.T) {
	seen := 0
	for _, f := range tree(t, true) {
		if f.tree.Doc != nil {
			seen++
		}
		for _, v := range checkOverview(f) {
			t.Error(v)
		}
	}
	require.Greater(t, seen, 20)
	for n, want := range map[int]int{overview: 0, overview + 1: 1} {
		f, err := parse("deploy/doc.go", strings.Repeat("// x\n", n)+"package deploy\n")
		require.NoError(t, err)
		require.Len(t, checkOverview(f), want)
	}
}
