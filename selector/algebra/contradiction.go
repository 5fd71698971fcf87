// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"

	"github.com/kplan-go/kplan/selector"
)

// A Contradiction is a minimal list of requirements on one label that no label satisfies:
// without any one of them there is such a label.
type Contradiction struct {
	Key          string
	Requirements []selector.Requirement
}

// Contradictions returns one contradiction for each key that makes the selector
// unsatisfiable, sorted by key. Nothing has no contradictions, because it has no
// requirements.
//
// For a contradiction among m of the k requirements on a key it intersects subsets of them
// about m log k times.
func Contradictions(s selector.Selector) []Contradiction {
	var found []Contradiction
	rest := s.Requirements()
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].Key() == rest[0].Key() {
			n++
		}
		if f := factorOf(rest[:n]); !f.possible() {
			found = append(found, Contradiction{Key: f.key, Requirements: culprits(rest[:n])})
		}
		rest = rest[n:]
	}
	return found
}

func (f *factor) possible() bool {
	_, ok := f.pick()
	return ok
}

// culprits returns a minimal subset of the requirements that is still impossible. Each round
// finds the first requirement that is impossible together with the known culprits and the
// requirements before it. It is a culprit, and the requirements after it are not needed.
func culprits(requirements []selector.Requirement) []selector.Requirement {
	var known []int
	impossible := func(n int) bool { // the known culprits and the first n requirements
		d := demands{absent: true}
		for _, k := range known {
			d.add(&requirements[k])
		}
		for i := range n {
			d.add(&requirements[i])
		}
		f := d.factor(requirements[0].Key())
		return !f.possible()
	}
	for end := len(requirements); !impossible(0); {
		low, high := 0, end-1 // the first high+1 are impossible
		for low < high {
			if middle := (low + high) / 2; impossible(middle + 1) {
				high = middle
			} else {
				low = middle + 1
			}
		}
		known, end = append(known, low), low
	}
	slices.Sort(known)
	result := make([]selector.Requirement, len(known))
	for i, k := range known {
		result[i] = requirements[k]
	}
	return result
}
