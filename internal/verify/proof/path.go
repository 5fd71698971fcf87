// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/big"
	"strings"
)

// A path is a way through a function: each condition on which it depends holds, fails, or
// is never reached. It is described by one input that takes it.
type path struct {
	values map[string]*big.Int // of the parameters, and of the result
}

// patient has no limit, since the last question, whether there is another path, is the
// hardest.
var patient = solver{name: "z3", command: []string{"z3", "-in"}}

// paths finds an input for each path of a function under its assumptions, with slices of so
// many elements. It ends when the solver finds no other path, or after most paths if most
// is above 0.
func (p *program) paths(c contract, elements, most int) ([]path, error) {
	m, err := p.translate(c, elements)
	if err != nil {
		return nil, err
	}
	s, err := patient.start()
	if err != nil {
		return nil, err
	}
	defer s.close()
	q := m.newQuestion()
	for _, t := range m.before(m.ts.bool(true), len(m.facts)) {
		q.assert(t)
	}
	out := newPrinter(true)
	for _, t := range q.asserted {
		name := out.term(t)
		fmt.Fprintf(&out.out, "(assert %s)\n", name)
	}
	all := append(append([]argument(nil), m.arguments...), m.outcome...)
	names, conditions := out.names(all), out.conditions(m.decisions)
	if err := s.send(out.out.String()); err != nil {
		return nil, err
	}
	var found []path
	for most <= 0 || len(found) < most {
		switch answer, err := s.ask(); {
		case err != nil:
			return nil, err
		case answer == unsatisfiable:
			return found, nil
		case answer == unknown:
			return nil, fmt.Errorf("%s: whether there are more than %d paths is not known", c.name(), len(found))
		}
		values, err := s.named(all, names)
		if err != nil {
			return nil, err
		}
		found = append(found, path{values})
		if err := s.exclude(conditions); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// conditions declares the variables of conditions, and returns the name of each condition.
func (p *printer) conditions(all []*term) []string {
	var names []string
	seen := map[string]bool{}
	for _, t := range all {
		if name := p.term(t); !t.isConstant() && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// exclude asks for another path than the one of the model.
func (s *session) exclude(conditions []string) error {
	taken, err := s.numbers(conditions)
	if err != nil {
		return err
	}
	var other strings.Builder
	for i, name := range conditions {
		if taken[i].Sign() != 0 {
			name = "(not " + name + ")"
		}
		other.WriteString(" " + name)
	}
	return s.send("(assert (or" + other.String() + "))\n")
}
