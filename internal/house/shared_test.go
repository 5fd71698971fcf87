// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shared are the types of package selector that other packages use under their own name.
var shared = []string{"Condition", "Event", "FieldError", "Hold"}

// Each type that several packages use is declared once, and the comment of each alias
// shows its fields and methods, for go doc prints nothing else of an alias.
func TestSharedTypes(t *testing.T) {
	members := map[string][]string{} // fields, then methods
	aliases := map[string]int{}
	files := tree(t, true)
	for _, f := range files {
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && f.pkg() == "selector" && slices.Contains(shared, s.Name.Name) {
						members[s.Name.Name] = append(fieldsOf(s), members[s.Name.Name]...)
					}
				}
			case *ast.FuncDecl:
				if name := receiver(d); f.pkg() == "selector" && slices.Contains(shared, name) && d.Name.IsExported() {
					members[name] = append(members[name], d.Name.Name+"()")
				}
			}
		}
	}
	for _, f := range files {
		for _, d := range f.tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || f.pkg() == "selector" || strings.HasPrefix(f.pkg(), "internal/") {
				continue
			}
			for _, s := range g.Specs {
				s, ok := s.(*ast.TypeSpec)
				if !ok || !slices.Contains(shared, s.Name.Name) {
					continue
				}
				require.True(t, s.Assign.IsValid(), "%s declares %s anew", f.path, s.Name.Name)
				require.Equal(t, members[s.Name.Name], listed(g.Doc.Text()), "%s: %s", f.path, s.Name.Name)
				aliases[s.Name.Name]++
			}
		}
	}
	require.Equal(t, []string{"Path", "Value", "Detail", "Err", "Error()", "Unwrap()"}, members["FieldError"])
	require.Equal(t, []string{"Node", "Name", "Reason", "Have", "Limit", "String()"}, members["Hold"])
	for _, name := range shared {
		require.GreaterOrEqual(t, aliases[name], 3, name)
	}
}

func fieldsOf(s *ast.TypeSpec) []string {
	var names []string
	for _, field := range s.Type.(*ast.StructType).Fields.List {
		names = append(names, field.Names[0].Name)
	}
	return names
}

// receiver returns the name of the type that a method belongs to, or "".
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	e := d.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if generic, ok := e.(*ast.IndexExpr); ok {
		e = generic.X
	}
	name, _ := e.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// listed returns the first word of each indented line of a comment.
func listed(comment string) []string {
	var words []string
	for line := range strings.Lines(comment) {
		if text, ok := strings.CutPrefix(line, "\t"); ok {
			words = append(words, strings.Fields(text)[0])
		}
	}
	return words
}
