// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// Constants returns the values of the constants of a type by name, read from the package in a
// folder and from its package of reasons.
func Constants(t T, folder, of string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range sources(t, folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if typeName(spec.Type) == of && len(spec.Values) == 1 {
				if text, ok := spec.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
					found[spec.Names[0].Name] = strings.Trim(text.Value, `"`)
				}
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatalf("%s has no constants of type %s", folder, of)
	}
	return found
}

// sources parses the files of the package in a folder and of its package of reasons, except tests.
func sources(t T, folder string) (files []*ast.File) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	reasons, _ := filepath.Glob(filepath.Join(folder, "reason", "*.go"))
	for _, path := range append(paths, reasons...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, wrong := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if wrong != nil {
			err = wrong
		}
		files = append(files, file)
	}
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(files), err)
	}
	return files
}

// NilWhenEmpty fails t if a slice or a map of these values is empty and not nil.
func NilWhenEmpty(t T, values ...any) {
	t.Helper()
	for _, v := range values {
		if path := empty("", reflect.ValueOf(&v).Elem()); path != "" {
			t.Fatalf("%s of %T is empty and not nil: JSON does not keep that", path, v)
		}
	}
}

// ThroughJSON fails t unless JSON keeps a plan unchanged.
func ThroughJSON[P any](t T, plan P) {
	t.Helper()
	NilWhenEmpty(t, plan)
	var back P
	text, err := json.Marshal(plan)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil {
		t.Fatalf("%T: %v", plan, err)
	}
	if d := difference("", reflect.ValueOf(&plan).Elem(), reflect.ValueOf(&back).Elem()); d != "" {
		t.Fatalf("JSON changes a plan: %s\n%s", d, text)
	}
}

// typeName returns the name of a type, of this package or of another one, or "".
func typeName(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.SelectorExpr:
		return of.Sel.Name
	}
	return ""
}
