// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"fmt"
	"reflect"
	"strings"
)

// spareCapacity is the number of zero elements after the end of a cloned slice, so that an append
// to it is detected.
const spareCapacity = 3

// Clone returns a deep copy of v. Unexported fields are copied as they are, so that opaque types
// such as time.Time survive; the copy shares the targets of their pointers.
func Clone[V any](v V) V {
	var out V
	reflect.ValueOf(&out).Elem().Set(clone(reflect.ValueOf(&v).Elem()))
	return out
}

func clone(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(clone(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(clone(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(clone(v.Field(i)))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(clone(v.Index(i)))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()+spareCapacity))
			for i := range v.Len() {
				out.Index(i).Set(clone(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for _, key := range v.MapKeys() {
				out.SetMapIndex(clone(key), clone(v.MapIndex(key)))
			}
		}
	}
	return out
}

// children calls f with the path and value of each element of v: exported fields, elements of lists
// and maps, and the target of a pointer or interface.
func children(path string, v reflect.Value, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			f(path, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				f(strings.TrimPrefix(path+"."+field.Name, "."), v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			f(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			f(fmt.Sprintf("%s[%v]", path, key), v.MapIndex(key))
		}
	}
}

// difference returns the path of a place where a and b differ with both values, or "".
func difference(path string, a, b reflect.Value) (found string) {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return ""
	}
	others := map[string]reflect.Value{}
	children(path, b, func(path string, v reflect.Value) { others[path] = v })
	children(path, a, func(path string, v reflect.Value) {
		other, ok := others[path]
		if found == "" && ok && other.Type() == v.Type() {
			found = difference(path, v, other)
		}
	})
	if found == "" {
		found = fmt.Sprintf("%s: %+v, then %+v", path, a, b)
	}
	return found
}

// spare returns the path of a slice with elements after its end that are not zero, or "".
func spare(path string, v reflect.Value) (found string) {
	if v.Kind() == reflect.Slice {
		all := v.Slice(0, v.Cap())
		for i := v.Len(); i < all.Len(); i++ {
			if !all.Index(i).IsZero() {
				return path
			}
		}
	}
	children(path, v, func(path string, v reflect.Value) {
		if found == "" {
			found = spare(path, v)
		}
	})
	return found
}

// empty returns the path of a slice or a map that is empty and not nil, or "". It skips maps with
// the tag omitzero, for which JSON keeps the difference.
func empty(path string, v reflect.Value) (found string) {
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		if !v.IsNil() && v.Len() == 0 {
			return path
		}
	}
	kept := map[string]bool{}
	for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
		field := v.Type().Field(i)
		kept[strings.TrimPrefix(path+"."+field.Name, ".")] = strings.Contains(field.Tag.Get("json"), ",omitzero")
	}
	children(path, v, func(path string, v reflect.Value) {
		if found == "" && (!kept[path] || v.Kind() != reflect.Map || v.Len() > 0) {
			found = empty(path, v)
		}
	})
	return found
}

// scribble overwrites everything that can be reached from v, to show memory that it shares with
// another value.
func scribble(v reflect.Value) {
	if v.Kind() == reflect.Slice {
		v = v.Slice(0, v.Cap())
	}
	children("", v, func(_ string, v reflect.Value) { scribble(v) })
	if v.Kind() == reflect.Map && !v.IsNil() {
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.Value{})
		}
		v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		return
	}
	if !v.CanSet() {
		return
	}
	switch {
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "!")
	case v.CanInt():
		v.SetInt(^v.Int())
	case v.CanUint():
		v.SetUint(^v.Uint())
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		v.SetZero()
	}
}

// visit calls f with each slice that the dotted name leads to from v, and reports whether the types
// have such a slice.
func visit(v reflect.Value, name string, f func(list reflect.Value)) bool {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return visit(reflect.New(v.Type().Elem()).Elem(), name, f)
		}
		v = v.Elem()
	}
	if name == "" {
		if v.Kind() == reflect.Slice {
			f(v)
		}
		return v.Kind() == reflect.Slice
	}
	if v.Kind() == reflect.Slice {
		known := visit(reflect.New(v.Type().Elem()).Elem(), name, func(reflect.Value) {})
		for i := range v.Len() {
			visit(v.Index(i), name, f)
		}
		return known
	}
	if v.Kind() != reflect.Struct {
		return false
	}
	first, rest, _ := strings.Cut(name, ".")
	field, ok := v.Type().FieldByName(first)
	return ok && field.IsExported() && len(field.Index) == 1 && visit(v.Field(field.Index[0]), rest, f)
}
