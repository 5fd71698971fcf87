// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// elements is the number of elements of a slice in the search for a case. Every loop is
// then executed to its end and no contract is used, so that a case is a real one.
const elements = 2

// A counterexample is a case in which a property does not hold.
type counterexample struct {
	obligation
	values map[string]*big.Int // of the parameters; truth values are 0 and 1
}

// String returns the property that does not hold, and the numbers.
func (c counterexample) String() string { return fmt.Sprintf("%s: %s: %s", c.at, c.name, c.numbers()) }

// numbers lists the numbers that are not 0.
func (c counterexample) numbers() string {
	var all []string
	for name, n := range c.values {
		if n.Sign() != 0 {
			all = append(all, fmt.Sprintf("%s=%v", name, n))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// counterexample searches for a case; it returns nil if none exists with so few elements.
func (p *program) counterexample(s *session, c contract) (*counterexample, error) {
	m, err := p.translate(c, elements)
	if err != nil {
		return nil, err
	}
	for _, o := range m.obligations {
		terms := append(m.before(o.guard, o.facts), m.ts.not(o.what))
		values, err := m.satisfy(s, terms)
		if err != nil {
			return nil, fmt.Errorf("%v: %s: %w", o.at, o.name, err)
		}
		if values != nil {
			return &counterexample{o, values}, nil
		}
	}
	return nil, nil
}

// unreached returns the claims of a property that no case reaches, because its premises
// exclude each other.
func (p *program) unreached(s *session, c contract) ([]string, error) {
	m, err := p.translate(c, elements)
	if err != nil {
		return nil, err
	}
	reached := map[string]bool{}
	var order []string
	for _, v := range m.visits {
		name := fmt.Sprintf("%s: %s", v.at, v.name)
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
		if reached[name] {
			continue
		}
		values, err := m.satisfy(s, m.before(v.guard, v.facts))
		if err != nil {
			return nil, err
		}
		reached[name] = values != nil
	}
	return slices.DeleteFunc(order, func(name string) bool { return reached[name] }), nil
}

// before returns the facts at a place.
func (m *machine) before(guard *term, facts int) []*term {
	all := []*term{guard}
	for _, f := range m.facts[:facts] {
		all = append(all, m.ts.implies(f.guard, f.what))
	}
	return all
}

// satisfy returns parameters for which terms are true, nil if there are none or a solver
// cannot tell.
func (m *machine) satisfy(s *session, all []*term) (map[string]*big.Int, error) {
	q := m.newQuestion()
	for _, t := range all {
		q.assert(t)
	}
	p := newPrinter(true)
	for _, t := range q.asserted {
		name := p.term(t)
		fmt.Fprintf(&p.out, "(assert %s)\n", name)
	}
	parameters := p.names(m.arguments)
	if err := s.send("(push 1)\n" + p.out.String()); err != nil {
		return nil, err
	}
	answer, err := s.ask()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, p.out.String())
	}
	var values map[string]*big.Int
	if answer == satisfiable {
		if values, err = s.named(m.arguments, parameters); err != nil {
			return nil, err
		}
	}
	return values, s.send("(pop 1)\n")
}

// names declares the variables of arguments, and returns their names for a solver.
func (p *printer) names(all []argument) []string {
	var names []string
	for _, a := range all {
		names = append(names, p.term(a.term))
	}
	return names
}

// named reads the values of arguments in the model.
func (s *session) named(all []argument, names []string) (map[string]*big.Int, error) {
	numbers, err := s.numbers(names)
	if err != nil {
		return nil, err
	}
	values := map[string]*big.Int{}
	for i, a := range all {
		values[a.name] = numbers[i]
	}
	return values, nil
}
