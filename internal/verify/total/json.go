// SPDX-License-Identifier: Apache-2.0

package total

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"
)

// CheckJSON fails the test if JSON changes a value of a type that the package exports: a value with
// all fields set, the zero value, and a value with nil pointers, lists and maps. A struct must also
// have a JSON member for each of its fields, except functions with the JSON name "-".
func (p Package) CheckJSON(t *testing.T) {
	t.Helper()
	for _, text := range p.lost() {
		t.Error(text)
	}
}

// lost returns the values that JSON changes, and the names in NoJSON that do not exist.
func (p Package) lost() (lines []string) {
	met := map[string]bool{}
	for _, typ := range p.Types {
		switch {
		case typ.Kind() == reflect.Interface, typ.Kind() == reflect.Func, secret(typ):
		case slices.Contains(p.NoJSON, typ.Name()):
			met[typ.Name()] = true
		default:
			lines = append(lines, p.lostOf(typ, met)...)
		}
	}
	for _, name := range p.NoJSON {
		if !met[name] {
			lines = append(lines, name+" is to have no JSON, but is not there")
		}
	}
	return lines
}

// lostOf returns the values of a type that JSON changes, and records in met the fields that it
// skipped.
func (p Package) lostOf(typ reflect.Type, met map[string]bool) (lines []string) {
	add := func(format string, args ...any) {
		lines = append(lines, typ.String()+": "+fmt.Sprintf(format, args...))
	}
	filled, bare, zero := reflect.New(typ), reflect.New(typ), reflect.New(typ)
	fill(filled.Interface(), 1, p.NoJSON, met, p.special)
	Fill(bare.Interface(), 1, p.NoJSON, nothing, p.special)
	for _, path := range zeros(filled.Interface(), p.NoJSON, hidden) {
		add("%s cannot be filled", path)
	}
	for _, v := range []reflect.Value{filled, bare, zero} {
		if text := through(v); text != "" {
			add("%s", text)
		}
	}
	if typ.Kind() == reflect.Struct && !hidden(typ) {
		var members map[string]any
		text, err := json.Marshal(filled.Interface())
		if err != nil || json.Unmarshal(text, &members) != nil || len(members) != membersOf(typ) {
			add("not an object of %d members: %s", membersOf(typ), text)
		}
	}
	return lines
}

// through encodes and decodes a value, and returns the difference, or "".
func through(v reflect.Value) string {
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return err.Error()
	}
	again := reflect.New(v.Type().Elem())
	if err := json.Unmarshal(text, again.Interface()); err != nil {
		return err.Error() + "\n" + string(text)
	}
	if !reflect.DeepEqual(v.Interface(), again.Interface()) {
		return fmt.Sprintf("JSON changes\n%+v to\n%+v\n%s", v.Elem().Interface(), again.Elem().Interface(), text)
	}
	return ""
}

// membersOf returns the number of JSON members of a struct, including embedded ones.
func membersOf(typ reflect.Type) (n int) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		switch {
		case f.Anonymous:
			n += membersOf(f.Type)
		case f.Type.Kind() != reflect.Func || f.Tag.Get("json") != "-":
			n++
		}
	}
	return n
}

// secret reports whether a struct has only unexported fields and does not marshal itself.
func secret(typ reflect.Type) bool {
	return typ.Kind() == reflect.Struct && typ.NumField() > 0 && !hidden(typ) && !slices.ContainsFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool { return f.IsExported() })
}

// hidden reports whether a type implements [json.Marshaler].
func hidden(typ reflect.Type) bool { return typ.Implements(reflect.TypeFor[json.Marshaler]()) }

// special fills values that cannot be filled field by field.
func (p Package) special(v reflect.Value, number int64) bool {
	return p.union(v, number) || fromJSON(v, number)
}

// union fills a list of interfaces with one element of each type that implements them.
func (p Package) union(v reflect.Value, number int64) bool {
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Interface || v.Type().Elem().NumMethod() == 0 {
		return false
	}
	for _, member := range p.Types {
		if member.Kind() != reflect.Interface && member.Implements(v.Type().Elem()) {
			element := reflect.New(member)
			Fill(element.Interface(), number, p.NoJSON, p.special)
			v.Set(reflect.Append(v, element.Elem()))
		}
	}
	return true
}

// nothing leaves pointers, lists and maps nil.
func nothing(v reflect.Value, _ int64) bool {
	return v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice || v.Kind() == reflect.Map
}

// fromJSON fills a type with unexported fields by decoding a number, and a set with some of its
// members.
func fromJSON(v reflect.Value, number int64) bool {
	target, ok := v.Addr().Interface().(json.Unmarshaler)
	switch {
	case !ok || v.Type() == reflect.TypeFor[time.Time]():
		return false
	case v.Kind() == reflect.Uint64:
		v.SetUint(uint64(number)&3 + 1)
		return true
	}
	return v.Kind() == reflect.Struct && target.UnmarshalJSON(strconv.AppendInt(nil, number, 10)) == nil
}
