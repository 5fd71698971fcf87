// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Document returns what is encoded of the answers of a command: the list of them, however many
// there are, in the form of lists of the API. Its kind is such as PlanList.
func Document[T any](command string, objects []T) any {
	return struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Items      []T    `json:"items"`
	}{Version1, kindOf(command) + "List", notNil(objects)}
}

// Version1 is the apiVersion of documents that are about no object of the API.
const Version1 = "kplan/v1"

// kindOf returns the kind of what a command answers.
func kindOf(command string) string { return strings.ToUpper(command[:1]) + command[1:] }

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
