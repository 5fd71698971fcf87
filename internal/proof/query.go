// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
)

// A result is what a solver says of an obligation.
type result struct {
	obligation
	answer answer
	effort int // the one that was enough
}

// discharge asks the solvers about all obligations, and adds the time that each computed.
func (m *machine) discharge(p *proof) error {
	var running []*session
	for _, sv := range solvers {
		s, err := sv.start()
		if err != nil {
			return err
		}
		defer s.close()
		running = append(running, s)
	}
	for _, o := range m.obligations {
		enough := 0
		for _, s := range running {
			r, err := m.settle(s, o, enough, nil)
			if err != nil {
				return fmt.Errorf("%v: %s: %w", o.at, o.name, err)
			}
			p.results[s.name] = append(p.results[s.name], r)
			enough = r.effort
		}
	}
	for _, s := range running {
		p.took[s.name] = s.close()
	}
	return nil
}

// settle asks first with the facts that are near to the goal, since what follows from
// some facts follows from all, and the fewer there are the sooner a solver is done. It begins
// with the effort that was enough for another solver.
func (m *machine) settle(s *session, o obligation, enough int, answers *memory) (result, error) {
	r := result{obligation: o}
	known := m.known(o)
	for i := range efforts {
		e := (enough + i) % len(efforts)
		text := m.question(o.what, near(o.what, known, efforts[e].steps), efforts[e])
		if err := r.ask(s, text, answers); err != nil {
			return r, err
		}
		if r.answer == unsatisfiable {
			r.effort = e
			break
		}
	}
	return r, nil
}

func (r *result) ask(s *session, text string, answers *memory) (err error) {
	if old, ok := answers.of(s, text); ok {
		r.answer = old
		return nil
	}
	if err := s.send("(push 1)\n" + text); err != nil {
		return err
	}
	if r.answer, err = s.ask(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	answers.keep(s, text, r.answer)
	return s.send("(pop 1)\n")
}

// An effort is how much a solver is told.
type effort struct {
	steps int // of facts: see near
	// If wide, what holds for all of a range is said of the places in facts, too, and not
	// only of those in the goal; and sums are compared.
	wide, sums bool
	// If exact, products and quotients are those of arithmetic, and not functions of which
	// a few laws are known.
	exact bool
}

// everything is more steps than there are.
const everything = 99

// efforts are tried in order, the cheap ones first.
var efforts = []effort{
	{}, {exact: true}, {steps: 1}, {steps: 2}, {steps: 1, wide: true}, {steps: 2, wide: true}, {steps: 4, wide: true},
	{steps: 4, wide: true, sums: true}, {steps: everything, wide: true, sums: true}, {steps: 2, exact: true}, {steps: everything, wide: true, sums: true, exact: true},
}

// known are the conditions of the path to an obligation, and the facts as they are on it.
func (m *machine) known(o obligation) []*term {
	all := conjuncts(o.guard)
	given := map[*term]bool{}
	for _, c := range all {
		given[c] = true
	}
	for _, f := range m.facts[:o.facts] {
		rest := m.ts.bool(true)
		for _, c := range conjuncts(f.guard) {
			if !given[c] {
				rest = m.ts.and(rest, c)
			}
		}
		all = append(all, m.ts.implies(rest, f.what))
	}
	return slices.DeleteFunc(all, (*term).isTrue)
}

// near chooses the terms that speak of the same variables as a goal, or of those of terms
// so chosen, in so many steps. With no step, they speak of nothing else; with very many it is
// all of them, since what contradicts itself need not speak of the goal.
func near(goal *term, known []*term, steps int) []*term {
	if steps >= everything {
		return known
	}
	of, chosen := goal.variables(), make([]bool, len(known))
	for i, t := range known {
		chosen[i] = !t.mentions(func(p *term) bool { return p.op == variable && !of[p] })
	}
	for range steps {
		var more []*term
		for i, t := range known {
			if !chosen[i] && t.mentions(func(p *term) bool { return of[p] }) {
				chosen[i] = true
				more = append(more, t)
			}
		}
		if len(more) == 0 {
			break
		}
		for _, t := range more {
			maps.Copy(of, t.variables())
		}
	}
	var all []*term
	for i, t := range known {
		if chosen[i] {
			all = append(all, t)
		}
	}
	return all
}

// question asks for a case in which the facts hold and the goal does not.
func (m *machine) question(goal *term, known []*term, e effort) string {
	q := m.newQuestion()
	q.assert(m.ts.not(goal))
	q.unfold()
	q.narrow = !e.wide
	for _, fact := range known {
		q.assert(fact)
	}
	q.instances(true)
	if e.wide {
		q.unfold()
	}
	q.relate()
	if e.sums {
		q.compare()
	}
	q.instances(false)
	if !e.exact {
		q.products()
	}
	return q.print(e.exact)
}

func (m *machine) newQuestion() *question {
	return &question{ts: m.ts, places: map[*term]bool{}, seen: map[*term]bool{}, done: map[string]bool{}, ranges: map[*term]*use{},
		visited: map[*term]bool{}, limits: map[*term][]*term{}}
}

// A question is a list of what is to be true at once.
type question struct {
	ts       *terms
	asserted []*term
	places   map[*term]bool // where arrays are read
	sums     []*term
	ranges   map[*term]*use // what is said to hold for all of a range
	order    []*term        // the same, in the order in which it was found
	seen     map[*term]bool
	done     map[string]bool
	narrow   bool // new places are not looked for any more
	// Of products and quotients of unknowns.
	visited    map[*term]bool
	multiplied []*term
	limits     map[*term][]*term
}

// A use says how a term that speaks of all of a range stands in what is true: so that it
// holds, or so that it does not.
type use struct{ holds, fails bool }

// assert adds what is true, and finds the places and sums in it. What is said of all of a
// range becomes a truth value, of which instances and failures tell more.
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

// abstract puts a truth value in the place of each term that speaks of all of a range.
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

// failures says that there is a place where it fails, if something does not hold for all of
// a range.
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

// instances says of each place what holds for all of a range. Where that speaks of sums,
// it is said only of places that others speak of, since a sum brings new places with it.
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

// at is what a range says of one place.
func (q *question) at(e, place *term) *term {
	ts := q.ts
	within := ts.and(ts.atMost(e.args[0], place), ts.less(place, e.args[1]))
	return ts.implies(within, ts.replace(e.args[2], ts.bound("all"), place, map[*term]*term{}))
}
