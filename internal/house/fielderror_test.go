package house

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFieldErrors: the comment of each alias shows the fields of selector.FieldError, for
// go doc prints nothing else of an alias.
func TestFieldErrors(t *testing.T) {
	var fields []string
	comments := map[string]string{}
	for _, f := range tree(t, true) {
		for _, d := range f.tree.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				spec, ok := s.(*ast.TypeSpec)
				if !ok || spec.Name.Name != "FieldError" {
					continue
				}
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						fields = append(fields, field.Names[0].Name)
					}
					continue
				}
				comments[f.pkg()] = g.Doc.Text()
			}
		}
	}
	require.Equal(t, []string{"Path", "Value", "Detail", "Err"}, fields, "one type, and its fields")
	require.GreaterOrEqual(t, len(comments), 6)
	for pkg, comment := range comments {
		var shown []string
		for line := range strings.Lines(comment) {
			if text, ok := strings.CutPrefix(line, "\t"); ok {
				shown = append(shown, strings.Fields(text)[0])
			}
		}
		require.Equal(t, fields, shown, pkg)
	}
}
