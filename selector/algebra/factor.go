// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"
	"strconv"

	"github.com/kplan-go/kplan/selector"
)

// A factor is the result of a conjunction of requirements for one label: whether it may be
// absent, and which values it may have. A selector is a product of factors, since each
// requirement is about one label; therefore the answers of this package are exact.
type factor struct {
	key    string
	absent bool
	form   form
	set    []string // sorted, each once
	lo, hi int64    // of between, inclusive; lo > hi means no integers
}

// A form is the way in which a factor describes its values.
type form uint8

const (
	allBut  form = iota // all except the values of set
	only                // the values of set
	between             // the integers from lo to hi, in any spelling, except the values of set
)

// free returns the factor of a label without requirements.
func free(key string) factor { return factor{key: key, absent: true} }

// factorOf intersects the requirements, which have the same key.
func factorOf(requirements []selector.Requirement) factor {
	d := demands{absent: true}
	for i := range requirements {
		d.add(&requirements[i])
	}
	return d.factor(requirements[0].Key())
}

// demands collects requirements on one label. The excluded values are sorted once, after the
// last requirement: many requirements may exclude one value each.
type demands struct {
	absent   bool     // no requirement needs the label
	listed   bool     // only values may remain
	values   []string // sorted, each once
	ranged   bool     // only the integers from lo to hi may remain
	lo, hi   int64
	excluded []string // in any order
}

// add adds a requirement, and does not write to its values.
func (d *demands) add(r *selector.Requirement) {
	switch r.Op() {
	case selector.OpNotEquals, selector.OpNotIn, selector.OpDoesNotExist:
	default:
		d.absent = false
	}
	switch r.Op() {
	case selector.OpEquals, selector.OpDoubleEquals, selector.OpIn:
		d.only(distinct(r))
	case selector.OpNotEquals, selector.OpNotIn:
		d.excluded = append(d.excluded, r.Values()...)
	case selector.OpExists:
	case selector.OpGreater:
		if n := bound(r); n == maxInteger {
			d.between(1, 0)
		} else {
			d.between(max(n+1, 0), maxInteger)
		}
	case selector.OpLess:
		d.between(0, max(bound(r), 0)-1)
	default: // absent, and the zero Requirement, which requires a label but allows no value
		d.only(nil)
	}
}

// only restricts the label to the values, which are sorted and distinct.
func (d *demands) only(values []string) {
	if d.listed {
		values = common(values, d.values)
	}
	d.listed, d.values = true, values
}

func (d *demands) between(lo, hi int64) {
	if d.ranged {
		lo, hi = max(lo, d.lo), min(hi, d.hi)
	}
	d.ranged, d.lo, d.hi = true, lo, hi
}

// factor returns the factor of the requirements.
func (d *demands) factor(key string) factor {
	f := factor{key: key, absent: d.absent}
	slices.Sort(d.excluded)
	d.excluded = slices.Compact(d.excluded)
	switch {
	case d.listed:
		f.form, f.set = only, without(d.values, d.excluded)
		if d.ranged {
			f.set = slices.DeleteFunc(f.set, func(v string) bool { return !isBetween(v, d.lo, d.hi) })
		}
	case d.ranged:
		f.form, f.lo, f.hi, f.set = between, d.lo, d.hi, d.excluded
		f.trim()
	default:
		f.set = d.excluded
	}
	return f
}

// bound returns the integer that a requirement compares with.
func bound(r *selector.Requirement) int64 {
	values := r.Values()
	if len(values) != 1 {
		return 0
	}
	n, _ := strconv.ParseInt(values[0], 10, 64)
	return n
}

// distinct returns the values of r, sorted, each once.
func distinct(r *selector.Requirement) []string {
	return slices.Compact(slices.Sorted(slices.Values(r.Values())))
}

// keepOnly restricts the factor to the values, which are sorted and distinct.
func (f *factor) keepOnly(values []string) {
	kept := make([]string, 0, len(values))
	for _, v := range values {
		if f.allows(v) {
			kept = append(kept, v)
		}
	}
	f.form, f.set = only, kept
}

// drop excludes the values. It takes time in proportion to all excluded values: to exclude
// many values one by one, use demands.
func (f *factor) drop(values []string) {
	if f.form == only {
		f.set = without(f.set, values)
		return
	}
	set := slices.Concat(f.set, values)
	slices.Sort(set)
	f.set = slices.Compact(set)
	f.trim()
}

// trim drops the exclusions outside the range of a between factor.
func (f *factor) trim() {
	if f.form == between {
		f.set = slices.DeleteFunc(f.set, func(v string) bool { return !isBetween(v, f.lo, f.hi) })
	}
}

// allows reports whether the label may have the value.
func (f *factor) allows(value string) bool {
	_, found := slices.BinarySearch(f.set, value)
	switch f.form {
	case only:
		return found
	case between:
		return !found && isBetween(value, f.lo, f.hi)
	}
	return !found
}

// A state is a possible state of a label: absent or a value.
type state struct {
	absent bool
	value  string
}

// pick returns the simplest state that the factor allows, if any: absent, or else the
// smallest value.
func (f *factor) pick() (state, bool) {
	if f.absent {
		return state{absent: true}, true
	}
	value, ok := f.pickValue()
	return state{value: value}, ok
}

// pickValue returns the smallest value that the factor allows. If it allows all values but a
// few, it returns the first of "", v1, v2 and so on that it allows.
func (f *factor) pickValue() (string, bool) {
	switch f.form {
	case only:
		if len(f.set) == 0 {
			return "", false
		}
		return f.set[0], true
	case between:
		return spelling(f.lo, f.hi, f.set)
	}
	return fresh(f.set), true
}

// common returns the values of a that are in b; both are sorted.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return !contains(b, v) })
}

// without returns the values of a that are not in b; both are sorted.
func without(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(v string) bool { return contains(b, v) })
}

func contains(sorted []string, value string) bool {
	_, found := slices.BinarySearch(sorted, value)
	return found
}

// factors returns the factors of a selector that is not Nothing, sorted by key.
func factors(s selector.Selector) []factor {
	requirements := s.Requirements()
	var fs []factor
	for len(requirements) > 0 {
		n := 1
		for n < len(requirements) && requirements[n].Key() == requirements[0].Key() {
			n++
		}
		fs = append(fs, factorOf(requirements[:n]))
		requirements = requirements[n:]
	}
	return fs
}
