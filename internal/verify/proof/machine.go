// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/token"
	"maps"

	"golang.org/x/tools/go/ssa"
)

// A machine executes a Go function with terms instead of numbers.
type machine struct {
	*program
	ts *terms
	// unroll is the number of elements of each slice, or 0 for any number: then loops are
	// cut at their invariants.
	unroll      int
	facts       []claim
	obligations []obligation
	decisions   []*term // the conditions on which a path depends
	depth       int
	trial       int // above 0 nothing is proved: it only shows what a loop writes
	stated      int // above 0 a function runs within a comment
	written     map[*object]bool
	texts       map[string]int64
	visits      []obligation // the obligations of a property, also those that are trivially true
	// If all slices have few elements, the numbers in parameters, and the result.
	arguments, outcome []argument
	reached            map[*ssa.Function]bool
	uses               map[*ssa.Function]bool // the functions whose contracts are relied upon
}

// A claim is a statement that holds if the guard does.
type claim struct{ guard, what *term }

// An obligation is a claim that must be true, given the facts before it.
type obligation struct {
	name  string
	at    token.Position
	facts int
	claim
}

func newMachine(p *program, unroll int) *machine {
	return &machine{program: p, ts: newTerms(), unroll: unroll, written: map[*object]bool{}, texts: map[string]int64{"": 0}, uses: map[*ssa.Function]bool{}, reached: map[*ssa.Function]bool{}}
}

func (m *machine) assume(s *state, t *term) {
	for _, what := range conjuncts(t) {
		if !what.isTrue() {
			m.facts = append(m.facts, claim{s.guard, what})
		}
	}
}

// conjuncts returns the terms that must all be true for t to be true.
func conjuncts(t *term) []*term {
	if t.op != and {
		return []*term{t}
	}
	return append(conjuncts(t.args[0]), conjuncts(t.args[1])...)
}

func (m *machine) prove(s *state, name string, pos token.Pos, t *term) {
	if m.trial > 0 || m.ts.implies(s.guard, t).isTrue() {
		return
	}
	m.obligations = append(m.obligations, obligation{name, m.files.Position(pos), len(m.facts), claim{s.guard, t}})
}

// text returns a number for a text: equal ones for equal texts.
func (m *machine) text(s string) *term {
	n, ok := m.texts[s]
	if !ok {
		n = int64(len(m.texts))
		m.texts[s] = n
	}
	return m.ts.int(n)
}

// A frame is a call of a function.
type frame struct {
	*machine
	function *ssa.Function
	loops    []*loop
	waiting  map[*ssa.BasicBlock][]arrival
	returned []*state
	results  []value
}

// An arrival is a path that has reached a block.
type arrival struct {
	from  *ssa.BasicBlock
	state *state
}

// decide records a condition on which the path depends.
func (m *machine) decide(s *state, t *term) {
	if !t.isConstant() && m.trial == 0 {
		m.decisions = append(m.decisions, m.ts.and(s.guard, t), m.ts.and(s.guard, m.ts.not(t)))
	}
}

// A state is the knowledge at the end of a path.
type state struct {
	guard  *term // the conditions of the path
	values map[ssa.Value]value
	memory map[*object]value // a term, a record, or columns
}

func (s *state) copy() *state {
	return &state{s.guard, maps.Clone(s.values), maps.Clone(s.memory)}
}

// An argument is a number of a parameter.
type argument struct {
	name string
	term *term
}
