// SPDX-License-Identifier: Apache-2.0

package algebra

import "github.com/kplan-go/kplan/selector"

// Satisfiable reports whether some set of labels matches the selector, and returns a simple one: as few
// labels as possible, each with the first value that is listed, the smallest integer in a range, or
// else the first permitted value of "", v1, v2 and so on. a=1,a=2 is not satisfiable, and
// neither is Nothing.
//
// This package considers only labels that [selector.ValidateKey] and [selector.ValidateValue] accept.
// It does not check the selector: keys and values that [selector.FromMap] has taken without validation
// count as legal.
func Satisfiable(s selector.Selector) (labels map[string]string, ok bool) {
	if s.IsNothing() {
		return nil, false
	}
	return witness(factors(s))
}

// witness returns labels that satisfy all factors.
func witness(fs []factor) (map[string]string, bool) {
	labels := map[string]string{}
	for i := range fs {
		st, ok := fs[i].pick()
		if !ok {
			return nil, false
		}
		st.put(labels, fs[i].key)
	}
	return labels, true
}

// put sets or deletes the label key to match the state.
func (st state) put(labels map[string]string, key string) {
	if st.absent {
		delete(labels, key)
	} else {
		labels[key] = st.value
	}
}
