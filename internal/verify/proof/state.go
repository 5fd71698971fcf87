// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// merge joins paths, of which at most one is taken.
func (m *machine) merge(states []*state) (*state, error) {
	all := states[0]
	for _, s := range states[1:] {
		guard, when := m.ts.branches(s.guard, all.guard)
		if guard == nil {
			guard, when = m.ts.or(all.guard, s.guard), s.guard
		}
		next := &state{guard: guard, values: map[ssa.Value]value{}, memory: map[*object]value{}}
		for v, a := range all.values {
			if b, ok := s.values[v]; ok && a != nil { // a call without results is nil
				joined, err := m.join(when, b, a, next.memory, s, all)
				if err != nil && v == nil {
					return nil, fmt.Errorf("what is returned: %w", err)
				}
				if err == nil { // without the value, an instruction that needs it fails
					next.values[v] = joined
				}
			}
		}
		for o, a := range all.memory {
			b, ok := s.memory[o]
			if !ok {
				b = a // not there yet on that path
			}
			joined, err := m.join(when, b, a, next.memory, s, all)
			if err != nil {
				return nil, err
			}
			next.memory[o] = joined
		}
		for o, b := range s.memory {
			if _, ok := all.memory[o]; !ok {
				next.memory[o] = b
			}
		}
		all = next
	}
	return all, nil
}

// join returns a value that is one or the other.
func (m *machine) join(when *term, then, otherwise value, memory map[*object]value, from, other *state) (value, error) {
	switch a := then.(type) {
	case *term:
		return m.ts.choose(when, a, otherwise.(*term)), nil
	case record:
		b, r := otherwise.(record), make(record, len(a))
		return r, m.joinAll(r, when, a, b, memory, from, other)
	case tuple:
		b, r := otherwise.(tuple), make(tuple, len(a))
		return r, m.joinAll(r, when, a, b, memory, from, other)
	case columns:
		b, r := otherwise.(columns), make(columns, len(a))
		for i := range a {
			r[i] = m.ts.choose(when, a[i], b[i])
		}
		return r, nil
	case list:
		return m.joinLists(when, a, otherwise.(list), memory, from, other)
	case pointer:
		b := otherwise.(pointer)
		if a.to != b.to || a.index != b.index || fmt.Sprint(a.path) != fmt.Sprint(b.path) {
			return nil, fmt.Errorf("a pointer to one variable or another")
		}
		a.null = m.ts.choose(when, a.null, b.null)
		return a, nil
	case closure, opaque:
		return a, nil
	}
	return nil, fmt.Errorf("a choice between two of %T is not translated", then)
}

func (m *machine) joinAll(r []value, when *term, a, b []value, memory map[*object]value, from, other *state) error {
	for i := range a {
		var err error
		if r[i], err = m.join(when, a[i], b[i], memory, from, other); err != nil {
			return err
		}
	}
	return nil
}

// joinLists returns a list that is one or the other. Two different arrays become a third
// one.
func (m *machine) joinLists(when *term, a, b list, memory map[*object]value, from, other *state) (value, error) {
	length := m.ts.choose(when, a.len, b.len)
	if a.array == b.array {
		return list{a.array, length}, nil
	}
	some := a.array
	if some == nil {
		some = b.array
	}
	chosen := &object{name: some.name, of: some.of, frozen: true}
	x, err := m.content(from, a, some.of)
	if err != nil {
		return nil, err
	}
	y, err := m.content(other, b, some.of)
	if err != nil {
		return nil, err
	}
	for _, o := range []*object{a.array, b.array} {
		if o != nil {
			o.frozen = true
		}
	}
	c, err := m.join(when, x, y, memory, from, other)
	memory[chosen] = c
	return list{chosen, length}, err
}

func (m *machine) content(s *state, l list, of types.Type) (columns, error) {
	if l.array != nil {
		return s.memory[l.array].(columns), nil
	}
	return m.blank(of)
}

// blank returns an array of zeroes.
func (m *machine) blank(of types.Type) (columns, error) {
	parts, err := leaves(of)
	if err != nil {
		return nil, err
	}
	c := make(columns, len(parts))
	for i, part := range parts {
		c[i] = m.ts.filled(part.zero(m.ts), part.least, part.most)
	}
	return c, nil
}

// zero returns the zero value of a type.
func (m *machine) zero(t types.Type) (value, error) {
	if s, ok := scalarOf(t); ok {
		return s.zero(m.ts), nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		r := make(record, u.NumFields())
		for i := range r {
			f, err := m.zero(u.Field(i).Type())
			if err != nil {
				return nil, err
			}
			r[i] = f
		}
		return r, nil
	case *types.Slice:
		return list{nil, m.ts.int(0)}, nil
	case *types.Pointer:
		return pointer{null: m.ts.bool(true)}, nil
	case *types.Array:
		return m.blank(u.Elem())
	case *types.Signature, *types.Map, *types.Interface:
		return opaque{}, nil
	}
	return nil, fmt.Errorf("type %v is not translated", t)
}

// any returns any value of a type, with all objects that it points to.
func (m *machine) any(name string, t types.Type, s *state) (value, error) {
	if sc, ok := scalarOf(t); ok {
		return m.ts.variable(name, sc.sort, sc.least, sc.most), nil
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		r := make(record, u.NumFields())
		for i := range r {
			f, err := m.any(name+"."+u.Field(i).Name(), u.Field(i).Type(), s)
			if err != nil {
				return nil, err
			}
			r[i] = f
		}
		return r, nil
	case *types.Slice:
		array := &object{name: name, of: u.Elem()}
		c, err := m.anyColumns(name, u.Elem())
		s.memory[array] = c
		return list{array, m.length(name)}, err
	case *types.Pointer:
		to := &object{name: name, of: u.Elem()}
		v, err := m.any("*"+name, u.Elem(), s)
		s.memory[to] = v
		return pointer{null: m.ts.variable(name+" is nil", boolean, nil, nil), to: to}, err
	}
	return nil, fmt.Errorf("%s: type %v is not translated", name, t)
}

func (m *machine) anyColumns(name string, of types.Type) (columns, error) {
	parts, err := leaves(of)
	if err != nil {
		return nil, err
	}
	c := make(columns, len(parts))
	for i, part := range parts {
		c[i] = m.ts.variable(fmt.Sprintf("%s/%d", name, i), part.sort+integers, part.least, part.most)
	}
	return c, nil
}

// length returns the length of a slice: at most 2^31-1, which only a slice of 8 GiB
// exceeds.
func (m *machine) length(name string) *term {
	if m.unroll > 0 {
		return m.ts.int(int64(m.unroll))
	}
	most := m.ts.int(1<<31 - 1).n
	return m.ts.variable("len "+name, integer, m.ts.int(0).n, most)
}

// argumentsOf returns the numbers in a parameter.
func (m *machine) argumentsOf(name string, v value, s *state) []argument {
	switch v := v.(type) {
	case *term:
		return []argument{{name, v}}
	case list:
		var all []argument
		if v.array == nil {
			return nil
		}
		for i := range int64(m.unroll) {
			for k, column := range s.memory[v.array].(columns) {
				all = append(all, argument{fmt.Sprintf("%s[%d].%d", name, i, k), m.ts.read(column, m.ts.int(i))})
			}
		}
		return all
	case record:
		var all []argument
		for i, field := range v {
			all = append(all, m.argumentsOf(fmt.Sprintf("%s.%d", name, i), field, s)...)
		}
		return all
	}
	return nil
}

func (m *machine) at(c columns, of types.Type, index *term) value {
	parts := make([]*term, len(c))
	for i, column := range c {
		parts[i] = m.ts.read(column, index)
	}
	v, _ := assemble(of, parts)
	return v
}
