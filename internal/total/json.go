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

// RoundTrip fails the test if JSON loses anything of a T that has a value of its own in
// every field, or if Fill leaves a field zero that skip does not name. Skip is that of
// [Fill], and names what has no JSON, or none that reads back.
func RoundTrip[T any](t *testing.T, skip []string, specials ...Special) {
	t.Helper()
	var before, after T
	Fill(&before, 1, skip, specials...)
	text, err := json.Marshal(before)
	if err != nil {
		t.Errorf("%T: %v", before, err)
		return
	}
	if err := json.Unmarshal(text, &after); err != nil {
		t.Errorf("%T: %v\n%s", before, err, text)
		return
	}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("JSON changes\n%+v to\n%+v\n%s", before, after, text)
	}
}

// CheckJSON fails the test if a type that the package exports does not come through JSON
// as it is: with a value of its own in every field, as its zero value, and with nothing
// behind its pointers and in its lists and maps. A struct must also have a member of an
// object for each of its fields. Skip names types that have no JSON.
func (p Package) CheckJSON(t *testing.T, skip ...string) {
	t.Helper()
	for _, typ := range p.Types {
		if typ.Kind() == reflect.Interface || slices.Contains(skip, typ.Name()) {
			continue
		}
		filled, bare, zero := reflect.New(typ), reflect.New(typ), reflect.New(typ)
		Fill(filled.Interface(), 1, nil, p.union, fromJSON)
		Fill(bare.Interface(), 1, nil, nothing, fromJSON)
		for _, v := range []reflect.Value{filled, bare, zero} {
			if text := through(v); text != "" {
				t.Errorf("%v: %s", typ, text)
			}
		}
		if _, own := filled.Interface().(json.Marshaler); typ.Kind() == reflect.Struct && !own {
			var members map[string]any
			text, err := json.Marshal(filled.Interface())
			if err != nil || json.Unmarshal(text, &members) != nil || len(members) != membersOf(typ) {
				t.Errorf("%v: not an object of %d members: %s", typ, membersOf(typ), text)
			}
		}
	}
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
		if n++; typ.Field(i).Anonymous {
			n += membersOf(typ.Field(i).Type) - 1
		}
	}
	return n
}

// union fills a list of a union with one element of each of its members.
func (p Package) union(v reflect.Value, number int64) bool {
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Interface {
		return false
	}
	for _, member := range p.Types {
		if member.Kind() != reflect.Interface && member.Implements(v.Type().Elem()) {
			element := reflect.New(member)
			Fill(element.Interface(), number, nil, p.union, fromJSON)
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
