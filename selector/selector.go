// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"cmp"
	"slices"
	"strings"
)

// A Selector is a compiled label selector: a list of requirements, sorted by key, that a set
// of labels must all satisfy. The zero Selector is [Nothing], which selects no labels, not
// even the empty set.
//
// A Selector is immutable and shares no memory with its input, so it may be copied and used
// by several goroutines.
type Selector struct {
	requirements []Requirement
	// need is 1 plus the number of labels without which nothing matches, so that fewer labels
	// are rejected at once; 0 makes the zero Selector Nothing.
	need uint
}

// Everything returns the selector without requirements, which selects all labels, including
// the empty set.
func Everything() Selector { return Selector{need: 1} }

// Nothing returns the zero Selector, which selects no labels.
func Nothing() Selector { return Selector{} }

// Of returns the selector with the requirements. It mirrors NewSelector and Add of
// package labels of apimachinery.
func Of(requirements ...Requirement) Selector { return Everything().Add(requirements...) }

// Add returns the selector with additional requirements. Requirements of s come before added
// ones with the same key. Adding to Nothing returns Nothing.
func (s Selector) Add(requirements ...Requirement) Selector {
	if s.IsNothing() || len(requirements) == 0 {
		return s
	}
	return compiled(slices.Concat(s.requirements, requirements))
}

// compiled returns a selector that keeps the requirements, and sorts them by key. The sort is
// stable, so that the text is deterministic.
func compiled(requirements []Requirement) Selector {
	if len(requirements) <= 12 {
		insertionSort(requirements)
	} else {
		slices.SortStableFunc(requirements, func(a, b Requirement) int { return cmp.Compare(a.key, b.key) })
	}
	s := Selector{requirements: requirements, need: 1}
	counted := ""
	for i := range requirements {
		r := &requirements[i]
		if r.needsLabel() && (s.need == 1 || r.key != counted) {
			counted = r.key
			s.need++
		}
	}
	return s
}

func insertionSort(requirements []Requirement) {
	for i := 1; i < len(requirements); i++ {
		j := i
		for j > 0 && requirements[j-1].key > requirements[i].key {
			j--
		}
		r := requirements[i]
		copy(requirements[j+1:i+1], requirements[j:i])
		requirements[j] = r
	}
}

// Matches reports whether the selector selects the labels. It does not allocate.
//
// It mirrors Selector.Matches of package labels of apimachinery.
func (s Selector) Matches(labels map[string]string) bool {
	if uint(len(labels)) < s.need-1 { // wraps around for Nothing
		return false
	}
	for i := range s.requirements {
		r := &s.requirements[i]
		// The most common tests look up the label here: with less work between two look-ups,
		// more of them wait for memory at the same time.
		switch r.test {
		case testEqual:
			if value, present := labels[r.key]; !present || value != r.value {
				return false
			}
		case testIn:
			if value, present := labels[r.key]; !present || !r.has(value) {
				return false
			}
		case testNotIn:
			if value, present := labels[r.key]; present && r.has(value) {
				return false
			}
		case testExists:
			if _, present := labels[r.key]; !present {
				return false
			}
		case testAbsent:
			if _, present := labels[r.key]; present {
				return false
			}
		default:
			if value, present := labels[r.key]; !r.accepts(value, present) {
				return false
			}
		}
	}
	return true
}

// Selects is Matches for look-ups that start from an object: a selector without requirements
// selects nothing, and no selector selects an object without labels. Controllers use it to
// find owners for an orphan.
//
// It mirrors GetPodReplicaSets and its siblings in client-go 0.36.3.
func (s Selector) Selects(labels map[string]string) bool {
	return len(labels) > 0 && len(s.requirements) > 0 && s.Matches(labels)
}

// IsNothing reports whether the selector is [Nothing]. Other selectors may contradict
// themselves and select nothing too; see package selector/algebra.
func (s Selector) IsNothing() bool { return s.need == 0 }

// IsEverything reports whether the selector is [Everything]. No valid requirement is always
// satisfied, so no other selector selects all labels.
func (s Selector) IsEverything() bool { return s.need > 0 && len(s.requirements) == 0 }

// Requirements returns a copy of the requirements, sorted by key, or nil if there are none,
// as for Nothing and Everything.
func (s Selector) Requirements() []Requirement { return slices.Clone(s.requirements) }

// Equal reports whether s and other have the same requirements, with values in the same
// order. [algebra.Equivalent] compares their selections.
func (s Selector) Equal(other Selector) bool {
	return s.IsNothing() == other.IsNothing() &&
		slices.EqualFunc(s.requirements, other.requirements, Requirement.Equal)
}

// String returns the selector as [Parse] reads it. Nothing and Everything are both the empty
// string, as in upstream; [Selector.Describe] distinguishes them.
func (s Selector) String() string {
	texts := make([]string, len(s.requirements))
	for i, r := range s.requirements {
		texts[i] = r.String()
	}
	return strings.Join(texts, ",")
}

// Describe returns a text for people: String, but "nothing" or "everything" instead of the
// empty string.
func (s Selector) Describe() string {
	switch {
	case s.IsNothing():
		return "nothing"
	case s.IsEverything():
		return "everything"
	}
	return s.String()
}

// ExactMatch returns the only value that the first requirement on key allows. It ignores
// later ones: for a=1,a=2 it returns 1.
//
// It mirrors RequiresExactMatch of package labels of apimachinery.
func (s Selector) ExactMatch(key string) (string, bool) {
	for i := range s.requirements {
		if r := &s.requirements[i]; r.key == key {
			if r.test != testEqual {
				return "", false
			}
			return r.value, true
		}
	}
	return "", false
}
