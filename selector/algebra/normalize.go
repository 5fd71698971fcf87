// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"strconv"

	"github.com/kplan-go/kplan/selector"
)

// Normalize returns the shortest selector of a fixed form that selects the same legal labels:
// Nothing if it selects none, otherwise for each key, in order, no requirements or one of
//
//	!key   key   key=v   key in (v,w)   key notin (v)   key,key notin (v)   key>1,key<9,key notin (5)
//
// Selectors with the same normal form are [Equivalent]. Equivalent selectors have the same
// normal form, with one exception: a range of integers can also be written as the list of all
// its spellings.
func Normalize(s selector.Selector) selector.Selector {
	if s.IsNothing() {
		return selector.Nothing()
	}
	var requirements []selector.Requirement
	for _, f := range factors(s) {
		if !f.possible() {
			return selector.Nothing()
		}
		requirements = append(requirements, f.requirements()...)
	}
	return selector.Of(requirements...)
}

// requirements returns the normal form of a factor that is not empty.
func (f *factor) requirements() []selector.Requirement {
	var rs []selector.Requirement
	add := func(op selector.Op, values ...string) {
		if r, err := selector.NewRequirement(f.key, op, values); err == nil {
			rs = append(rs, r)
		}
	}
	switch f.form {
	case only:
		switch {
		case f.absent:
			add(selector.OpDoesNotExist)
		case len(f.set) == 1:
			// The value and the key may be illegal: FromMap checks neither.
			rs = append(rs, selector.FromMap(map[string]string{f.key: f.set[0]}).Requirements()...)
		default:
			add(selector.OpIn, f.set...)
		}
		return rs
	case allBut:
		if !f.absent {
			add(selector.OpExists)
		}
	case between:
		lo, hi := tightened(f.lo, f.hi, f.set)
		if lo > 0 {
			add(selector.OpGreater, strconv.FormatInt(lo-1, 10))
		}
		if hi < maxInteger {
			add(selector.OpLess, strconv.FormatInt(hi+1, 10))
		}
		f.lo, f.hi = lo, hi
		f.trim()
	}
	if len(f.set) > 0 {
		add(selector.OpNotIn, f.set...)
	}
	return rs
}
