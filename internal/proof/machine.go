// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A machine follows a function of Go with terms instead of numbers.
type machine struct {
	*program
	ts *terms
	// unroll is how many elements each slice has, and 0 for any number: then loops are
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
	visits      []obligation // what a property proves, also where nothing is left to prove
	// Where all slices have few elements, the numbers that parameters hold, and the result.
	arguments, outcome []argument
	reached            map[*ssa.Function]bool
	uses               map[*ssa.Function]bool // the functions whose contracts are relied upon
}

// A claim is what holds where a condition does.
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

// conjuncts are the terms that must all be true for one to be true.
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

// text is a number that stands for a text: equal ones for equal texts.
func (m *machine) text(s string) *term {
	n, ok := m.texts[s]
	if !ok {
		n = int64(len(m.texts))
		m.texts[s] = n
	}
	return m.ts.int(n)
}

// A frame is a function that runs.
type frame struct {
	*machine
	function *ssa.Function
	loops    []*loop
	waiting  map[*ssa.BasicBlock][]arrival
	returned []*state
	results  []value
}

// An arrival is a path that has come to a block.
type arrival struct {
	from  *ssa.BasicBlock
	state *state
}

// call follows a function and returns what it returns. The state goes on with what the
// function has written.
func (m *machine) call(f *ssa.Function, args []value, bindings []value, s *state) (value, error) {
	if m.depth > 20 {
		return nil, fmt.Errorf("%s: functions that call themselves are not translated", f)
	}
	m.depth++
	m.reached[f] = true
	defer func() { m.depth-- }()
	loops, err := m.loopsOf(f)
	if err != nil {
		return nil, err
	}
	fr := &frame{machine: m, function: f, loops: loops, waiting: map[*ssa.BasicBlock][]arrival{}}
	in := &state{guard: s.guard, values: map[ssa.Value]value{}, memory: s.memory}
	for i, p := range f.Params {
		in.values[p] = args[i]
	}
	for i, v := range f.FreeVars {
		in.values[v] = bindings[i]
	}
	fr.waiting[f.Blocks[0]] = []arrival{{nil, in.copy()}}
	if err := fr.run(fr.order(nil), nil); err != nil {
		return nil, err
	}
	return fr.leave(s)
}

// leave joins the paths that have come to a return.
func (f *frame) leave(s *state) (value, error) {
	if len(f.returned) == 0 {
		return nil, fmt.Errorf("%s never returns", f.function)
	}
	for i, r := range f.returned {
		r.values = map[ssa.Value]value{nil: f.results[i]}
	}
	all, err := f.merge(f.returned)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.function, err)
	}
	s.guard, s.memory = all.guard, all.memory
	return all.values[nil], nil
}

// order lists the blocks of a loop, or of the function, so that each comes behind those
// that lead to it.
func (f *frame) order(in *loop) []*ssa.BasicBlock {
	var order []*ssa.BasicBlock
	seen := map[*ssa.BasicBlock]bool{}
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if seen[b] || in != nil && !in.blocks[b] {
			return
		}
		seen[b] = true
		for _, next := range b.Succs {
			visit(next)
		}
		order = append(order, b)
	}
	start := f.function.Blocks[0]
	if in != nil {
		start = in.header
	}
	visit(start)
	slices.Reverse(order)
	return order
}

// run follows blocks in order. Those of a loop within them are followed by the loop.
func (f *frame) run(order []*ssa.BasicBlock, within *loop) error {
	for _, b := range order {
		arrivals := f.waiting[b]
		if len(arrivals) == 0 {
			continue
		}
		if l := f.loopAt(b); l != nil && l != within {
			delete(f.waiting, b)
			if err := f.loop(l, arrivals); err != nil {
				return err
			}
			continue
		}
		delete(f.waiting, b)
		s, err := f.enter(b, arrivals)
		if err != nil {
			return err
		}
		if err := f.block(b, s); err != nil {
			return err
		}
	}
	return nil
}

// enter joins the paths that have come to a block, and gives its phis their values.
func (f *frame) enter(b *ssa.BasicBlock, arrivals []arrival) (*state, error) {
	states := make([]*state, len(arrivals))
	for i, a := range arrivals {
		states[i] = a.state.copy()
		for _, in := range b.Instrs {
			phi, ok := in.(*ssa.Phi)
			if !ok {
				break
			}
			v, err := f.value(phi.Edges[slices.Index(b.Preds, a.from)], a.state)
			if err != nil {
				return nil, err
			}
			states[i].values[phi] = v
		}
	}
	s, err := f.merge(states)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.function, err)
	}
	return s, nil
}

// block follows the instructions of a block.
func (f *frame) block(b *ssa.BasicBlock, s *state) error {
	for _, in := range b.Instrs {
		if err := f.instruction(in, s); err != nil {
			return fmt.Errorf("%s: %w", f.files.Position(position(in)), err)
		}
	}
	switch last := b.Instrs[len(b.Instrs)-1].(type) {
	case *ssa.If:
		v, err := f.value(last.Cond, s)
		if err != nil {
			return err
		}
		f.decide(s, v.(*term))
		other := s.copy()
		s.guard = f.ts.and(s.guard, v.(*term))
		other.guard = f.ts.and(other.guard, f.ts.not(v.(*term)))
		f.arrive(b, b.Succs[0], s)
		f.arrive(b, b.Succs[1], other)
	case *ssa.Jump:
		f.arrive(b, b.Succs[0], s)
	}
	return nil
}

// decide remembers a condition on which the path depends.
func (m *machine) decide(s *state, t *term) {
	if !t.isConstant() && m.trial == 0 {
		m.decisions = append(m.decisions, m.ts.and(s.guard, t), m.ts.and(s.guard, m.ts.not(t)))
	}
}

func (f *frame) arrive(from, to *ssa.BasicBlock, s *state) {
	if !s.guard.isFalse() {
		f.waiting[to] = append(f.waiting[to], arrival{from, s})
	}
}

func position(in ssa.Instruction) token.Pos {
	if in.Pos().IsValid() {
		return in.Pos()
	}
	for _, op := range in.Operands(nil) {
		if *op != nil && (*op).Pos().IsValid() {
			return (*op).Pos()
		}
	}
	return in.Parent().Pos()
}

// value is what an operand stands for.
func (f *frame) value(v ssa.Value, s *state) (value, error) {
	switch v := v.(type) {
	case *ssa.Const:
		return f.literal(v)
	case *ssa.Function:
		return closure{function: v}, nil
	}
	if x, ok := s.values[v]; ok {
		return x, nil
	}
	return nil, fmt.Errorf("%s (%T) in %s is not translated", v, v, f.function)
}

func (f *frame) literal(c *ssa.Const) (value, error) {
	if c.Value == nil {
		return f.zero(c.Type())
	}
	switch t := c.Type().Underlying().(*types.Basic); {
	case t.Info()&types.IsBoolean != 0:
		return f.ts.bool(c.Value.ExactString() == "true"), nil
	case t.Info()&types.IsInteger != 0:
		n, err := number(c.Value.ExactString())
		if err != nil {
			n, err = number("(- " + c.Value.ExactString()[1:] + ")")
		}
		return f.ts.big(n), err
	case t.Info()&types.IsString != 0:
		return f.text(c.Value.ExactString()), nil
	}
	return nil, fmt.Errorf("constant %v is not translated", c)
}
