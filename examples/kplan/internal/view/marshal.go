// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Document returns the JSON document of the answers of a command: a list in the form of API lists,
// also for a single answer. Its kind is, for example, PlanList.
func Document[T any](command string, objects []T) any {
	return struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Items      []T    `json:"items"`
	}{Version1, kindOf(command) + "List", notNil(objects)}
}

// Version1 is the apiVersion of documents that describe no API object.
const Version1 = "kplan/v1"

// kindOf returns the kind of the answers of a command.
func kindOf(command string) string { return strings.ToUpper(command[:1]) + command[1:] }

// Marshal returns a document as JSON.
func Marshal(v any) ([]byte, error) { return marshal(v) }

// marshal is json.Marshal without escapes for HTML.
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
