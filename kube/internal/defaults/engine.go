// SPDX-License-Identifier: Apache-2.0

// Package defaults sets the default values of an API server: a table of fields with their
// values, and an engine that applies the table to an object.
package defaults

import (
	"reflect"
	"strings"
	"sync"
)

// Apply sets the defaults of an object, given as a pointer, and reports whether the
// table has its type. Values that are taken from the table share memory with it.
func Apply(object any) bool {
	v := reflect.ValueOf(object)
	rows, ok := tables()[v.Type().Elem()]
	for i := range rows {
		rows[i].walk(place{value: v}, rows[i].names)
	}
	return ok
}

// A row is the default value of one field.
type row struct {
	names []string // the path
	value any      // a constant, [object], or a computed
	when  []condition
	// anyway makes the row replace a value that is set, too.
	anyway bool
}

// at returns the rows of a path of JSON names. In a path, * is every element of a list
// or a map, and {a,b} is both fields. A row ends without effect at a nil pointer.
func at(path string, value any, when ...condition) []row {
	before, rest, several := strings.Cut(path, "{")
	if !several {
		return []row{{names: strings.Split(path, "."), value: value, when: when}}
	}
	names, after, _ := strings.Cut(rest, "}")
	var rows []row
	for name := range strings.SplitSeq(names, ",") {
		rows = append(rows, at(before+name+after, value, when...)...)
	}
	return rows
}

// anyway is like at, but its rows replace values that are set, too.
func anyway(path string, value any, when ...condition) []row {
	rows := at(path, value, when...)
	for i := range rows {
		rows[i].anyway = true
	}
	return rows
}

// below returns copies of rows with a prefix in front of their paths.
func below(path string, rows []row) []row {
	prefix := strings.Split(path, ".")
	moved := make([]row, len(rows))
	for i, r := range rows {
		r.names = append(prefix[:len(prefix):len(prefix)], r.names...)
		moved[i] = r
	}
	return moved
}

// A place is a value together with the place that contains it.
type place struct {
	value reflect.Value
	in    *place
}

// A condition reports whether a row applies to a field.
type condition func(field place) bool

// A computed value depends on other fields.
type computed func(field place) any

// object is the value of an empty object: the zero value of the field's type.
var object = struct{}{}

func (r *row) walk(p place, names []string) {
	if len(names) == 0 {
		r.set(p)
		return
	}
	v := pointee(p.value)
	if !v.IsValid() {
		return
	}
	p.value = v
	switch {
	case names[0] != "*":
		r.walk(place{named(v, names[0]), &p}, names[1:])
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			element := reflect.New(v.Type().Elem()).Elem()
			element.Set(v.MapIndex(key))
			r.walk(place{element, &p}, names[1:])
			v.SetMapIndex(key, element)
		}
	default:
		for i := range v.Len() {
			r.walk(place{v.Index(i), &p}, names[1:])
		}
	}
}

func (r *row) set(p place) {
	if !r.anyway && !unsetValue(p.value) {
		return
	}
	for _, holds := range r.when {
		if !holds(p) {
			return
		}
	}
	value := r.value
	if c, ok := value.(computed); ok {
		value = c(p)
	}
	fill(p.value, value)
}

// fill sets a field to a value, converted to the field's type, or to a pointer to it.
func fill(v reflect.Value, value any) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if value != object {
		v.Set(reflect.ValueOf(value).Convert(v.Type()))
	}
}

// unsetValue reports whether a field has its zero value, or is an empty list or map.
func unsetValue(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() == 0
	}
	return v.IsZero()
}

// pointee follows pointers to the value that they lead to: no value for nil. Other
// values are returned unchanged.
func pointee(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// named returns a field by its JSON name.
func named(v reflect.Value, name string) reflect.Value {
	index, ok := fields(v.Type())[name]
	if !ok {
		panic("defaults: " + v.Type().String() + " has no field " + name)
	}
	return v.FieldByIndex(index)
}

// known caches the results of fields.
var known sync.Map

// fields returns the indices of the fields of a struct by JSON name, including inlined
// structs.
func fields(t reflect.Type) map[string][]int {
	if m, ok := known.Load(t); ok {
		return m.(map[string][]int)
	}
	m := map[string][]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous { // "inline" says no more, and is gone since 1.37
			for inner, index := range fields(f.Type) {
				m[inner] = append([]int{i}, index...)
			}
		} else if name != "" {
			m[name] = []int{i}
		}
	}
	known.Store(t, m)
	return m
}
