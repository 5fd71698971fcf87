// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
)

// Document returns what is encoded of the answers: the object of the one or, if there are
// several, an object with the list items.
func Document[T any](objects []T) any {
	if len(objects) == 1 {
		return objects[0]
	}
	return struct {
		Items []T `json:"items"`
	}{objects}
}

// Marshal returns a document as JSON.
func Marshal(v any) ([]byte, error) { return marshal(v) }

// marshal is json.Marshal without the escapes that are for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return b.Bytes(), err
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
