// SPDX-License-Identifier: Apache-2.0

// Package union encodes lists whose elements are members of a closed interface, such as the
// actions of a plan, as JSON. Each element is an object with one key, the name of the
// member, in the style of the unions of the Kubernetes API.
package union

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Member is one type that an element of type A may have.
type Member[A any] struct {
	name   string
	is     func(A) bool
	decode func([]byte) (A, error)
}

// Of returns the member of type M, which implements A, under a name.
func Of[A, M any](name string) Member[A] {
	return Member[A]{
		name: name,
		is: func(a A) bool {
			_, ok := any(a).(M)
			return ok
		},
		decode: func(data []byte) (a A, err error) {
			var m M
			decoder := json.NewDecoder(bytes.NewReader(data))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&m); err != nil {
				return a, err
			}
			a, ok := any(m).(A)
			if !ok {
				return a, fmt.Errorf("%T is no member", m)
			}
			return a, nil
		},
	}
}

// Marshal encodes a list. An element that is none of the members is an error.
func Marshal[A any](list []A, members []Member[A]) ([]byte, error) {
	objects := make([]map[string]A, len(list))
	for i, a := range list {
		for _, m := range members {
			if m.is(a) {
				objects[i] = map[string]A{m.name: a}
			}
		}
		if objects[i] == nil {
			return nil, fmt.Errorf("unknown member %T", a)
		}
	}
	return json.Marshal(objects)
}

// Unmarshal decodes what Marshal wrote. An object with another number of keys than
// one, a key that is no member, and a field that the member does not have are errors.
// An empty list is nil.
func Unmarshal[A any](data []byte, members []Member[A]) ([]A, error) {
	var objects []map[string]json.RawMessage
	if err := json.Unmarshal(data, &objects); err != nil {
		return nil, err
	}
	var list []A
	for i, object := range objects {
		if len(object) != 1 {
			return nil, fmt.Errorf("[%d]: must have one key, has %d", i, len(object))
		}
		for key, body := range object {
			a, err := decode(key, body, members)
			if err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
			list = append(list, a)
		}
	}
	return list, nil
}

func decode[A any](key string, body []byte, members []Member[A]) (a A, err error) {
	for _, m := range members {
		if m.name == key {
			return m.decode(body)
		}
	}
	return a, fmt.Errorf("unknown member %q", key)
}

// Lines returns one line for each action of a plan and for each hold. It ends without a
// newline. An action that is nil has no line.
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

// Text returns the JSON of a value that can always be encoded, such as one of strings and
// numbers.
func Text(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("{%q:%q}", "error", err.Error())
	}
	return string(text)
}
