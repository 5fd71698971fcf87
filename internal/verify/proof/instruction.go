// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/token"
	"go/types"
	"math/big"

	"golang.org/x/tools/go/ssa"
)

// instruction executes one instruction. An unknown one is an error.
func (f *frame) instruction(in ssa.Instruction, s *state) error {
	switch in := in.(type) {
	case *ssa.Phi, *ssa.If, *ssa.Jump, *ssa.DebugRef:
		return nil
	case *ssa.Return:
		return f.leaves(in, s)
	case *ssa.Panic:
		f.prove(s, "does not panic", in.Pos(), f.ts.bool(false))
		return nil
	case *ssa.Store:
		return f.store(in, s)
	case ssa.Value:
		v, err := f.evaluate(in, s)
		s.values[in] = v
		return err
	}
	return fmt.Errorf("%s (%T) is not translated", in, in)
}

func (f *frame) leaves(in *ssa.Return, s *state) error {
	results := make(tuple, len(in.Results))
	for i, r := range in.Results {
		v, err := f.value(r, s)
		if err != nil {
			return err
		}
		results[i] = v
	}
	f.returned = append(f.returned, s.copy())
	if len(results) == 1 {
		f.results = append(f.results, results[0])
	} else {
		f.results = append(f.results, results)
	}
	return nil
}

func (f *frame) evaluate(in ssa.Value, s *state) (value, error) {
	switch in := in.(type) {
	case *ssa.BinOp:
		return f.binary(in, s)
	case *ssa.UnOp:
		return f.unary(in, s)
	case *ssa.Convert:
		return f.convert(in, s)
	case *ssa.ChangeType:
		return f.value(in.X, s)
	case *ssa.Call:
		return f.called(in, s)
	case *ssa.Alloc:
		return f.variable(in, s)
	case *ssa.MakeSlice:
		return f.made(in, s)
	case *ssa.Slice:
		return f.sliced(in, s)
	case *ssa.MakeClosure:
		return f.caught(in, s)
	case *ssa.MakeInterface:
		return nil, nil // only for a panic, which must not happen
	case *ssa.Field:
		v, err := f.value(in.X, s)
		if err != nil {
			return nil, err
		}
		return v.(record)[in.Field], nil
	case *ssa.Extract:
		v, err := f.value(in.Tuple, s)
		if err != nil {
			return nil, err
		}
		return v.(tuple)[in.Index], nil
	case *ssa.FieldAddr:
		v, err := f.value(in.X, s)
		if err != nil {
			return nil, err
		}
		p := v.(pointer)
		f.prove(s, "pointer is not nil", in.Pos(), f.ts.not(p.null))
		p.path = append(append([]int(nil), p.path...), in.Field)
		return p, nil
	case *ssa.IndexAddr:
		return f.element(in, s)
	}
	return nil, fmt.Errorf("%s (%T) is not translated", in, in)
}

func (f *frame) terms(s *state, operands ...ssa.Value) ([]*term, error) {
	all := make([]*term, len(operands))
	for i, o := range operands {
		v, err := f.value(o, s)
		if err != nil {
			return nil, err
		}
		t, ok := v.(*term)
		if !ok {
			return nil, fmt.Errorf("%s of type %v is not a number", o.Name(), o.Type())
		}
		all[i] = t
	}
	return all, nil
}

func (f *frame) binary(in *ssa.BinOp, s *state) (value, error) {
	if in.Op == token.EQL || in.Op == token.NEQ {
		return f.same(in, s)
	}
	xy, err := f.terms(s, in.X, in.Y)
	if err != nil {
		return nil, err
	}
	x, y, ts := xy[0], xy[1], f.ts
	of, _ := scalarOf(in.Type())
	if b, ok := in.X.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		return nil, fmt.Errorf("%s of texts is not translated", in.Op)
	}
	switch in.Op {
	case token.ADD:
		return of.wrap(ts, ts.add(x, y)), nil
	case token.SUB:
		return of.wrap(ts, ts.subtract(x, y)), nil
	case token.MUL:
		return of.wrap(ts, ts.multiply(x, y)), nil
	case token.QUO, token.REM:
		f.prove(s, "divisor is not 0", in.Pos(), ts.not(ts.equal(y, ts.int(0))))
		if in.Op == token.QUO {
			return of.wrap(ts, ts.quotient(x, y)), nil
		}
		return of.wrap(ts, ts.remainder(x, y)), nil
	case token.SHL:
		if y.isConstant() && y.n.Sign() >= 0 && y.n.BitLen() < 8 {
			return of.wrap(ts, ts.multiply(x, ts.big(new(big.Int).Lsh(big.NewInt(1), uint(y.n.Int64()))))), nil
		}
	case token.LSS:
		return ts.less(x, y), nil
	case token.LEQ:
		return ts.atMost(x, y), nil
	case token.GTR:
		return ts.less(y, x), nil
	case token.GEQ:
		return ts.atMost(y, x), nil
	}
	return nil, fmt.Errorf("operator %s is not translated", in.Op)
}

// same compares values of any kind, field by field, or a pointer or slice with nil.
func (f *frame) same(in *ssa.BinOp, s *state) (value, error) {
	x, err := f.value(in.X, s)
	if err != nil {
		return nil, err
	}
	y, err := f.value(in.Y, s)
	if err != nil {
		return nil, err
	}
	var t *term
	switch a := x.(type) {
	case *term, record:
		t = f.ts.bool(true)
		p, q := flat(x), flat(y)
		for i := range p {
			t = f.ts.and(t, f.ts.equal(p[i], q[i]))
		}
	case pointer:
		b := y.(pointer)
		if a.to != nil && b.to != nil {
			return nil, fmt.Errorf("a comparison of two pointers is not translated")
		}
		if a.to == nil && b.to == nil {
			t = f.ts.bool(true)
		} else if b.to == nil {
			t = a.null
		} else {
			t = b.null
		}
	case list:
		b, ok := y.(list)
		if !ok || a.array != nil || b.array != nil {
			return nil, fmt.Errorf("a comparison of a slice that may have elements is not translated")
		}
		t = f.ts.bool(true)
	default:
		return nil, fmt.Errorf("a comparison of %v is not translated", in.X.Type())
	}
	if in.Op == token.NEQ {
		t = f.ts.not(t)
	}
	return t, nil
}

func (f *frame) unary(in *ssa.UnOp, s *state) (value, error) {
	v, err := f.value(in.X, s)
	if err != nil {
		return nil, err
	}
	switch in.Op {
	case token.MUL:
		return f.load(v.(pointer), in.Type(), s, in.Pos())
	case token.NOT:
		return f.ts.not(v.(*term)), nil
	case token.SUB:
		of, _ := scalarOf(in.Type())
		return of.wrap(f.ts, f.ts.negate(v.(*term))), nil
	}
	return nil, fmt.Errorf("operator %s is not translated", in.Op)
}

func (f *frame) convert(in *ssa.Convert, s *state) (value, error) {
	from, okFrom := scalarOf(in.X.Type())
	to, okTo := scalarOf(in.Type())
	if !okFrom || !okTo || from.least == nil || to.least == nil {
		return nil, fmt.Errorf("a conversion from %v to %v is not translated", in.X.Type(), in.Type())
	}
	x, err := f.terms(s, in.X)
	if err != nil {
		return nil, err
	}
	return to.wrap(f.ts, x[0]), nil
}

func (f *frame) variable(in *ssa.Alloc, s *state) (value, error) {
	of := in.Type().Underlying().(*types.Pointer).Elem()
	o := &object{name: in.Comment, of: of}
	if a, ok := of.Underlying().(*types.Array); ok {
		o.of = a.Elem()
	}
	v, err := f.zero(of)
	s.memory[o] = v
	return pointer{null: f.ts.bool(false), to: o}, err
}

func (f *frame) made(in *ssa.MakeSlice, s *state) (value, error) {
	n, err := f.terms(s, in.Len)
	if err != nil {
		return nil, err
	}
	f.prove(s, "length is not below 0", in.Pos(), f.ts.atMost(f.ts.int(0), n[0]))
	o := &object{name: in.Name(), of: in.Type().Underlying().(*types.Slice).Elem()}
	c, err := f.blank(o.of)
	s.memory[o] = c
	return list{o, n[0]}, err
}

// sliced returns the slice of a whole array, as a literal is compiled.
func (f *frame) sliced(in *ssa.Slice, s *state) (value, error) {
	p, ok := in.X.Type().Underlying().(*types.Pointer)
	if !ok || in.Low != nil || in.High != nil || in.Max != nil {
		return nil, fmt.Errorf("a part of a slice is not translated")
	}
	v, err := f.value(in.X, s)
	if err != nil {
		return nil, err
	}
	return list{v.(pointer).to, f.ts.int(p.Elem().Underlying().(*types.Array).Len())}, nil
}

func (f *frame) caught(in *ssa.MakeClosure, s *state) (value, error) {
	c := closure{function: in.Fn.(*ssa.Function)}
	for _, b := range in.Bindings {
		v, err := f.value(b, s)
		if err != nil {
			return nil, err
		}
		c.bindings = append(c.bindings, v)
	}
	return c, nil
}

// element returns a pointer to an element, and proves that the index is in range.
func (f *frame) element(in *ssa.IndexAddr, s *state) (value, error) {
	v, err := f.value(in.X, s)
	if err != nil {
		return nil, err
	}
	i, err := f.terms(s, in.Index)
	if err != nil {
		return nil, err
	}
	var l list
	switch v := v.(type) {
	case list:
		l = v
	case pointer:
		n := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		l = list{v.to, f.ts.int(n)}
	}
	f.prove(s, "index within range", in.Pos(), f.ts.and(f.ts.atMost(f.ts.int(0), i[0]), f.ts.less(i[0], l.len)))
	if l.array == nil {
		return nil, fmt.Errorf("an element of no slice")
	}
	return pointer{null: f.ts.bool(false), to: l.array, index: i[0]}, nil
}

func (f *frame) load(p pointer, t types.Type, s *state, pos token.Pos) (value, error) {
	f.prove(s, "pointer is not nil", pos, f.ts.not(p.null))
	if p.to == nil {
		return f.zero(t)
	}
	v := s.memory[p.to]
	if p.index != nil {
		v = f.at(v.(columns), p.to.of, p.index)
	}
	for _, i := range p.path {
		v = v.(record)[i]
	}
	return v, nil
}

func (f *frame) store(in *ssa.Store, s *state) error {
	a, err := f.value(in.Addr, s)
	if err != nil {
		return err
	}
	v, err := f.value(in.Val, s)
	if err != nil {
		return err
	}
	p := a.(pointer)
	f.prove(s, "pointer is not nil", in.Pos(), f.ts.not(p.null))
	if p.to == nil || p.to.frozen {
		return fmt.Errorf("a write to what may be one of two things is not translated")
	}
	f.written[p.to] = true
	old := s.memory[p.to]
	if p.index == nil {
		s.memory[p.to] = replaced(old, p.path, v)
		return nil
	}
	element := flat(replaced(f.at(old.(columns), p.to.of, p.index), p.path, v))
	next := make(columns, len(element))
	for i, t := range element {
		next[i] = f.ts.write(old.(columns)[i], p.index, t)
	}
	s.memory[p.to] = next
	return nil
}

// replaced returns a value with another one at the end of a path.
func replaced(old value, path []int, v value) value {
	if len(path) == 0 {
		return v
	}
	r := append(record(nil), old.(record)...)
	r[path[0]] = replaced(r[path[0]], path[1:], v)
	return r
}
