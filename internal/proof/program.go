package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// The packages whose functions are translated, each behind those that it imports.
const (
	module       = "github.com/kplan-go/kplan"
	propertyPath = module + "/internal/proof/property"
)

var translated = []string{module + "/rollout", module + "/rollout/partition", propertyPath}

// A source is the Go code as it stands in files.
type source struct {
	files *token.FileSet
	roots []*packages.Package
}

// A program is the Go code that is proved.
type program struct {
	files      *token.FileSet
	syntax     []*ast.File
	contracts  []contract          // of functions that have one, as they are written
	properties []contract          // they promise nothing, but prove something
	others     map[string]contract // the other functions of the package of properties
	loops      map[*ssa.Function][]*loop
}

// readSource reads the packages.
func readSource() (*source, error) {
	config := &packages.Config{Mode: packages.LoadSyntax, Fset: token.NewFileSet()}
	roots, err := packages.Load(config, translated...)
	if err != nil {
		return nil, err
	}
	var problems []error
	packages.Visit(roots, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			problems = append(problems, fmt.Errorf("%s: %w", p.PkgPath, e))
		}
	})
	slices.SortFunc(roots, func(a, b *packages.Package) int {
		return slices.Index(translated, a.PkgPath) - slices.Index(translated, b.PkgPath)
	})
	return &source{config.Fset, roots}, errors.Join(problems...)
}

// program builds the code, with other text in some files.
func (s *source) program(overlay map[string][]byte) (*program, error) {
	roots := s.roots
	if overlay != nil {
		var err error
		if roots, err = s.changed(overlay); err != nil {
			return nil, err
		}
	}
	all, built := ssautil.Packages(roots, ssa.InstantiateGenerics|ssa.GlobalDebug)
	all.Build()
	p := &program{files: s.files, others: map[string]contract{}, loops: map[*ssa.Function][]*loop{}}
	for _, root := range roots {
		p.syntax = append(p.syntax, root.Syntax...)
	}
	for i, root := range roots {
		for _, f := range functionsOf(built[i]) {
			c, err := p.contractOf(f)
			if err != nil {
				return nil, err
			}
			if len(c.ensures) > 0 {
				p.contracts = append(p.contracts, c)
			} else if root.PkgPath == propertyPath && f.Object() != nil && f.Object().Exported() {
				p.properties = append(p.properties, c)
			} else if root.PkgPath == propertyPath {
				p.others[f.Name()] = c
			}
		}
	}
	return p, nil
}

// all lists what is proved: contracts first, since properties build on them.
func (p *program) all() []contract { return append(slices.Clone(p.contracts), p.properties...) }

// changed checks the packages anew.
func (s *source) changed(overlay map[string][]byte) ([]*packages.Package, error) {
	fresh := map[string]*packages.Package{}
	var roots []*packages.Package
	for _, old := range s.roots {
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

// functionsOf lists the functions and methods of a package as they are written.
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
