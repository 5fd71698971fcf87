// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unproved lists the exported functions and methods of the arithmetic that no proof follows.
func unproved(t *testing.T, p *program, proved map[string]bool) (names []string) {
	t.Helper()
	root, err := filepath.Abs("../../../rollout")
	require.NoError(t, err)
	for _, file := range p.syntax {
		dir, err := filepath.Rel(root, filepath.Dir(p.name(file)))
		require.NoError(t, err)
		if dir != "." && dir != "partition" {
			continue
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || proved[p.files.Position(f.Name.Pos()).String()] {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				name = strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." + name
			}
			names = append(names, filepath.ToSlash(filepath.Join(dir, name)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// The README lists the exported functions of the arithmetic that no proof follows, all of them
// and no others.
func TestUnprovedListed(t *testing.T) {
	p := program0(t)
	j := jury{reached: reaches(t, p)}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, list, found := strings.Cut(string(readme), "No proof follows these exported functions:")
	require.True(t, found)
	list, _, _ = strings.Cut(list, "\n\n")
	var said []string
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(list, -1) {
		said = append(said, name[1])
	}
	slices.Sort(said)
	require.Equal(t, unproved(t, p, j.proved()), said)
}
