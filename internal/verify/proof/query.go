// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"maps"
	"slices"
)

// discharge asks the solvers about all obligations, and adds the computing time of each.
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

// settle asks first with the facts close to the goal: a goal that follows from some facts
// follows from all, and fewer facts are faster. It begins with the effort that was enough
// for another solver.
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

// An effort says how many facts a solver gets.
type effort struct {
	steps int // of facts: see near
	// If wide, statements about a range are also instantiated at places in facts, not only
	// at places in the goal; if sums, sums are compared.
	wide, sums bool
	// If exact, the solver computes products and quotients; otherwise they are functions
	// with a few known laws.
	exact bool
}

// everything is more steps than any question has.
const everything = 99

// efforts are tried in order, the cheap ones first.
var efforts = []effort{
	{}, {exact: true}, {steps: 1}, {steps: 2}, {steps: 1, wide: true}, {steps: 2, wide: true}, {steps: 4, wide: true},
	{steps: 4, wide: true, sums: true}, {steps: everything, wide: true, sums: true}, {steps: 2, exact: true}, {steps: everything, wide: true, sums: true, exact: true},
}

// known returns the conditions of the path to an obligation, and the facts on it.
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

// near returns the terms that share variables with a goal, or with terms chosen before, in
// so many steps. With no step, they have no other variables; with very many it returns all
// of them, since a contradiction need not mention the goal.
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
