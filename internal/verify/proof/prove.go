// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"time"
)

// A proof is what the solvers say of a function that promises or proves something.
type proof struct {
	contract
	machine *machine
	results map[string][]result // by solver
	took    map[string]time.Duration
}

// open lists what a solver has not proved.
func (p proof) open(s solver) []result {
	return slices.DeleteFunc(slices.Clone(p.results[s.name]), func(r result) bool { return r.answer == unsatisfiable })
}

// translate follows a function, and lists what is to be proved of it.
func (p *program) translate(c contract, elements int) (_ *machine, err error) {
	m := newMachine(p, elements)
	defer func() {
		if r := recover(); r != nil { // a value that is not of the kind that an instruction knows
			err = fmt.Errorf("%s is not translated: %v", c.name(), r)
		}
	}()
	if err := m.keep(c); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name(), err)
	}
	return m, nil
}

// A result is what a solver says of an obligation.
type result struct {
	obligation
	answer answer
	effort int // the one that was enough
}
