package house

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// used returns the functions that the files use of other packages of this repository, as
// "folder.Name".
func used(files []file) map[string]bool {
	found := map[string]bool{}
	for _, f := range files {
		names := map[string]string{} // the folders of ours that it imports
		for _, spec := range f.tree.Imports {
			folder, ours := strings.CutPrefix(importPath(spec), module+"/")
			if !ours || folder == f.pkg() {
				continue
			}
			name := folder[strings.LastIndexByte(folder, '/')+1:]
			if spec.Name != nil {
				name = spec.Name.Name
			}
			names[name] = folder
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && names[x.Name] != "" {
					found[names[x.Name]+"."+s.Sel.Name] = true
				}
			}
			return true
		})
	}
	return found
}

// unexplained returns the exported functions of a package that no other one uses and its
// documents do not name.
func unexplained(pkg string, files []file, used map[string]bool, documents string) (names []string) {
	for _, f := range files {
		if f.pkg() != pkg || f.isTest() {
			continue
		}
		for _, d := range f.tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || used[pkg+"."+fn.Name.Name] || strings.Contains(documents, fn.Name.Name) {
				continue
			}
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// An exported function is used somewhere, or the documents of its package say who would
// use it.
func TestEveryFunctionHasACaller(t *testing.T) {
	files := tree(t, true)
	calls, seen := used(files), 0
	for pkg := range imports {
		if strings.HasPrefix(pkg, "internal/") {
			continue
		}
		documents := ""
		for _, name := range []string{"doc.go", "rules.md"} {
			text, err := os.ReadFile(filepath.Join(root, pkg, name))
			if err == nil {
				documents += string(text)
			}
		}
		seen++
		for _, name := range unexplained(pkg, files, calls, documents) {
			t.Errorf("%s.%s: nothing calls it, and neither doc.go nor rules.md says who would", pkg, name)
		}
	}
	require.Greater(t, seen, 15)
}

// A function without a caller is found, and one that is named in the documents is not.
func TestFunctionWithoutCallerIsFound(t *testing.T) {
	var files []file
	for name, text := range map[string]string{
		"deploy/a.go":   "package deploy\nfunc Used() {}\nfunc Named() {}\nfunc Unused() {}\nfunc own() {}\nfunc (t T) Method() {}",
		"examples/b.go": "package b\nimport d \"" + module + "/deploy\"\nvar _ = d.Used",
	} {
		f, err := parse(name, text)
		require.NoError(t, err)
		files = append(files, f)
	}
	require.Equal(t, []string{"Unused"}, unexplained("deploy", files, used(files), "[Named] is for others"))
}
