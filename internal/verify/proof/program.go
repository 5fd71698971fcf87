// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

const (
	module       = "github.com/kplan-go/kplan"
	propertyPath = module + "/internal/verify/proof/property"
)

// A group is a list of packages whose functions are translated, each after its imports. The
// last package has the contracts and properties to prove; in the first group all packages
// have some.
type group struct {
	paths []string
	// within is a file of properties that is added to the last package, if these are about
	// unexported functions.
	within string
}

var groups = []group{
	{[]string{module + "/rollout", module + "/rollout/partition", propertyPath}, ""},
	{[]string{module + "/rollout", module + "/rollout/argo"}, "argo.go"},
	{[]string{module + "/podorder"}, "podorder.go"},
}

// last returns the path of the last package.
func (g group) last() string { return g.paths[len(g.paths)-1] }

// added returns the path of the file of properties in the package, and its text.
func (g group) added() (map[string][]byte, error) {
	if g.within == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join("testdata", "within", g.within))
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join("..", "..", "..", strings.TrimPrefix(g.last(), module), withinFile))
	return map[string][]byte{path: text}, err
}

// withinFile is the name of a file of properties in the package that it is added to.
const withinFile = "zz_property.go"

// A source is the Go code in files, by groups.
type source struct {
	files *token.FileSet
	roots [][]*packages.Package
}

// A program is the Go code with its contracts and properties.
type program struct {
	files      *token.FileSet
	syntax     []*ast.File
	contracts  []contract          // of functions that have one, as they are written
	properties []contract          // they ensure nothing, but prove something
	others     map[string]contract // the other functions of the package of properties
	loops      map[*ssa.Function][]*loop
}

// readSource reads the packages.
func readSource() (*source, error) {
	s := &source{files: token.NewFileSet()}
	for _, g := range groups {
		added, err := g.added()
		if err != nil {
			return nil, err
		}
		config := &packages.Config{Mode: packages.LoadSyntax, Fset: s.files, Overlay: added}
		roots, err := packages.Load(config, g.paths...)
		if err != nil {
			return nil, err
		}
		var problems []error
		packages.Visit(roots, nil, func(p *packages.Package) {
			for _, e := range p.Errors {
				problems = append(problems, fmt.Errorf("%s: %w", p.PkgPath, e))
			}
		})
		if len(problems) > 0 {
			return nil, errors.Join(problems...)
		}
		slices.SortFunc(roots, func(a, b *packages.Package) int {
			return slices.Index(g.paths, a.PkgPath) - slices.Index(g.paths, b.PkgPath)
		})
		s.roots = append(s.roots, roots)
	}
	return s, nil
}

// program builds the code. If an overlay replaces the text of some files, it has only the
// groups with one of them.
func (s *source) program(overlay map[string][]byte) (*program, error) {
	p := &program{files: s.files, others: map[string]contract{}, loops: map[*ssa.Function][]*loop{}}
	for i, roots := range s.roots {
		if overlay != nil {
			if !slices.ContainsFunc(roots, func(r *packages.Package) bool {
				return slices.ContainsFunc(r.GoFiles, func(f string) bool { return overlay[f] != nil })
			}) {
				continue
			}
			var err error
			if roots, err = s.changed(roots, overlay); err != nil {
				return nil, err
			}
		}
		if err := p.add(groups[i], roots); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add builds a group of packages, and lists its contracts and properties.
func (p *program) add(g group, roots []*packages.Package) error {
	all, built := ssautil.Packages(roots, ssa.InstantiateGenerics|ssa.GlobalDebug)
	all.Build()
	for i, root := range roots {
		for _, file := range root.Syntax {
			if !slices.ContainsFunc(p.syntax, func(f *ast.File) bool { return p.name(f) == p.name(file) }) {
				p.syntax = append(p.syntax, file) // several groups may have the same package
			}
		}
		if g.within != "" && root.PkgPath != g.last() {
			continue // its contracts are those of another group
		}
		for _, f := range functionsOf(built[i]) {
			c, err := p.contractOf(f)
			if err != nil {
				return err
			}
			within := root.PkgPath == propertyPath || filepath.Base(p.files.Position(f.Pos()).Filename) == withinFile
			switch {
			case len(c.ensures) > 0:
				p.contracts = append(p.contracts, c)
			case within && f.Object() != nil && f.Object().Exported():
				c.property = true
				p.properties = append(p.properties, c)
			case within:
				p.others[f.Name()] = c
			}
		}
	}
	return nil
}

// all returns the functions to prove: contracts first, since properties need them.
func (p *program) all() []contract { return append(slices.Clone(p.contracts), p.properties...) }

// name returns the name of a file.
func (p *program) name(f *ast.File) string { return p.files.Position(f.FileStart).Filename }

// changed checks the packages again.
func (s *source) changed(old []*packages.Package, overlay map[string][]byte) ([]*packages.Package, error) {
	fresh := map[string]*packages.Package{}
	var roots []*packages.Package
	for _, old := range old {
		p := *old
		p.Syntax, p.Imports = slices.Clone(old.Syntax), map[string]*packages.Package{}
		for i, file := range p.Syntax {
			name := s.files.Position(file.FileStart).Filename
			if text, ok := overlay[name]; ok {
				var err error
				if p.Syntax[i], err = parser.ParseFile(s.files, name, text, parser.ParseComments); err != nil {
					return nil, err
				}
			}
		}
		for path, imported := range old.Imports {
			p.Imports[path] = imported
			if f := fresh[path]; f != nil {
				p.Imports[path] = f
			}
		}
		p.TypesInfo = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{},
			Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
		}
		config := types.Config{Importer: importer(p.Imports), Sizes: old.TypesSizes}
		var err error
		if p.Types, err = config.Check(p.PkgPath, s.files, p.Syntax, p.TypesInfo); err != nil {
			return nil, err
		}
		fresh[p.PkgPath] = &p
		roots = append(roots, &p)
	}
	return roots, nil
}

// An importer finds packages that are loaded already.
type importer map[string]*packages.Package

// Import returns the types of a package.
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := i[path]; p != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}

// functionsOf returns the functions and methods of a package in the order of the source.
func functionsOf(p *ssa.Package) []*ssa.Function {
	var all []*ssa.Function
	for _, m := range p.Members {
		switch m := m.(type) {
		case *ssa.Function:
			all = append(all, m)
		case *ssa.Type:
			named, ok := m.Type().(*types.Named)
			for i := 0; ok && i < named.NumMethods(); i++ {
				all = append(all, p.Prog.FuncValue(named.Method(i)))
			}
		}
	}
	slices.SortFunc(all, func(a, b *ssa.Function) int {
		at, bt := p.Prog.Fset.Position(a.Pos()), p.Prog.Fset.Position(b.Pos())
		if at.Filename != bt.Filename {
			return strings.Compare(at.Filename, bt.Filename)
		}
		return at.Line - bt.Line
	})
	return all
}
