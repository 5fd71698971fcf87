// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"errors"
	"reflect"
	"strings"
)

// errSome stands for any error.
var errSome = errors.New("an error")

// empties checks that a plan does not depend on whether a list or map that JSON omits is empty or
// nil: else JSON would change the meaning of a snapshot. A field whose empty value has its own
// meaning has the tag omitzero.
func empties[S, P any](t T, s S, plan func(S) (P, error), want outcome[P]) {
	t.Helper()
	for _, to := range []string{"empty", "nil"} {
		changed := Clone(s)
		var fields []string
		omitted(reflect.ValueOf(&changed).Elem(), "", func(path string, v reflect.Value) {
			if v.IsNil() == (to == "empty") {
				fields = append(fields, path)
				v.Set(emptyOf(v.Type(), to == "empty"))
			}
		})
		if len(fields) == 0 {
			continue
		}
		if d := want.withoutEmpty().difference(call(plan, changed).withoutEmpty()); d != "" {
			t.Fatalf("the plan is another one if these are %s, which JSON does not tell: %s: %s", to, strings.Join(fields, ", "), d)
		}
	}
}

// SetEmpties makes each empty list and map in the value of a pointer empty, if the function returns
// true, or nil. It writes to memory that the value shares: see [Clone].
func SetEmpties(pointer any, empty func() bool) {
	lists(reflect.ValueOf(pointer), "", true, func(_ string, v reflect.Value) { v.Set(emptyOf(v.Type(), empty())) })
}

// emptyOf returns an empty list or map, or a nil one.
func emptyOf(of reflect.Type, empty bool) reflect.Value {
	switch {
	case !empty:
		return reflect.Zero(of)
	case of.Kind() == reflect.Map:
		return reflect.MakeMap(of)
	}
	return reflect.MakeSlice(of, 0, 0)
}

// withoutEmpty returns a copy in which empty lists and maps are nil. It replaces an error by
// errSome, since the text may quote such a value.
func (o outcome[P]) withoutEmpty() outcome[P] {
	if o.err != nil {
		o.err = errSome
	}
	o.plan = Clone(o.plan)
	lists(reflect.ValueOf(&o.plan).Elem(), "", true, func(_ string, v reflect.Value) { v.SetZero() })
	return o
}

// omitted calls f with each empty list and map of v that JSON omits.
func omitted(v reflect.Value, path string, f func(path string, v reflect.Value)) {
	lists(v, path, false, f)
}

// lists calls f with the empty lists and maps of v, if all is not set only with the ones that JSON
// omits. f may set them.
func lists(v reflect.Value, path string, all bool, f func(path string, v reflect.Value)) {
	into := func(path string, old reflect.Value) reflect.Value {
		next := reflect.New(old.Type()).Elem()
		next.Set(old)
		lists(next, path, all, f)
		return next
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			lists(v.Elem(), path, all, f)
		}
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			v.Set(into(path, v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			tag := strings.Split(field.Tag.Get("json"), ",")
			if !field.IsExported() || tag[0] == "-" {
				continue
			}
			name, value := strings.TrimPrefix(path+"."+field.Name, "."), v.Field(i)
			empty := (value.Kind() == reflect.Map || value.Kind() == reflect.Slice) && value.Len() == 0
			if empty && (all || strings.Contains(field.Tag.Get("json"), ",omitempty")) {
				f(name, value)
			} else {
				lists(value, name, all, f)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			lists(v.Index(i), path, all, f)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, into(path, v.MapIndex(key)))
		}
	}
}
