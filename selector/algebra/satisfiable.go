// SPDX-License-Identifier: Apache-2.0

package algebra

import "github.com/kplan-go/kplan/selector"

// Satisfiable reports whether the selector selects any labels, and returns the simplest ones:
// as few labels as possible, with the smallest values. a=1,a=2 is not satisfiable, and
// neither is Nothing.
//
// This and all other analysis is about legal labels, which [selector.ValidateKey] and
// [selector.ValidateValue] accept. The values in a selector made by [selector.FromMap] count
// as legal.
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

// put puts the label key into the state.
func (st state) put(labels map[string]string, key string) {
	if st.absent {
		delete(labels, key)
	} else {
		labels[key] = st.value
	}
}
