// SPDX-License-Identifier: Apache-2.0

package unit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// upstreamPath is the path of the controllers in the module of Kubernetes, and copyPath their path
// in the copy.
const (
	upstreamPath = "k8s.io/kubernetes/pkg/controller"
	copyPath     = "kplan.test/unit/controller"
)

// packages are the copied folders below upstreamPath, each with the folder below shim that is
// linked into it.
var packages = []struct{ folder, shim string }{
	{".", "controller"},
	{"deployment", "deployment"},
	{"deployment/util", "deploymentutil"},
	{"replicaset", "replicaset"},
	{"daemon", "daemon"},
	{"daemon/util", "daemonutil"},
	{"history", "history"},
	{"replication", ""},
}

// copied is a module built in a folder, from the controllers below source.
type copied struct{ source, shims, folder string }

// write writes all packages.
func (c copied) write() error {
	for _, p := range packages {
		if err := c.writePackage(p.folder, p.shim); err != nil {
			return fmt.Errorf("%s: %w", p.folder, err)
		}
	}
	return nil
}

func (c copied) writePackage(folder, shim string) error {
	to := filepath.Join(c.folder, "controller", folder)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	replaced, err := c.writeShim(shim, to)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(c.source, folder, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(file, "_test.go") {
			if text, err = renamed(text, replaced); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), imported(text), 0o644); err != nil {
			return err
		}
	}
	if left := slices.DeleteFunc(keys(replaced), func(f string) bool { return replaced[f] }); len(left) > 0 && shim != "" {
		return checkHelpers(left, filepath.Join(c.shims, shim))
	}
	return nil
}

func keys(m map[string]bool) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

// checkHelpers fails if a function of a shim neither replaces an upstream function nor is called:
// then upstream has renamed the function that it replaced.
func checkHelpers(functions []string, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	var all []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		all = append(all, text...)
	}
	for _, f := range functions {
		name := f[strings.LastIndex(f, ".")+1:]
		if !ast.IsExported(name) && len(regexp.MustCompile(`\b`+name+`\b`).FindAll(all, -1)) < 2 {
			return fmt.Errorf("%s of %s takes the place of nothing", f, folder)
		}
	}
	return nil
}

// imported rewrites the imports of the copied packages.
func imported(text []byte) []byte {
	for _, p := range packages {
		path := strings.TrimSuffix(upstreamPath+"/"+p.folder, "/.")
		text = bytes.ReplaceAll(text, []byte(`"`+path+`"`), []byte(`"`+strings.Replace(path, upstreamPath, copyPath, 1)+`"`))
	}
	return text
}

// marker is the source of a function that prints a line when a test calls one of our functions.
const marker = `package %s

import "fmt"

func ours(what string) { fmt.Printf("\n%s%%s\n", what) }
`

// mark begins such a line.
const mark = "~~kplan~~ "

// writeShim copies a shim, and returns its functions, each false.
func (c copied) writeShim(shim, to string) (map[string]bool, error) {
	functions := map[string]bool{}
	if shim == "" {
		return functions, nil
	}
	files, err := filepath.Glob(filepath.Join(c.shims, shim, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				functions[named(f)] = false
			}
		}
		if err := os.WriteFile(filepath.Join(to, "kplan_"+filepath.Base(file)), imported(text), 0o644); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(to, "kplan_marker.go"), fmt.Appendf(nil, marker, parsed.Name, mark), 0o644); err != nil {
			return nil, err
		}
	}
	return functions, nil
}

// named returns the name of a function, for a method with the type of its receiver.
func named(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// renamed adds the prefix upstream to the names of the functions that a shim replaces, and sets
// their entries in replaced.
func renamed(text []byte, replaced map[string]bool) ([]byte, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var places []int
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if _, ours := replaced[named(f)]; ours {
				replaced[named(f)] = true
				places = append(places, set.Position(f.Name.Pos()).Offset)
			}
		}
	}
	for _, at := range slices.Backward(places) {
		text = slices.Insert(text, at, []byte("upstream")...)
	}
	return text, nil
}
