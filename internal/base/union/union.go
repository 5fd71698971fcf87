// SPDX-License-Identifier: Apache-2.0

// Package union encodes lists of members of a closed interface, such as the actions of a plan, as
// JSON. Each element is an object with one key, the name of the member, in the style of the unions
// of the Kubernetes API.
package union

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Member is a type of the union with its name.
type Member struct {
	name string
	of   reflect.Type
}

// Of returns the member of type M under a name.
func Of[M any](name string) Member { return Member{name, reflect.TypeFor[M]()} }

// Marshal encodes a list. An element of a type that is no member is an error.
func Marshal[A any](list []A, members []Member) ([]byte, error) {
	objects := make([]map[string]any, len(list))
	for i, a := range list {
		m := slices.IndexFunc(members, func(m Member) bool { return m.of == reflect.TypeOf(a) })
		if m < 0 {
			return nil, fmt.Errorf("unknown member %T", a)
		}
		objects[i] = map[string]any{members[m].name: a}
	}
	return json.Marshal(objects)
}

// Unmarshal decodes the output of Marshal. It is an error if an object does not have exactly one
// key, if the key is not the name of a member, or if the member does not have a field. An empty
// list becomes nil.
func Unmarshal[A any](data []byte, members []Member) (list []A, err error) {
	elements, err := decode(data, members)
	if err != nil {
		return nil, err
	}
	for i, element := range elements {
		a, ok := element.(A)
		if !ok {
			return nil, fmt.Errorf("[%d]: %T is no member", i, element)
		}
		list = append(list, a)
	}
	return list, nil
}

// decode is the part of [Unmarshal] without type parameters, which the compiler need not repeat.
func decode(data []byte, members []Member) (list []any, err error) {
	var objects []map[string]json.RawMessage
	if err := json.Unmarshal(data, &objects); err != nil {
		return nil, err
	}
	for i, object := range objects {
		if len(object) != 1 {
			return nil, fmt.Errorf("[%d]: must have one key, has %d", i, len(object))
		}
		for key, body := range object {
			element, err := decodeElement(key, body, members)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			list = append(list, element)
		}
	}
	return list, nil
}

func decodeElement(key string, body []byte, members []Member) (any, error) {
	m := slices.IndexFunc(members, func(m Member) bool { return m.name == key })
	if m < 0 {
		return nil, fmt.Errorf("unknown member %q", key)
	}
	element := reflect.New(members[m].of)
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(element.Interface()); err != nil {
		return nil, err
	}
	return element.Elem().Interface(), nil
}

// Lines returns one line for each action of a plan and for each hold, without a newline at the end.
// Nil actions have no line.
func Lines[A, H fmt.Stringer](actions []A, holds []H) string {
	var text []string
	for _, a := range actions {
		if any(a) != nil {
			text = append(text, a.String())
		}
	}
	for _, h := range holds {
		text = append(text, h.String())
	}
	if len(text) == 0 {
		return "nothing to do"
	}
	return strings.Join(text, "\n")
}

// Text returns the JSON of a value that can always be encoded, such as a struct of strings and
// numbers.
func Text(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("{%q:%q}", "error", err.Error())
	}
	return string(text)
}
