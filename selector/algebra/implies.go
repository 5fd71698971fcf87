// SPDX-License-Identifier: Apache-2.0

package algebra

import "github.com/kplan-go/kplan/selector"

// Implies reports whether b selects everything that a selects. If not, it returns labels that
// a selects and b does not. It is exact, and takes linear time in the requirements and
// values, except for sorting the values.
func Implies(a, b selector.Selector) (counter map[string]string, ok bool) {
	fa := []factor(nil)
	if !a.IsNothing() {
		fa = factors(a)
	}
	labels, satisfiable := Satisfiable(a)
	switch {
	case !satisfiable:
		return nil, true
	case b.IsNothing():
		return labels, false
	}
	for _, fb := range factors(b) {
		for len(fa) > 0 && fa[0].key < fb.key {
			fa = fa[1:]
		}
		mine := free(fb.key)
		if len(fa) > 0 && fa[0].key == fb.key {
			mine = fa[0]
		}
		if st, escapes := escape(&mine, &fb); escapes {
			st.put(labels, fb.key)
			return labels, false
		}
	}
	return nil, true
}

// Equivalent reports whether a and b select the same labels.
func Equivalent(a, b selector.Selector) bool {
	_, forth := Implies(a, b)
	_, back := Implies(b, a)
	return forth && back
}

// escape returns a state that a allows and b does not, if there is one.
func escape(a, b *factor) (state, bool) {
	if a.absent && !b.absent {
		return state{absent: true}, true
	}
	value, ok := "", false
	switch a.form {
	case only:
		value, ok = firstValue(a.set, func(v string) bool { return !b.allows(v) })
	case allBut:
		value, ok = escapeAllBut(a, b)
	case between:
		value, ok = escapeBetween(a, b)
	}
	return state{value: value}, ok
}

// escapeAllBut returns a value for escape if a allows all values but a few.
func escapeAllBut(a, b *factor) (string, bool) {
	switch b.form {
	case only:
		f := factor{set: a.set}
		f.drop(b.set)
		return f.pickValue()
	case allBut:
		return firstValue(b.set, a.allows)
	}
	return fresh(a.set), true // not an integer
}

// escapeBetween returns a value for escape if a allows integers.
func escapeBetween(a, b *factor) (string, bool) {
	switch b.form {
	case only:
		f := *a
		f.drop(b.set)
		return f.pickValue()
	case allBut:
		return firstValue(b.set, a.allows)
	}
	if value, ok := spelling(a.lo, min(a.hi, b.lo-1), a.set); ok {
		return value, true
	}
	if b.hi < maxInteger {
		if value, ok := spelling(max(a.lo, b.hi+1), a.hi, a.set); ok {
			return value, true
		}
	}
	return firstValue(b.set, a.allows)
}

// firstValue returns the first of the values that has the property.
func firstValue(values []string, has func(string) bool) (string, bool) {
	for _, v := range values {
		if has(v) {
			return v, true
		}
	}
	return "", false
}
