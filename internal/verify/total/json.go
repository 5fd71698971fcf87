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

// CheckJSON fails the test if a type that the package exports does not come through JSON
// as it is: with a value of its own in every field, as its zero value, and with nothing
// behind its pointers and in its lists and maps. A struct must also have a member of an
// object for each of its fields, functions that have no name in JSON aside.
func (p Package) CheckJSON(t *testing.T) {
	t.Helper()
	for _, text := range p.lost() {
		t.Error(text)
	}
}

// lost says what JSON loses, and what is to have none and is not there.
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

// lostOf says what JSON loses of a type, and notes which fields it met that have no JSON.
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

// through says how a value differs that comes through JSON, or returns "".
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

// membersOf returns how many members an object of a type has, those of embedded ones
// among them.
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

// secret reports whether a struct shows none of its fields, not in JSON either.
func secret(typ reflect.Type) bool {
	return typ.Kind() == reflect.Struct && typ.NumField() > 0 && !hidden(typ) && !slices.ContainsFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool { return f.IsExported() })
}

// hidden reports whether a type writes its JSON itself.
func hidden(typ reflect.Type) bool { return typ.Implements(reflect.TypeFor[json.Marshaler]()) }

// special fills what is not filled field by field.
func (p Package) special(v reflect.Value, number int64) bool {
	return p.union(v, number) || fromJSON(v, number)
}

// union fills a list of a union with one element of each of its members.
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

// fromJSON fills what hides its fields with a number that it reads from JSON, and a set with
// some of its members.
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
