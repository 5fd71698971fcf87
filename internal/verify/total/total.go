// SPDX-License-Identifier: Apache-2.0

package total

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// A Package lists the exported functions and types of a package, since Go has no reflection over
// packages. [Package.Check] compares the list with the sources in the folder of the test.
type Package struct {
	Functions map[string]any
	Types     []reflect.Type // methods are found by reflection
	// Skip names functions, and methods as Type.Method, that are not called, each with the reason.
	Skip map[string]string
	// Specials draw values of types with more rules than their fields show.
	Specials []func(t reflect.Type, random *rand.Rand) (reflect.Value, bool)
	// NoJSON names types, and fields as Type.Field, without JSON.
	NoJSON []string
}

// Check fails the test if an exported function or method panics, or is not listed.
func (p Package) Check(t *testing.T) {
	t.Helper()
	p.complete(t)
	calls := p.calls()
	for name := range p.Skip {
		if !slices.ContainsFunc(calls, func(c call) bool { return c.name == name }) {
			t.Errorf("%s is to be skipped, but is not there", name)
		}
	}
	d := &drawer{random: rand.New(rand.NewPCG(1, 2)), pool: map[reflect.Type][]reflect.Value{}, types: p.Types, specials: p.Specials}
	panicked := map[string]bool{}
	for round := range 200 {
		for _, c := range calls {
			if _, skipped := p.Skip[c.name]; skipped || panicked[c.name] {
				continue
			}
			if text := c.try(d, round); text != "" {
				panicked[c.name] = true
				t.Errorf("%s panics: %s", c.name, text)
			}
		}
	}
}

// complete compares the lists with the sources.
func (p Package) complete(t *testing.T) {
	t.Helper()
	functions, types := exported(t)
	for _, name := range functions {
		if _, ok := p.Functions[name]; !ok {
			t.Errorf("function %s is not listed", name)
		}
	}
	if len(functions) < len(p.Functions) {
		t.Errorf("%d functions are listed, %d are exported", len(p.Functions), len(functions))
	}
	var listed []string
	for _, typ := range p.Types {
		name, _, _ := strings.Cut(typ.Name(), "[") // a generic type is listed as an instance
		listed = append(listed, name)
	}
	slices.Sort(listed)
	if !slices.Equal(types, listed) {
		t.Errorf("listed types\n%v\nexported types\n%v", listed, types)
	}
}

// exported returns the names of the functions and types, except aliases, that the package in the
// working directory exports.
func exported(t *testing.T) (functions, types []string) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatal("no sources:", err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.IsExported() {
					functions = append(functions, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok && s.Name.IsExported() && s.Assign == token.NoPos {
						types = append(types, s.Name.Name)
					}
				}
			}
		}
	}
	slices.Sort(functions)
	slices.Sort(types)
	return functions, types
}

// A call is an exported function, or a method with its receiver as the first argument.
type call struct {
	name     string
	function reflect.Value
	method   bool
}

func (p Package) calls() []call {
	var calls []call
	for _, name := range slices.Sorted(maps.Keys(p.Functions)) {
		calls = append(calls, call{name, reflect.ValueOf(p.Functions[name]), false})
	}
	for _, typ := range p.Types {
		if typ.Kind() == reflect.Interface {
			continue
		}
		pointer := reflect.PointerTo(typ)
		for i := range pointer.NumMethod() {
			m := pointer.Method(i)
			if promoted(typ, m.Name) {
				continue
			}
			calls = append(calls, call{typ.Name() + "." + m.Name, m.Func, true})
		}
	}
	return calls
}

// promoted reports whether a method is promoted from an embedded type of another package.
func promoted(typ reflect.Type, method string) bool {
	if typ.Kind() != reflect.Struct {
		return false
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.Anonymous || f.Type.PkgPath() == typ.PkgPath() {
			continue
		}
		if _, ok := reflect.PointerTo(f.Type).MethodByName(method); ok {
			return true
		}
	}
	return false
}

// try makes the call once and returns the text of the panic, if there is one. The first round
// passes zero values, the second pointers to zero values, the others random values. A method is
// never called on a nil pointer or a nil map, where Go itself panics.
func (c call) try(d *drawer, round int) (text string) {
	t := c.function.Type()
	arguments := make([]reflect.Value, t.NumIn())
	for i := range arguments {
		d.depth = 0
		switch {
		case c.method && i == 0:
			arguments[i] = reflect.New(t.In(i).Elem())
			receiver := arguments[i].Elem()
			if receiver.Set(d.draw(t.In(i).Elem(), round)); receiver.Kind() == reflect.Map && receiver.IsNil() {
				receiver.Set(reflect.MakeMap(receiver.Type()))
			}
		default:
			arguments[i] = d.draw(t.In(i), round)
		}
	}
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("%v\narguments: %s\n%s", r, describe(arguments), top(debug.Stack()))
		}
	}()
	run := c.function.Call
	if t.IsVariadic() {
		run = c.function.CallSlice
	}
	for _, result := range run(arguments) {
		d.keep(result)
	}
	return ""
}

func describe(values []reflect.Value) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, fmt.Sprintf("%#v", v))
	}
	text := strings.Join(texts, ", ")
	return text[:min(len(text), 400)]
}

// top returns the lines of a stack at the panic.
func top(stack []byte) string {
	_, after, _ := strings.Cut(string(stack), "panic(")
	lines := strings.Split(after, "\n")
	return strings.Join(lines[min(2, len(lines)):min(8, len(lines))], "\n")
}
