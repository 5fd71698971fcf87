// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// keep proves that a function keeps its contract.
func (m *machine) keep(c contract) error {
	f := c.function
	s := &state{guard: m.ts.bool(true), values: map[ssa.Value]value{}, memory: map[*object]value{}}
	args := make([]value, len(f.Params))
	for i, p := range f.Params {
		v, err := m.any(p.Name(), p.Type(), s)
		if err != nil {
			return err
		}
		args[i] = v
		if m.unroll > 0 {
			m.arguments = append(m.arguments, m.argumentsOf(p.Name(), v, s)...)
		}
	}
	inputs := map[*object]bool{}
	for o := range s.memory {
		inputs[o] = true
	}
	in := m.scopeOf(f, args, s)
	for _, a := range c.requires {
		t, err := in.term(a.expr)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", m.files.Position(a.pos), a.text, err)
		}
		m.assume(s, t)
	}
	result, err := m.call(f, args, nil, s)
	if err != nil {
		return err
	}
	if m.unroll > 0 {
		m.outcome = m.argumentsOf("result", result, s)
	}
	for o := range m.written {
		if inputs[o] {
			return fmt.Errorf("%s writes %s, which no contract can tell", f, o.name)
		}
	}
	out := m.scopeOf(f, args, s)
	out.results(result)
	for _, a := range c.ensures {
		t, err := out.term(a.expr)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", m.files.Position(a.pos), a.text, err)
		}
		m.prove(s, a.text, a.pos, t)
	}
	return nil
}

// rely calls a function by its contract alone.
func (m *machine) rely(c contract, args []value, s *state, pos token.Pos) (value, error) {
	f := c.function
	m.uses[f] = true
	in := m.scopeOf(f, args, s)
	for _, a := range c.requires {
		t, err := in.term(a.expr)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", m.files.Position(a.pos), a.text, err)
		}
		m.prove(s, f.Name()+" requires "+a.text, pos, t)
	}
	var result value
	all := make(tuple, f.Signature.Results().Len())
	for i := range all {
		v, err := m.any(f.Name(), f.Signature.Results().At(i).Type(), s)
		if err != nil {
			return nil, err
		}
		all[i] = v
	}
	result = all
	if len(all) == 1 {
		result = all[0]
	}
	out := m.scopeOf(f, args, s)
	out.results(result)
	for _, a := range c.ensures {
		t, err := out.term(a.expr)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", m.files.Position(a.pos), a.text, err)
		}
		m.assume(s, t)
	}
	return result, nil
}

// scopeOf returns the scope of the names of a contract.
func (m *machine) scopeOf(f *ssa.Function, args []value, s *state) scope {
	at := &state{guard: s.guard, values: map[ssa.Value]value{}, memory: s.memory}
	for i, p := range f.Params {
		at.values[p] = args[i]
	}
	return scope{frame: &frame{machine: m, function: f}, state: at, bound: map[string]*term{}, named: map[string]typed{}, follow: m.call}
}

// results names the results of a function, as its signature does, or else "result".
func (c scope) results(v value) {
	of := c.function.Signature.Results()
	all, ok := v.(tuple)
	if !ok {
		all = tuple{v}
	}
	for i := range of.Len() {
		name := of.At(i).Name()
		if name == "" || name == "_" {
			name = "result"
		}
		c.named[name] = typed{all[i], of.At(i).Type()}
	}
}
