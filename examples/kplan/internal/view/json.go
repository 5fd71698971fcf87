// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/kplan-go/kplan"
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

// An explained hold is a hold with its words.
type explained[H any] struct {
	Hold  H
	Text  string
	Means string
	Ends  string
	Stuck bool // it does not end by itself
}

// explain returns holds with their words.
func explain(holds []kplan.Hold, advice func(kplan.Hold) Advice) []explained[kplan.Hold] {
	list := make([]explained[kplan.Hold], len(holds))
	for i, h := range holds {
		a := advice(h)
		list[i] = explained[kplan.Hold]{h, a.of(h.Have, h.Limit), a.Means, a.Ends, a.Stuck}
	}
	return list
}

// MarshalJSON encodes the hold and its words as one object.
func (e explained[H]) MarshalJSON() ([]byte, error) {
	hold, err := marshal(e.Hold)
	if err != nil {
		return nil, err
	}
	words, err := marshal(struct {
		Text  string `json:"text"`
		Means string `json:"means"`
		Ends  string `json:"ends"`
		Stuck bool   `json:"stuck"`
	}{e.Text, e.Means, e.Ends, e.Stuck})
	hold = bytes.TrimSuffix(bytes.TrimSpace(hold), []byte("}"))
	return append(append(hold, ','), words[1:]...), err
}

// A head has the identifying fields of the object of an answer, as in the API.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace,omitempty"`
}

// versions are the versions of the API groups of the planners.
var versions = map[string]string{"apps": "v1", kruiseApps: "v1alpha1", "rollouts.kruise.io": "v1beta1", "argoproj.io": "v1alpha1"}

func headOf(s Subject) head {
	version := "v1"
	if s.Group != "" {
		version = s.Group + "/" + versions[s.Group]
	}
	return head{version, s.Kind, s.Name, s.Namespace}
}
