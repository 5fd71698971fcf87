// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
)

// A question is a list of terms that should all be true at once.
type question struct {
	ts       *terms
	asserted []*term
	places   map[*term]bool // the indexes at which arrays are read
	sums     []*term
	ranges   map[*term]*use // the statements about a range
	order    []*term        // the same, in the order in which it was found
	seen     map[*term]bool
	done     map[string]bool
	narrow   bool // no new places are searched
	// Of products and quotients of unknowns.
	visited    map[*term]bool
	multiplied []*term
	limits     map[*term][]*term
}

// A use records whether a statement about a range occurs so that it holds, or so that it
// fails.
type use struct{ holds, fails bool }

func (m *machine) newQuestion() *question {
	return &question{ts: m.ts, places: map[*term]bool{}, seen: map[*term]bool{}, done: map[string]bool{}, ranges: map[*term]*use{},
		visited: map[*term]bool{}, limits: map[*term][]*term{}}
}

// assert adds a true term, and finds the places and sums in it. A statement about a range
// becomes a truth value, with instances and failures.
func (q *question) assert(t *term) {
	if t.isTrue() || q.done[fmt.Sprint("assert ", t.id)] {
		return
	}
	q.done[fmt.Sprint("assert ", t.id)] = true
	t = q.abstract(t, true, true, map[string]*term{})
	q.asserted = append(q.asserted, t)
	q.find(t)
	q.failures()
}

// abstract replaces each statement about a range by a truth value.
func (q *question) abstract(t *term, holds, fixed bool, done map[string]*term) *term {
	key := fmt.Sprint(t.id, holds, fixed)
	if r := done[key]; r != nil {
		return r
	}
	r := t
	switch {
	case t.op == every:
		if q.ranges[t] == nil {
			q.ranges[t] = &use{}
			q.order = append(q.order, t)
		}
		q.ranges[t].holds = q.ranges[t].holds || holds || !fixed
		q.ranges[t].fails = q.ranges[t].fails || !holds || !fixed
		r = q.truth(t)
	case t.op == not:
		r = q.ts.not(q.abstract(t.args[0], !holds, fixed, done))
	case t.sort == boolean && len(t.args) > 0 || t.op == choose:
		args := make([]*term, len(t.args))
		for i, a := range t.args {
			args[i] = q.abstract(a, holds, fixed && t.op == and, done)
		}
		r = q.ts.rebuild(t, args)
	}
	done[key] = r
	return r
}

func (q *question) truth(e *term) *term {
	return q.ts.intern(term{op: variable, sort: boolean, name: fmt.Sprintf("|all#%d|", e.id)})
}

// failures adds that a statement about a range that does not hold fails at some place.
func (q *question) failures() {
	for _, e := range slices.Clone(q.order) {
		key := fmt.Sprint("fails ", e.id)
		if !q.ranges[e].fails || q.done[key] {
			continue
		}
		q.done[key] = true
		place := q.ts.variable("place", integer, nil, nil)
		q.places[place] = true
		q.assert(q.ts.or(q.truth(e), q.ts.not(q.at(e, place))))
	}
}

// instances adds each statement about a range for each place. If it contains sums, only
// places found elsewhere are used, since a sum brings new places with it.
func (q *question) instances(sums bool) {
	for _, place := range q.sorted() {
		for _, e := range slices.Clone(q.order) {
			if q.ranges[e].holds && (sums || !e.args[2].mentions(func(t *term) bool { return t.op == apply })) {
				q.assert(q.ts.implies(q.truth(e), q.at(e, place)))
			}
		}
	}
}

func (q *question) find(t *term) {
	if q.seen[t] {
		return
	}
	q.seen[t] = true
	switch {
	case (t.op == read || t.op == write) && !t.open && !q.narrow:
		q.places[t.args[1]] = true
	case t.op == apply && !t.open:
		q.sums = append(q.sums, t)
		if !q.narrow {
			q.places[t.args[0]] = true
		}
	}
	for _, a := range t.args {
		q.find(a)
	}
}

func (q *question) sorted() []*term {
	all := make([]*term, 0, len(q.places))
	for t := range q.places {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *term) int { return a.id - b.id })
	return all
}

// at returns a statement about a range at one place.
func (q *question) at(e, place *term) *term {
	ts := q.ts
	within := ts.and(ts.atMost(e.args[0], place), ts.less(place, e.args[1]))
	return ts.implies(within, ts.replace(e.args[2], ts.bound("all"), place, map[*term]*term{}))
}
