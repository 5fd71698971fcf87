// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// call executes a function and returns its result. The state goes on with everything that
// the function has written.
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

// leave joins the paths that have reached a return.
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

// order returns the blocks of a loop, or of the function, so that each comes after its
// predecessors.
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

// run executes blocks in order. The blocks of a nested loop are executed by the loop.
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

// enter joins the paths that have reached a block, and gives its phis their values.
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

// block executes the instructions of a block.
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

func (f *frame) loopAt(b *ssa.BasicBlock) *loop {
	for _, l := range f.loops {
		if l.header == b {
			return l
		}
	}
	return nil
}
