// SPDX-License-Identifier: Apache-2.0

package house

import (
	"go/ast"
	"go/doc"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// spoken are methods that the language and its packages call, not a user.
var spoken = []string{"DeepCopyObject", "Error", "Is", "MarshalJSON", "MarshalText", "String", "Unwrap", "UnmarshalJSON", "UnmarshalText"}

// shown returns the names of a package's Examples with checked output.
func shown(pkg string, files []file) []string {
	var trees []*ast.File
	for _, f := range files {
		if f.pkg() == pkg && f.isTest() {
			trees = append(trees, f.tree)
		}
	}
	var names []string
	for _, e := range doc.Examples(trees...) {
		if e.Output != "" {
			names = append(names, e.Name)
		}
	}
	return names
}

// isFor says whether an Example is one of a function F or a method T_M: its name is that,
// or that and a suffix in lower case.
func isFor(example, name string) bool {
	rest, found := strings.CutPrefix(example, name)
	suffix, more := strings.CutPrefix(rest, "_")
	first, _ := utf8.DecodeRuneInString(suffix)
	return found && (rest == "" || more && unicode.IsLower(first))
}

// withoutExample returns the exported functions and methods of a package that no Example is
// named for, as F and T_M.
func withoutExample(pkg string, files []file) (names []string) {
	examples := shown(pkg, files)
	for _, f := range files {
		if f.pkg() != pkg || f.isTest() {
			continue
		}
		for _, d := range f.tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Recv != nil && (!ast.IsExported(receiver(fn)) || slices.Contains(spoken, fn.Name.Name)) {
				continue
			}
			name := fn.Name.Name
			if fn.Recv != nil {
				name = receiver(fn) + "_" + name
			}
			if !slices.ContainsFunc(examples, func(e string) bool { return isFor(e, name) }) {
				names = append(names, name)
			}
		}
	}
	return names
}

// isInternal reports whether users cannot import a package.
func isInternal(path string) bool { return strings.Contains("/"+path+"/", "/internal/") }

// hidden returns the internal packages that a file imports, by their names in it.
func (f file) hidden() map[string]bool {
	names := map[string]bool{}
	for _, i := range f.tree.Imports {
		if p := strings.Trim(i.Path.Value, `"`); i.Name != nil {
			names[i.Name.Name] = isInternal(p)
		} else {
			names[path.Base(p)] = isInternal(p)
		}
	}
	return names
}

// notToCopy returns the uses of packages that users cannot import in the Examples of a file. In a
// file of Examples everything counts, since Examples share declarations.
func (f file) notToCopy() (violations []string) {
	hidden := f.hidden()
	for _, d := range f.tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !strings.Contains(path.Base(f.path), "example") && (!ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Example")) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && hidden[x.Name] {
					violations = append(violations, f.at(s.Pos(), "%s.%s", x.Name, s.Sel.Name))
				}
			}
			return true
		})
	}
	return violations
}

// Users can copy the code of Examples.
func TestExamplesCanBeCopied(t *testing.T) {
	files := tree(t, true)
	packages := importable(files)
	for _, f := range files {
		if !f.isTest() || !slices.Contains(packages, f.pkg()) {
			continue
		}
		for _, v := range f.notToCopy() {
			t.Errorf("%s: an Example with what a user cannot import", v)
		}
	}
}

// An internal package is found in an Example, under another name too, and in all of a file of
// Examples, but not in other tests.
func TestInternalPackageInExampleIsFound(t *testing.T) {
	const text = "package deploy_test\nimport \"m/internal/base/ptr\"\nimport p \"m/kube/internal/q\"\nimport \"m/revision\"\n" +
		"func ExampleA() {\n\tptr.To(1)\n\tp.N(p.M{})\n\trevision.New()\n}\n" +
		"func TestB() {\n\tptr.To(2)\n}\nfunc (t) ExampleC() {\n\tptr.To(3)\n}\n"
	for name, want := range map[string][]string{
		"deploy/a_test.go":         {"6: ptr.To", "7: p.N", "7: p.M"},
		"deploy/a_example_test.go": {"6: ptr.To", "7: p.N", "7: p.M", "11: ptr.To", "14: ptr.To"},
	} {
		f, err := parse(name, text)
		require.NoError(t, err)
		var places []string
		for _, v := range f.notToCopy() {
			places = append(places, strings.TrimPrefix(v, name+":"))
		}
		require.Equal(t, want, places)
	}
}

// Every function for users has an Example, with its output.
func TestExamples(t *testing.T) {
	files := tree(t, true)
	packages := importable(files)
	for _, pkg := range packages {
		if names := withoutExample(pkg, files); len(names) > 0 {
			t.Errorf("%s: these have no Example with an output: %s", pkg, strings.Join(names, " "))
		}
	}
	require.Subset(t, packages, slices.Collect(maps.Keys(forTests)))
	require.Subset(t, packages, []string{"deploy", "replicaset", "daemonset/inplace", "rollout/sim", "kube", "kube/argo"})
}

// importable returns the packages that users can import: all except programs, internal packages and
// examples to copy.
func importable(files []file) (packages []string) {
	for _, f := range files {
		if !f.isTest() && f.tree.Name.Name != "main" && !isInternal(f.pkg()) && !strings.HasPrefix(f.pkg(), "examples/") {
			packages = append(packages, f.pkg())
		}
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// A function without an Example is found. An Example counts if its output is checked and it is
// named for the function, not for a longer name or for a method of the same name.
func TestFunctionWithoutExampleIsFound(t *testing.T) {
	var files []file
	for name, text := range map[string]string{
		"deploy/a.go": "package deploy\nfunc Shown() {}\nfunc Silent() {}\nfunc Long() {}\nfunc Twice() {}\nfunc own() {}\n" +
			"type T[K any] struct{}\nfunc (t *T[K]) Shown() {}\nfunc (t T[K]) Long() {}\nfunc (t T[K]) String() string { return \"\" }\ntype u int\nfunc (u) M() {}\nfunc T_() {}",
		"deploy/a_test.go": "package deploy_test\nfunc ExampleShown() {\n\t// Output: 1\n}\nfunc ExampleSilent() {\n}\nfunc ExampleLonger() {\n\t// Output: 1\n}\n" +
			"func ExampleTwice_again() {\n\t// Output: 1\n}\nfunc ExampleT_Shown() {\n\t// Output: 1\n}\nfunc ExampleT_Longer() {\n\t// Output: 1\n}",
		"daemonset/a_test.go": "package daemonset_test\nfunc ExampleSilent() {\n\t// Output: 1\n}",
	} {
		f, err := parse(name, text)
		require.NoError(t, err)
		files = append(files, f)
	}
	require.ElementsMatch(t, []string{"Silent", "Long", "T_Long", "T_"}, withoutExample("deploy", files))
}
