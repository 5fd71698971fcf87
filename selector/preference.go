// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"strconv"

	"github.com/kplan-go/kplan"
)

// A Preference is a term of preferred node affinity. A term with weight 0 is ignored.
type Preference struct {
	Weight     int32            `json:"weight"`
	Preference NodeSelectorTerm `json:"preference"`
}

// Preferences are compiled terms of preferred node affinity.
type Preferences struct {
	terms   []nodeTerm
	weights []int32
}

// NewPreferences compiles the terms. Terms with weight 0 or without expressions are ignored;
// any other invalid term is an error. The error, if any, is an [*Error].
//
// It mirrors NewPreferredSchedulingTerms of package nodeaffinity of
// component-helpers.
func NewPreferences(preferences []Preference) (Preferences, error) {
	var p Preferences
	var errs []*kplan.FieldError
	for i := range preferences {
		term := &preferences[i].Preference
		if preferences[i].Weight == 0 || term.empty() {
			continue
		}
		t := newNodeTerm(term, "["+strconv.Itoa(i)+"]")
		errs = append(errs, t.errs...)
		p.terms = append(p.terms, t)
		p.weights = append(p.weights, preferences[i].Weight)
	}
	if len(errs) > 0 {
		return Preferences{}, fieldsError(errs)
	}
	return p, nil
}

// Score returns the sum of the weights of the terms that a node with the name and
// labels satisfies. It does not allocate.
//
// It mirrors PreferredSchedulingTerms.Score of package nodeaffinity of
// component-helpers.
func (p Preferences) Score(name string, labels map[string]string) int64 {
	score := int64(0)
	for i := range p.terms {
		if p.terms[i].matches(name, labels) {
			score += int64(p.weights[i])
		}
	}
	return score
}
