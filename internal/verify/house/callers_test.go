// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A checker finds the types of this repository's packages. Other packages are empty to it, so that
// it needs no builds; our names resolve all the same.
type checker struct {
	fset     *token.FileSet
	folders  map[string]*sources
	packages map[string]*types.Package
	found    map[string]bool // functions that other packages use, as "folder.Name"
}

// sources are the files of a folder.
type sources struct{ plain, inner, outer []*ast.File }

// used returns the functions that the files use of other packages of this repository, as
// "folder.Name".
func used(t *testing.T, files []file) map[string]bool {
	c := checker{token.NewFileSet(), map[string]*sources{}, map[string]*types.Package{}, map[string]bool{}}
	for _, f := range files {
		// Types need one set of positions for all.
		tree, err := parser.ParseFile(c.fset, f.path, f.text, parser.SkipObjectResolution)
		require.NoError(t, err)
		if c.folders[f.pkg()] == nil {
			c.folders[f.pkg()] = &sources{}
		}
		in := c.folders[f.pkg()]
		switch {
		case !f.isTest():
			in.plain = append(in.plain, tree)
		case strings.HasSuffix(tree.Name.Name, "_test"):
			in.outer = append(in.outer, tree)
		default:
			in.inner = append(in.inner, tree)
		}
	}
	for folder, in := range c.folders {
		c.check(folder, slices.Concat(in.plain, in.inner))
		c.check(folder, in.outer)
	}
	return c.found
}

// Import returns a package without its tests.
func (c *checker) Import(name string) (*types.Package, error) {
	folder, own := ours(name)
	in := c.folders[folder]
	if !own || in == nil {
		other := types.NewPackage(name, path.Base(name))
		other.MarkComplete()
		return other, nil
	}
	if c.packages[folder] == nil {
		c.packages[folder] = c.check(folder, in.plain)
	}
	return c.packages[folder], nil
}

// check records the functions of other folders that the files use. It ignores errors, which are
// about names of other repositories.
func (c *checker) check(folder string, files []*ast.File) *types.Package {
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: c, Error: func(error) {}}
	pkg, _ := config.Check(path.Join(module, folder), c.fset, files, &info)
	for _, object := range info.Uses {
		f, ok := object.(*types.Func)
		if !ok || f.Pkg() == nil || f.Signature().Recv() != nil {
			continue
		}
		if of, own := ours(f.Pkg().Path()); own && of != folder {
			c.found[of+"."+f.Name()] = true
		}
	}
	return pkg
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
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || used[pkg+"."+fn.Name.Name] || regexp.MustCompile(`\b`+fn.Name.Name+`\b`).MatchString(documents) {
				continue
			}
			names = append(names, fn.Name.Name)
		}
	}
	return names
}

// An exported function is used somewhere, or the documents of its package mention it.
func TestEveryFunctionHasACaller(t *testing.T) {
	files := tree(t, true)
	calls, seen := used(t, files), 0
	for _, pkg := range slices.AppendSeq(slices.Collect(maps.Keys(forTests)), maps.Keys(imports)) {
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

// A function without a caller is found, and one that is named in the documents is not. A
// name alone is no use, nor is a longer word in the documents.
func TestFunctionWithoutCallerIsFound(t *testing.T) {
	var files []file
	for name, text := range map[string]string{
		"deploy/a.go": "package deploy\nfunc Used[T any](T) {}\nfunc Passed() {}\nfunc Named() {}\nfunc Unused() {}\nfunc Name() {}\nfunc Tested() {}\n" +
			"func Alike() {}\nfunc own() { Unused() }\nfunc (t T) Method() {}\ntype T struct{}",
		"deploy/a_test.go":   "package deploy_test\nimport d \"" + module + "/deploy\"\nvar _ = d.Unused",
		"examples/b.go":      "package b\nimport d \"" + module + "/deploy\"\nimport \"time\"\nvar _ = time.Now(d.Used(1), time.T{A: func() { d.Passed() }})",
		"examples/c.go":      "package b\nimport d \"" + module + "/deploy\"\nfunc f(t d.T) { d := g; d.Alike(); t.Method() }\nvar g struct{ Alike func() }",
		"examples/b_test.go": "package b\nimport . \"" + module + "/deploy\"\nvar _ = Tested",
	} {
		f, err := parse(name, text)
		require.NoError(t, err)
		files = append(files, f)
	}
	require.Equal(t, []string{"Unused", "Name", "Alike"}, unexplained("deploy", files, used(t, files), "[Named] is for others"))
}
