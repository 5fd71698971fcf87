// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longest is how many lines an adapter may have: one that is longer replaces nothing.
const longest = 40

// The length of an adapter is the number of lines of code of its function, with the functions that
// only it uses.
func TestAdaptersAreShort(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	seen, scaling := 0, 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		lines := codeLines(text)
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := 0
			for line := fset.Position(f.Pos()).Line; line <= fset.Position(f.End()).Line; line++ {
				if lines[line] {
					n++
				}
			}
			seen++
			require.LessOrEqual(t, n, longest, "%s of %s", f.Name.Name, name)
			if name == "clusterapi.go" {
				scaling += n
			}
		}
	}
	require.Greater(t, seen, 15)
	require.LessOrEqual(t, scaling, longest, "the scaling of Cluster API, with all that it calls of the adapter")
	t.Logf("the scaling of Cluster API has %d lines", scaling)
}

// codeLines returns the numbers of the lines with anything other than comments.
func codeLines(text []byte) map[int]bool {
	var s scanner.Scanner
	fset, lines := token.NewFileSet(), map[int]bool{}
	file := fset.AddFile("", -1, len(text))
	s.Init(file, text, nil, 0)
	for {
		pos, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return lines
		case tok != token.SEMICOLON || literal == ";":
			lines[file.Line(pos)] = true
		}
	}
}
