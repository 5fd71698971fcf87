// SPDX-License-Identifier: Apache-2.0

package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/kplan-go/kplan"

// A file is a parsed source file of the module.
type file struct {
	path string // slash separated, below the root
	text string
	fset *token.FileSet
	tree *ast.File
}

func parse(name, text string) (file, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	return file{name, text, fset, tree}, err
}

// pkg returns the folder of the file, which is the path of its package below the
// module.
func (f file) pkg() string { return path.Dir(f.path) }

func (f file) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// at returns a violation with its place.
func (f file) at(pos token.Pos, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", f.path, f.fset.Position(pos).Line, fmt.Sprintf(format, args...))
}

var toolkits = []string{"internal/base/quirkset", "internal/base/union", "internal/base/zero", "podorder", "podorder/pausepoint", "revision", "rollout", "rollout/partition", "selector", "selector/claim"}

// ofWorlds are the packages of the objects in a simulated cluster.
var ofWorlds = append([]string{"daemonset", "daemonset/inplace", "deploy", "replicaset", "replicaset/expect", "rollout/argo", "rollout/batchrelease", "rollout/kruise", "rollout/traffic", "rollout/workload"}, toolkits...)

// rooms are packages of the engine of simulated clusters.
func rooms(names ...string) (pkgs []string) {
	for _, name := range names {
		pkgs = append(pkgs, "rollout/sim/internal/"+name)
	}
	return pkgs
}

// engine lists the packages of ours that the rooms of that engine may import: the rooms below them,
// and the packages of their objects and planners. They have state, and are not the core.
var engine = map[string][]string{
	"rollout/sim/internal/trouble":     {},
	"rollout/sim/internal/agenda":      {},
	"rollout/sim/internal/store":       append([]string{"rollout/sim/cluster"}, ofWorlds...),
	"rollout/sim/internal/podset":      append([]string{"rollout/ordinal", "rollout/sim/cluster"}, ofWorlds...),
	"rollout/sim/internal/apiserver":   append([]string{"rollout/sim/cluster"}, append(rooms("agenda", "store", "trouble"), ofWorlds...)...),
	"rollout/sim/internal/life":        append([]string{"rollout/sim/cluster", "rollout/sim/scheduler"}, append(rooms("agenda", "apiserver", "store", "trouble"), ofWorlds...)...),
	"rollout/sim/internal/control":     append([]string{"rollout/sim/cluster"}, append(rooms("agenda", "apiserver", "store", "trouble"), ofWorlds...)...),
	"rollout/sim/internal/controllers": append([]string{"internal/base/apply", "rollout/sim/cluster"}, append(rooms("agenda", "apiserver", "control", "life", "podset", "store", "trouble"), ofWorlds...)...),
	"rollout/sim/internal/chaos":       append([]string{"rollout/sim/cluster"}, append(rooms("agenda", "apiserver", "control", "controllers", "life", "store", "trouble"), ofWorlds...)...),
}

// machinery lists the standard packages that the engine may import in addition to the core's.
var machinery = []string{"container/heap", "math/rand/v2", "reflect"}

var ofRollouts = []string{"internal/base/quirkset", "internal/base/union", "internal/base/zero", "revision", "rollout", "rollout/partition"}

// imports lists the packages of ours that each package may import. Its keys that are not below
// internal are the exported core; they, internal/base/field, internal/base/quirk,
// internal/base/union and internal/base/zero are the core.
var imports = map[string][]string{
	".":                       {},
	"internal/base/ptr":       {},
	"internal/base/union":     {},
	"internal/base/zero":      {},
	"selector":                {"internal/base/union", "internal/base/zero"},
	"selector/algebra":        {"internal/base/zero", "selector"},
	"selector/claim":          {"internal/base/union", "internal/base/zero", "selector", "selector/algebra"},
	"internal/base/field":     {},
	"internal/base/quirkset":  {},
	"internal/base/apply":     {},
	"internal/base/condition": {},
	"revision":                {"internal/base/quirkset", "internal/base/zero"},
	"revision/kubectl":        {"internal/base/zero", "revision"},
	"podorder":                {"internal/base/quirkset", "internal/base/zero", "selector"},
	"podorder/pausepoint":     {"podorder"},
	"rollout":                 {"rollout/reason"},
	"rollout/argo":            {"internal/base/apply", "internal/base/condition", "internal/base/quirkset", "internal/base/union", "internal/base/zero", "rollout"},
	"rollout/ordinal":         {"rollout"},
	"rollout/partition":       {"internal/base/union", "rollout"},
	"rollout/traffic":         {"internal/base/zero", "rollout"},
	"rollout/workload":        {"internal/base/quirkset", "internal/base/union", "internal/base/zero", "revision", "rollout", "rollout/partition"},
	"rollout/batchrelease":    append([]string{"internal/base/apply", "internal/base/condition", "rollout/workload"}, ofRollouts...),
	"rollout/kruise":          append([]string{"internal/base/apply", "internal/base/condition", "rollout/batchrelease", "rollout/traffic", "rollout/workload"}, ofRollouts...),
	"rollout/preview":         append([]string{"rollout/batchrelease", "rollout/kruise", "rollout/workload"}, ofRollouts...),
	"internal/base/paged":     {"internal/base/field"},
	"internal/base/tracked":   {"internal/base/field", "internal/base/paged", "internal/base/version", "podorder", "selector"},
	"internal/base/version":   {},
	"internal/base/ranking":   {"internal/base/paged", "internal/base/tracked", "podorder"},
	// A world of them all, which its owner changes. Its engine has rooms: see below.
	"rollout/sim":         append([]string{"rollout/sim/cluster", "rollout/sim/scheduler", "internal/base/apply", "internal/base/field"}, append(rooms("apiserver", "agenda", "chaos", "controllers", "life", "store", "trouble"), ofWorlds...)...),
	"rollout/sim/cluster": ofWorlds,
	"rollout/sim/record": {
		"daemonset", "deploy", "podorder", "replicaset", "revision", "rollout/argo", "rollout/batchrelease", "rollout/kruise", "rollout/sim",
		"rollout/sim/cluster", "rollout/traffic", "rollout/workload",
	},
	"rollout/sim/scheduler":       {"daemonset", "podorder", "rollout/sim/cluster", "selector"},
	"replicaset":                  append([]string{"internal/base/apply", "internal/base/field", "internal/base/ranking", "internal/base/paged", "internal/base/tracked", "replicaset/expect"}, toolkits...),
	"replicaset/expect":           {"internal/base/version"},
	"daemonset":                   append([]string{"internal/base/apply", "internal/base/field", "internal/base/paged", "internal/base/tracked", "replicaset", "replicaset/expect", "daemonset/inplace"}, toolkits...), // replicaset for effects
	"daemonset/inplace":           {"internal/base/zero"},
	"deploy/quirk":                {"internal/base/quirkset", "revision", "revision/quirk"},
	"replicaset/quirk":            {"internal/base/quirkset"},
	"daemonset/quirk":             {"internal/base/quirkset", "revision", "revision/quirk"},
	"revision/quirk":              {"internal/base/quirkset"},
	"rollout/argo/quirk":          {"internal/base/quirkset"},
	"rollout/workload/quirk":      {"internal/base/quirkset"},
	"deploy/reason":               {},
	"rollout/reason":              {},
	"replicaset/reason":           {},
	"daemonset/reason":            {},
	"rollout/argo/reason":         {},
	"rollout/batchrelease/reason": {},
	"rollout/kruise/reason":       {},
	"deploy":                      append([]string{"internal/base/apply", "internal/base/field", "internal/base/paged", "internal/base/tracked", "replicaset"}, toolkits...),
}

// forTests lists the packages of ours that the packages for users' tests may import. They are not
// part of the core: apart from the standard library they may import rapid, for their generators,
// and the core may not import them.
var forTests = map[string][]string{
	"deploy/deploytest":         {"deploy", "internal/verify/invariant", "internal/verify/properties", "internal/verify/random", "rollout/plantest", "replicaset", "revision", "rollout"},
	"daemonset/daemonsettest":   {"daemonset", "daemonset/inplace", "internal/verify/invariant", "internal/verify/properties", "internal/verify/random", "rollout/plantest", "podorder"},
	"rollout/plantest":          {"internal/verify/properties", "internal/verify/random"},
	"podorder/podordertest":     {"internal/verify/invariant", "internal/verify/properties", "internal/verify/random", "rollout/plantest", "podorder"},
	"selector/selectortest":     {"internal/verify/invariant", "internal/verify/properties", "internal/verify/random", "rollout/plantest", "selector", "selector/claim"},
	"rollout/rollouttest":       {"internal/verify/invariant", "internal/verify/properties", "internal/verify/random", "rollout/plantest", "rollout", "rollout/argo", "rollout/batchrelease", "rollout/kruise", "rollout/traffic", "rollout/workload"},
	"replicaset/replicasettest": {"internal/verify/invariant", "internal/verify/properties", "internal/verify/random", "rollout/plantest", "podorder", "replicaset", "selector/claim"},
}

const rapid = "pgregory.net/rapid"

// everywhere may be imported by every package: the root package, and pointers to values in place
// of new(value), which the oldest Go that the core supports does not have.
var everywhere = []string{".", "internal/base/ptr"}

// supporting packages serve tests and readers, and may import any package. The core may not import
// them.
var supporting = []string{"internal/verify/adopters", "internal/verify/bugbank", "internal/verify/house", "internal/verify/invariant", "internal/verify/outside", "internal/verify/properties", "internal/verify/purity", "internal/verify/random", "internal/verify/recorded", "internal/verify/scenario", "internal/verify/smallscope", "internal/verify/total", "internal/verify/trace", "internal/verify/trackedtest"}

func isSupporting(pkg string) bool {
	return slices.Contains(supporting, pkg) || pkg == "examples" || strings.HasPrefix(pkg, "examples/")
}

func isCore(f file) bool {
	_, ok := imports[f.pkg()]
	return ok && !f.isTest()
}

// isForUsers reports whether a file is documented for users: in the core, or in a package for their
// tests.
func isForUsers(f file) bool {
	_, ok := forTests[f.pkg()]
	return isCore(f) || ok && !f.isTest()
}

var standard = []string{
	// The hashes of a Rollout and a BatchRelease are SHA-256, which is a pure function.
	"bytes", "cmp", "crypto/sha256", "encoding/hex", "encoding/json", "errors", "fmt", "hash/fnv", "iter", "maps", "math", "math/bits",
	"slices", "strconv", "strings", "time",
}

// checkOwnImports rejects imports between our packages that the table does not
// list, and packages that it does not know.
func checkOwnImports(f file) (violations []string) {
	if f.isTest() || isSupporting(f.pkg()) {
		return nil
	}
	allowed, known := imports[f.pkg()]
	for _, table := range []map[string][]string{forTests, engine} {
		if list, ok := table[f.pkg()]; ok {
			allowed, known = list, true
		}
	}
	if !known {
		return []string{f.at(f.tree.Package, "package %s is not in the table of imports", f.pkg())}
	}
	for _, spec := range f.tree.Imports {
		target, own := ours(importPath(spec))
		// Who imports a planner may name its reasons and quirks.
		home := strings.TrimSuffix(strings.TrimSuffix(target, "/reason"), "/quirk")
		if own && !slices.Contains(everywhere, target) && home != f.pkg() && !slices.Contains(allowed, home) {
			violations = append(violations, f.at(spec.Pos(), "%s may not import %s", f.pkg(), target))
		}
	}
	return violations
}

// checkOtherImports allows the core a list of standard packages, test packages rapid as well, and
// no renamed imports, which would hide calls.
func checkOtherImports(f file) (violations []string) {
	_, room := engine[f.pkg()]
	if !isForUsers(f) && (!room || f.isTest()) {
		return nil
	}
	for _, spec := range f.tree.Imports {
		target := importPath(spec)
		if room && slices.Contains(machinery, target) {
			continue
		}
		if spec.Name != nil {
			violations = append(violations, f.at(spec.Pos(), "import of %s has a name of its own", target))
		}
		if target == rapid && !isCore(f) {
			continue
		}
		if target == "reflect" && f.pkg() == "internal/base/union" {
			continue // which makes the values that encoding/json decodes, as that does
		}
		if _, own := ours(target); !own && !slices.Contains(standard, target) {
			violations = append(violations, f.at(spec.Pos(), "import of %s", target))
		}
	}
	return violations
}

// ours returns the folder of a package, and whether it is in this repository.
func ours(importPath string) (folder string, own bool) {
	if importPath == module {
		return ".", true
	}
	return strings.CutPrefix(importPath, module+"/")
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// impure matches calls that read a clock or the machine, wait, or print.
var impure = regexp.MustCompile(`^(time\.(Now|Since|Until|After|AfterFunc|Tick|Sleep|New(Timer|Ticker)|Timer|Ticker|Local|LoadLocation)` +
	`|fmt\.F?(Print|Scan)(f|ln)?)$`)

// copied is the only file of the core that may panic, for a Tracker that was copied by value.
const copied = "internal/base/tracked/self.go"

// checkPure rejects clocks, goroutines, channels, I/O and panics in the core.
func checkPure(f file) (violations []string) {
	if !isCore(f) {
		return nil
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if what := impurity(n); what != "" && (what != "panic" || f.path != copied) {
			violations = append(violations, f.at(n.Pos(), "%s", what))
		}
		return true
	})
	return violations
}

func impurity(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "go statement"
	case *ast.SelectStmt:
		return "select statement"
	case *ast.SendStmt:
		return "send statement"
	case *ast.ChanType:
		return "channel"
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			return "receive"
		}
	case *ast.SelectorExpr:
		if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil && impure.MatchString(x.Name+"."+n.Sel.Name) {
			return x.Name + "." + n.Sel.Name
		}
		if n.Sel.Name == "Local" {
			return "Local depends on the machine"
		}
	case *ast.Ident:
		if n.Obj == nil && slices.Contains([]string{"panic", "print", "println", "recover"}, n.Name) {
			return n.Name
		}
	}
	return ""
}

// checkState rejects package variables, except error sentinels and assertions that
// a type implements an interface, and init functions.
func checkState(f file) (violations []string) {
	if !isCore(f) {
		return nil
	}
	for _, decl := range f.tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" {
				violations = append(violations, f.at(d.Pos(), "init function"))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && !isSentinel(v) && !isAssertion(v) {
					violations = append(violations, f.at(v.Pos(), "package variable %s", v.Names[0].Name))
				}
			}
		}
	}
	return violations
}

var errName = regexp.MustCompile(`^[eE]rr[A-Z]`)

// isSentinel recognises ErrX = errors.New("…").
func isSentinel(v *ast.ValueSpec) bool {
	if len(v.Names) != 1 || len(v.Values) != 1 || !errName.MatchString(v.Names[0].Name) {
		return false
	}
	call, ok := v.Values[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "errors" && s.Sel.Name == "New"
}

// checkAliases rejects a second name for a type that another package declares.
func checkAliases(f file) (violations []string) {
	if f.isTest() || isSupporting(f.pkg()) {
		return nil
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		s, ok := n.(*ast.TypeSpec)
		if !ok || !s.Assign.IsValid() || !s.Name.IsExported() {
			return true
		}
		if _, ok := s.Type.(*ast.SelectorExpr); ok {
			violations = append(violations, f.at(s.Pos(), "alias %s", s.Name.Name))
		}
		if x, ok := s.Type.(*ast.IndexExpr); ok && len(violations) == 0 {
			if _, ok := x.X.(*ast.SelectorExpr); ok {
				violations = append(violations, f.at(s.Pos(), "alias %s", s.Name.Name))
			}
		}
		return true
	})
	return violations
}

// isAssertion recognises var _ I = T{}.
func isAssertion(v *ast.ValueSpec) bool {
	return len(v.Names) == 1 && v.Names[0].Name == "_" && v.Type != nil && len(v.Values) == 1
}

const (
	maxFunction = 60
	maxFile     = 400
)

// checkSize limits the length of functions and files of the core.
func checkSize(f file) (violations []string) {
	if !isForUsers(f) {
		return nil
	}
	if n := strings.Count(f.text, "\n"); n > maxFile {
		violations = append(violations, fmt.Sprintf("%s: %d lines", f.path, n))
	}
	for _, decl := range f.tree.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := f.fset.Position(d.End()).Line - f.fset.Position(d.Pos()).Line + 1; n > maxFunction {
			violations = append(violations, f.at(d.Pos(), "function %s has %d lines", d.Name.Name, n))
		}
	}
	return violations
}

// checkPlace rejects packages that are named for nothing in particular.
func checkPlace(f file) (violations []string) {
	for _, name := range append(strings.Split(f.pkg(), "/"), strings.TrimSuffix(f.tree.Name.Name, "_test")) {
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "types", "api"}, name) {
			violations = append(violations, f.at(f.tree.Package, "package name %s", name))
			break
		}
	}
	return violations
}

// checkComments demands that the comment of each exported identifier starts with
// its name. The members of a group of constants may share one.
func checkComments(f file) (violations []string) {
	if !isForUsers(f) {
		return nil
	}
	for _, decl := range f.tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) && !startsWith(d.Doc, d.Name.Name) {
				violations = append(violations, f.at(d.Pos(), "comment of %s", d.Name.Name))
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				violations = append(violations, f.checkSpec(d, spec)...)
			}
		}
	}
	return violations
}

func (f file) checkSpec(d *ast.GenDecl, spec ast.Spec) (violations []string) {
	grouped := d.Lparen.IsValid()
	switch s := spec.(type) {
	case *ast.TypeSpec:
		doc := s.Doc
		if !grouped {
			doc = d.Doc
		}
		if s.Name.IsExported() && !startsWith(doc, s.Name.Name) {
			violations = append(violations, f.at(s.Pos(), "comment of %s", s.Name.Name))
		}
	case *ast.ValueSpec:
		for _, name := range s.Names {
			shared := grouped && (d.Doc != nil || s.Comment != nil) && s.Doc == nil
			own := startsWith(s.Doc, name.Name) || !grouped && startsWith(d.Doc, name.Name)
			if name.IsExported() && !shared && !own {
				violations = append(violations, f.at(name.Pos(), "comment of %s", name.Name))
			}
		}
	}
	return violations
}

// startsWith reports whether the comment begins with the name, after an article.
func startsWith(doc *ast.CommentGroup, name string) bool {
	words := strings.Fields(doc.Text())
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) && words[0] != name {
		words = words[1:]
	}
	return len(words) > 1 && words[0] == name
}

// exportedReceiver reports whether d is a function, or a method of an exported
// type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// rules are the rules for single files.
var rules = map[string]func(file) []string{
	"own imports":   checkOwnImports,
	"other imports": checkOtherImports,
	"pure":          checkPure,
	"state":         checkState,
	"size":          checkSize,
	"place":         checkPlace,
	"comments":      checkComments,
	"aliases":       checkAliases,
	"modules":       checkModules,
}
