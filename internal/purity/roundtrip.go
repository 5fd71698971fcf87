package purity

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
)

// RoundTrip fills every exported field of the types of values, at any depth, with
// something that is not zero, and fails t unless JSON gives it back. What cannot be
// filled by reflection comes from the samples: values of opaque types, and one of each
// type that an interface may hold. Functions are left out.
//
// The exported struct types with JSON tags of the package in folder must all be among the
// values or be reached from them, so that a type which is added there is not forgotten.
func RoundTrip(t T, folder string, samples []any, values ...any) {
	t.Helper()
	known := map[string]bool{}
	for _, v := range values {
		of := reflect.TypeOf(v)
		f := filler{samples: samples, seen: known}
		filled := reflect.New(of)
		f.fill(filled.Elem())
		if path := empty(of.Name(), filled.Elem()); path != "" {
			t.Fatalf("%s cannot be filled: give a sample", path)
		}
		text, err := json.Marshal(filled.Interface())
		back := reflect.New(of)
		if err == nil {
			err = json.Unmarshal(text, back.Interface())
		}
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		if d := difference(of.Name(), filled.Elem(), back.Elem()); d != "" {
			t.Fatalf("JSON loses %s\n%s", d, text)
		}
	}
	for _, name := range tagged(t, folder) {
		if !known[name] {
			t.Fatalf("%s has JSON tags, and no value leads to it", name)
		}
	}
}

// A filler gives each field another value.
type filler struct {
	samples []any
	seen    map[string]bool // the names of the types
	n       int
}

func (f *filler) fill(v reflect.Value) {
	f.n = f.n%100 + 1
	name, _, _ := strings.Cut(v.Type().Name(), "[") // of a generic type an instance
	f.seen[name] = true
	for _, s := range f.samples {
		if reflect.TypeOf(s) == v.Type() && v.Kind() != reflect.Struct || reflect.TypeOf(s) == v.Type() && opaque(v.Type()) {
			v.Set(reflect.ValueOf(s))
			return
		}
	}
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Date(2026, 3, 1, 12, 0, f.n, 0, time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.n))
	case reflect.String:
		v.SetString(fmt.Sprint("text", f.n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i))
			}
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Slice:
		f.list(v)
	}
}

// list fills a slice with an element, or if they are interfaces one of each sample that
// fits.
func (f *filler) list(v reflect.Value) {
	element := v.Type().Elem()
	if element.Kind() != reflect.Interface {
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0))
		return
	}
	for _, s := range f.samples {
		if of := reflect.TypeOf(s); of.Implements(element) {
			filled := reflect.New(of).Elem()
			f.fill(filled)
			v.Set(reflect.Append(v, filled))
		}
	}
}

// opaque reports whether a struct has fields and shows none of them.
func opaque(of reflect.Type) bool {
	return of.NumField() > 0 && !slices.ContainsFunc(reflect.VisibleFields(of), func(f reflect.StructField) bool { return f.IsExported() })
}

// empty returns the path to an exported field that is zero and no function, "" if there
// is none.
func empty(path string, v reflect.Value) (found string) {
	switch {
	case v.Kind() == reflect.Func:
		return ""
	case v.IsZero():
		return path
	case v.Type() == reflect.TypeFor[time.Time]():
		return ""
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return empty(path, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if found = empty(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); found != "" {
				return found
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && found == "" {
				found = empty(path+"."+field.Name, v.Field(i))
			}
		}
	}
	return found
}

// tagged returns the exported struct types with JSON tags of the package in a folder.
func tagged(t T, folder string) (names []string) {
	for _, file := range sources(t, folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
				return f.Tag != nil && strings.Contains(f.Tag.Value, "json:")
			}) {
				names = append(names, spec.Name.Name)
			}
			return true
		})
	}
	return names
}

// Constants returns the texts of the constants of a type by their names, read from the
// package in a folder.
func Constants(t T, folder, of string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range sources(t, folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == of && len(spec.Values) == 1 {
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

// sources parses the files of the package in a folder, tests aside.
func sources(t T, folder string) (files []*ast.File) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, path := range paths {
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

// ThroughJSON fails t unless a plan comes through JSON as it is.
func ThroughJSON[P any](t T, plan P) {
	t.Helper()
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
