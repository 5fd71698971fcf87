// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/big"
	"slices"
)

// replace replaces a term by another one.
func (ts *terms) replace(t, old, by *term, done map[*term]*term) *term {
	if t == old {
		return by
	}
	if len(t.args) == 0 || old.op == bound && !t.open {
		return t
	}
	if r := done[t]; r != nil {
		return r
	}
	args := make([]*term, len(t.args))
	for i, a := range t.args {
		args[i] = ts.replace(a, old, by, done)
	}
	r := ts.rebuild(t, args)
	done[t] = r
	return r
}

func (ts *terms) rebuild(t *term, args []*term) *term {
	switch t.op {
	case add:
		return ts.add(args[0], args[1])
	case subtract:
		return ts.subtract(args[0], args[1])
	case multiply:
		return ts.multiply(args[0], args[1])
	case atMost:
		return ts.atMost(args[0], args[1])
	case equal:
		return ts.equal(args[0], args[1])
	case not:
		return ts.not(args[0])
	case and:
		return ts.and(args[0], args[1])
	case choose:
		return ts.choose(args[0], args[1], args[2])
	case read:
		return ts.read(args[0], args[1])
	case write:
		return ts.write(args[0], args[1], args[2])
	}
	q := *t
	q.args, q.open = args, false
	return ts.intern(q)
}

// mentions reports whether is holds for some part of a term.
func (t *term) mentions(is func(*term) bool) bool {
	seen := map[*term]bool{}
	var visit func(t *term) bool
	visit = func(t *term) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		return is(t) || slices.ContainsFunc(t.args, visit)
	}
	return visit(t)
}

// variables returns the variables in a term.
func (t *term) variables() map[*term]bool {
	all := map[*term]bool{}
	t.mentions(func(p *term) bool {
		if p.op == variable {
			all[p] = true
		}
		return false
	})
	return all
}

func smaller(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}
