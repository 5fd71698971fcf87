// SPDX-License-Identifier: Apache-2.0

package total

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// A Special fills v if its type cannot be filled field by field, and reports whether it did. number
// differs in each call.
type Special func(v reflect.Value, number int64) bool

// Fill gives each exported field below target, a pointer, a different value other than zero. Lists
// and maps get one element. Interfaces stay nil unless a special fills them. skip lists fields, as
// Type.Field, that stay zero. The values are numbered from first, so that two fillings can differ
// everywhere, except in booleans.
func Fill(target any, first int64, skip []string, specials ...Special) {
	fill(target, first, skip, map[string]bool{}, specials...)
}

// fill is Fill, and records in skipped the fields that stayed zero.
func fill(target any, first int64, skip []string, skipped map[string]bool, specials ...Special) {
	f := filler{number: first, specials: specials, skip: skip, skipped: skipped}
	f.fill(reflect.ValueOf(target).Elem())
}

type filler struct {
	number   int64
	specials []Special
	skip     []string
	skipped  map[string]bool
	path     []reflect.Type // to stop at recursive types
}

func (f *filler) fill(v reflect.Value) {
	f.number++
	for _, special := range append([]Special{instant}, f.specials...) {
		if special(v, f.number) {
			return
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(f.number)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.number))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(f.number))
	case reflect.String:
		v.SetString(fmt.Sprint("v", f.number))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		f.fillMap(v)
	case reflect.Struct:
		f.fillStruct(v)
	}
}

func (f *filler) fillMap(v reflect.Value) {
	key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	f.fill(key)
	f.fill(elem)
	v.Set(reflect.MakeMap(v.Type()))
	v.SetMapIndex(key, elem)
}

func (f *filler) fillStruct(v reflect.Value) {
	t := v.Type()
	for _, outer := range f.path {
		if outer == t {
			return
		}
	}
	f.path = append(f.path, t)
	for i := range t.NumField() {
		switch field := t.Field(i); {
		case slices.Contains(f.skip, t.Name()+"."+field.Name):
			f.skipped[t.Name()+"."+field.Name] = true
		case field.IsExported():
			f.fill(v.Field(i))
		}
	}
	f.path = f.path[:len(f.path)-1]
}

func instant(v reflect.Value, number int64) bool {
	if v.Type() != reflect.TypeFor[time.Time]() {
		return false
	}
	v.Set(reflect.ValueOf(time.Unix(1_700_000_000+number, 0).UTC()))
	return true
}

// Zeros returns the paths of the exported fields below v that are zero, except functions, such as
// Status.Conditions[0].Reason. It does not look into types that opaque accepts.
func Zeros(v any, opaque func(reflect.Type) bool) []string { return zeros(v, nil, opaque) }

// zeros is Zeros without the fields in skip, as Type.Field.
func zeros(v any, skip []string, opaque func(reflect.Type) bool) []string {
	var paths []string
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch {
		case v.Kind() == reflect.Func, v.Kind() == reflect.Struct && v.NumField() == 0:
			return
		case v.IsZero() && (path != "" || v.Kind() != reflect.Struct):
			paths = append(paths, path)
			return
		case v.Type() == reflect.TypeFor[time.Time]() || opaque != nil && opaque(v.Type()):
			return
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			walk(path, v.Elem())
		case reflect.Slice:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		case reflect.Map:
			for _, key := range v.MapKeys() {
				walk(path+"[]", v.MapIndex(key))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if field := v.Type().Field(i); field.IsExported() && !slices.Contains(skip, v.Type().Name()+"."+field.Name) {
					walk(strings.TrimPrefix(path+"."+field.Name, "."), v.Field(i))
				}
			}
		}
	}
	walk("", reflect.ValueOf(v))
	return paths
}
