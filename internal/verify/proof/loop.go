// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// loop executes a loop: to its end if all slices have few elements, or else for any round.
func (f *frame) loop(l *loop, arrivals []arrival) error {
	if f.unroll > 0 {
		return f.rounds(l, arrivals)
	}
	if f.stated > 0 {
		return fmt.Errorf("%s has a loop, so that no comment can speak of it", f.function)
	}
	entry, err := f.enter(l.header, arrivals)
	if err != nil {
		return err
	}
	if err := f.holds(l, entry, "holds at the start"); err != nil {
		return err
	}
	changed, err := f.changes(l, entry)
	if err != nil {
		return err
	}
	begin := entry.copy()
	if err := f.forget(l, begin, changed); err != nil {
		return err
	}
	for _, inv := range l.invariants {
		t, err := f.condition(inv.expr, l, begin)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", f.files.Position(l.pos), inv.text, err)
		}
		f.assume(begin, t)
	}
	ends, err := f.round(l, begin)
	if err != nil {
		return err
	}
	for _, end := range ends {
		if err := f.holds(l, end, "holds after another round"); err != nil {
			return err
		}
	}
	return nil
}

// changes returns the objects that a loop writes and that existed before it.
func (f *frame) changes(l *loop, entry *state) ([]*object, error) {
	outer, facts := f.written, len(f.facts)
	returned, results := f.returned, f.results
	waiting := map[*ssa.BasicBlock][]arrival{}
	f.written, f.waiting, waiting = map[*object]bool{}, waiting, f.waiting
	f.trial++
	begin := entry.copy()
	err := f.forget(l, begin, nil)
	if err == nil {
		_, err = f.round(l, begin)
	}
	f.trial--
	var changed []*object
	for o := range f.written {
		if _, ok := entry.memory[o]; ok {
			changed = append(changed, o)
		}
		outer[o] = true
	}
	slices.SortFunc(changed, func(a, b *object) int { return strings.Compare(a.name, b.name) })
	f.written, f.waiting, f.returned, f.results, f.facts = outer, waiting, returned, results, f.facts[:facts]
	return changed, err
}

// forget lets the loop begin any round: everything that it changes gets any value.
func (f *frame) forget(l *loop, s *state, changed []*object) error {
	for _, in := range l.header.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		v, err := f.any(phi.Comment, phi.Type(), s)
		if _, isList := phi.Type().Underlying().(*types.Slice); isList {
			err = fmt.Errorf("%s: a slice that changes in a loop is not translated", f.files.Position(l.pos))
		}
		if err != nil {
			return err
		}
		s.values[phi] = v
		if phi.Comment == rangeIndex { // it counts from -1 up to the length
			f.assume(s, f.ts.atMost(f.ts.int(-1), v.(*term)))
			if n := f.lengthOf(l, phi, s); n != nil {
				f.assume(s, f.ts.less(v.(*term), f.ts.max(n, f.ts.int(1))))
				f.assume(s, f.ts.atMost(v.(*term), f.ts.subtract(n, f.ts.int(1))))
			}
		}
	}
	for _, o := range changed {
		var err error
		if old, ok := s.memory[o].(columns); ok && len(old) > 0 {
			s.memory[o], err = f.anyColumns(o.name, o.of)
		} else {
			s.memory[o], err = f.any(o.name, o.of, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lengthOf returns the number of rounds of a range over a slice, which is computed before
// it.
func (f *frame) lengthOf(l *loop, phi *ssa.Phi, s *state) *term {
	for _, in := range l.header.Instrs {
		if b, ok := in.(*ssa.BinOp); ok && b.Op == token.LSS {
			if n, err := f.value(b.Y, s); err == nil {
				return n.(*term)
			}
		}
	}
	return nil
}

// round executes a loop once, and returns the paths that come back to its header.
func (f *frame) round(l *loop, begin *state) ([]*state, error) {
	if err := f.block(l.header, begin); err != nil {
		return nil, err
	}
	if err := f.run(f.order(l)[1:], l); err != nil {
		return nil, err
	}
	back := f.waiting[l.header]
	delete(f.waiting, l.header)
	var ends []*state
	for _, a := range back {
		end, err := f.enter(l.header, []arrival{a})
		if err != nil {
			return nil, err
		}
		ends = append(ends, end)
	}
	return ends, nil
}

// rounds executes a loop until no path comes back.
func (f *frame) rounds(l *loop, arrivals []arrival) error {
	for n := 0; len(arrivals) > 0; n++ {
		if n > f.unroll+1 {
			return fmt.Errorf("%s: the loop does not end", f.files.Position(l.pos))
		}
		begin, err := f.enter(l.header, arrivals)
		if err != nil {
			return err
		}
		if err := f.block(l.header, begin); err != nil {
			return err
		}
		if err := f.run(f.order(l)[1:], l); err != nil {
			return err
		}
		arrivals = f.waiting[l.header]
		delete(f.waiting, l.header)
	}
	return nil
}

// holds proves the invariants of a loop.
func (f *frame) holds(l *loop, s *state, when string) error {
	for _, inv := range l.invariants {
		t, err := f.condition(inv.expr, l, s)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", f.files.Position(l.pos), inv.text, err)
		}
		f.prove(s, inv.text+" "+when, l.pos, t)
	}
	return nil
}

func (f *frame) condition(e ast.Expr, l *loop, s *state) (*term, error) {
	return scope{frame: f, loop: l, state: s, bound: map[string]*term{}, follow: f.call}.term(e)
}
