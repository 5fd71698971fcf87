// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"time"
)

// A proof holds the results of the solvers for one function.
type proof struct {
	contract
	machine *machine
	results map[string][]result // by solver
	took    map[string]time.Duration
}

// open returns the results that a solver has not proved.
func (p proof) open(s solver) []result {
	return slices.DeleteFunc(slices.Clone(p.results[s.name]), func(r result) bool { return r.answer == unsatisfiable })
}

// translate executes a function, and lists its obligations.
func (p *program) translate(c contract, elements int) (_ *machine, err error) {
	m := newMachine(p, elements)
	defer func() {
		if r := recover(); r != nil { // a value whose kind an instruction does not know
			err = fmt.Errorf("%s is not translated: %v", c.name(), r)
		}
	}()
	if err := m.keep(c); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name(), err)
	}
	return m, nil
}

// A result is the answer of a solver to an obligation.
type result struct {
	obligation
	answer answer
	effort int // the first that was enough
}
