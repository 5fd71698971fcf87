// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A scope resolves the names in an invariant.
type scope struct {
	*frame
	loop  *loop
	state *state
	bound map[string]*term
	named map[string]typed // results, by name
	// follow runs a function of the package: see machine.call.
	follow func(f *ssa.Function, args, bindings []value, s *state) (value, error)
}

// A typed is a value with its type, which names its fields.
type typed struct {
	value value
	of    types.Type
}

func (c scope) term(e ast.Expr) (*term, error) {
	v, err := c.eval(e)
	if err != nil {
		return nil, err
	}
	t, ok := v.value.(*term)
	if !ok {
		return nil, fmt.Errorf("%s is no number", types.ExprString(e))
	}
	return t, nil
}

func (c scope) terms(all ...ast.Expr) ([]*term, error) {
	ts := make([]*term, len(all))
	for i, e := range all {
		t, err := c.term(e)
		if err != nil {
			return nil, err
		}
		ts[i] = t
	}
	return ts, nil
}

func (c scope) eval(e ast.Expr) (typed, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return c.eval(e.X)
	case *ast.BasicLit:
		n, err := number(strings.ReplaceAll(e.Value, "_", ""))
		return typed{c.ts.big(n), nil}, err
	case *ast.Ident:
		return c.name(e.Name)
	case *ast.SelectorExpr:
		return c.field(e)
	case *ast.IndexExpr:
		return c.index(e)
	case *ast.UnaryExpr:
		t, err := c.term(e.X)
		if err != nil {
			return typed{}, err
		}
		if e.Op == token.NOT {
			return typed{c.ts.not(t), nil}, nil
		}
		return typed{c.ts.negate(t), nil}, nil
	case *ast.BinaryExpr:
		return c.binary(e)
	case *ast.CallExpr:
		return c.call(e)
	}
	return typed{}, fmt.Errorf("%s is not known here", types.ExprString(e))
}

func (c scope) name(name string) (typed, error) {
	if t := c.bound[name]; t != nil {
		return typed{t, nil}, nil
	}
	if v, ok := c.named[name]; ok {
		return v, nil
	}
	switch {
	case name == "done" && c.loop != nil:
		for _, in := range c.loop.header.Instrs {
			if phi, ok := in.(*ssa.Phi); ok && phi.Comment == rangeIndex {
				return typed{c.ts.add(c.state.values[phi].(*term), c.ts.int(1)), nil}, nil
			}
		}
	case name == "true" || name == "false":
		return typed{c.ts.bool(name == "true"), nil}, nil
	}
	if c.loop != nil {
		for _, in := range c.loop.header.Instrs {
			if phi, ok := in.(*ssa.Phi); ok && phi.Comment == name {
				return typed{c.state.values[phi], phi.Type()}, nil
			}
		}
	}
	for _, p := range c.function.Params {
		if p.Name() == name {
			return typed{c.state.values[p], p.Type()}, nil
		}
	}
	if c.loop == nil {
		return typed{}, fmt.Errorf("%s is not known here", name)
	}
	return c.local(name)
}

// local returns a variable that the loop does not change, or one that is kept in an object.
func (c scope) local(name string) (typed, error) {
	var found ssa.Value
	kept := false
	for _, b := range c.function.Blocks {
		if !b.Dominates(c.loop.header) || c.loop.blocks[b] {
			continue
		}
		for _, in := range b.Instrs {
			if a, ok := in.(*ssa.Alloc); ok && a.Comment == name {
				found, kept = a, true
			}
			if d, ok := in.(*ssa.DebugRef); ok && d.Object() != nil && d.Object().Name() == name && !kept {
				found = d.X
			}
		}
	}
	if found == nil {
		return typed{}, fmt.Errorf("%s is not known here", name)
	}
	v, err := c.value(found, c.state)
	if err != nil || !kept {
		return typed{v, found.Type()}, err
	}
	of := found.Type().Underlying().(*types.Pointer).Elem()
	return typed{c.state.memory[v.(pointer).to], of}, nil
}

func (c scope) field(e *ast.SelectorExpr) (typed, error) {
	x, err := c.eval(e.X)
	if err != nil {
		return typed{}, err
	}
	if st, ok := x.of.Underlying().(*types.Struct); ok {
		for i := range st.NumFields() {
			if st.Field(i).Name() == e.Sel.Name {
				return typed{x.value.(record)[i], st.Field(i).Type()}, nil
			}
		}
	}
	return typed{}, fmt.Errorf("%s has no such field", types.ExprString(e))
}

func (c scope) index(e *ast.IndexExpr) (typed, error) {
	x, err := c.eval(e.X)
	if err != nil {
		return typed{}, err
	}
	i, err := c.term(e.Index)
	if err != nil {
		return typed{}, err
	}
	l, ok := x.value.(list)
	if !ok {
		return typed{}, fmt.Errorf("%s is no slice", types.ExprString(e.X))
	}
	of := x.of.Underlying().(*types.Slice).Elem()
	content, err := c.content(c.state, l, of)
	if err != nil {
		return typed{}, err
	}
	return typed{c.at(content, of, i), of}, nil
}

func (c scope) binary(e *ast.BinaryExpr) (typed, error) {
	xy, err := c.terms(e.X, e.Y)
	if err != nil {
		return typed{}, err
	}
	x, y, ts := xy[0], xy[1], c.ts
	var t *term
	switch e.Op {
	case token.ADD:
		t = ts.add(x, y)
	case token.SUB:
		t = ts.subtract(x, y)
	case token.MUL:
		t = ts.multiply(x, y)
	case token.LSS:
		t = ts.less(x, y)
	case token.LEQ:
		t = ts.atMost(x, y)
	case token.GTR:
		t = ts.less(y, x)
	case token.GEQ:
		t = ts.atMost(y, x)
	case token.EQL:
		t = ts.equal(x, y)
	case token.NEQ:
		t = ts.not(ts.equal(x, y))
	case token.LAND:
		t = ts.and(x, y)
	case token.LOR:
		t = ts.or(x, y)
	default:
		return typed{}, fmt.Errorf("operator %s is not known here", e.Op)
	}
	return typed{t, nil}, nil
}

func (c scope) call(e *ast.CallExpr) (typed, error) {
	name := types.ExprString(e.Fun)
	if name == "all" || name == "sum" {
		return c.over(name, e.Args)
	}
	if name == "len" && len(e.Args) == 1 {
		x, err := c.eval(e.Args[0])
		if err != nil {
			return typed{}, err
		}
		return typed{x.value.(list).len, nil}, nil
	}
	if f := c.shipped(e.Fun); f != nil {
		return c.run(f, e)
	}
	args, err := c.terms(e.Args...)
	if err == nil && name == "choose" && len(args) == 3 {
		return typed{c.ts.choose(args[0], args[1], args[2]), nil}, nil
	}
	if err != nil || len(args) != 2 {
		return typed{}, fmt.Errorf("%s: %w", types.ExprString(e), err)
	}
	switch name {
	case "min":
		return typed{c.ts.min(args[0], args[1]), nil}, nil
	case "max":
		return typed{c.ts.max(args[0], args[1]), nil}, nil
	case "implies":
		return typed{c.ts.implies(args[0], args[1]), nil}, nil
	}
	return typed{}, fmt.Errorf("%s is not known here", name)
}

// shipped returns the function or method of the package that is called.
func (c scope) shipped(e ast.Expr) *ssa.Function {
	switch e := e.(type) {
	case *ast.Ident:
		return c.function.Pkg.Func(e.Name)
	case *ast.SelectorExpr:
		if x, err := c.eval(e.X); err == nil && x.of != nil {
			if m := types.NewMethodSet(x.of).Lookup(c.function.Pkg.Pkg, e.Sel.Name); m != nil {
				return c.function.Prog.MethodValue(m)
			}
		}
	}
	return nil
}

// run returns the result of such a function.
func (c scope) run(f *ssa.Function, e *ast.CallExpr) (typed, error) {
	var operands []ast.Expr
	if s, ok := e.Fun.(*ast.SelectorExpr); ok {
		operands = append(operands, s.X)
	}
	var args []value
	for _, o := range append(operands, e.Args...) {
		v, err := c.eval(o)
		if err != nil {
			return typed{}, err
		}
		args = append(args, v.value)
	}
	if of, err := c.contractOf(f); err != nil || len(of.ensures) > 0 {
		return typed{}, fmt.Errorf("%s has a contract, so that it is not known what it returns", f)
	}
	c.trial++
	c.stated++
	defer func() { c.trial--; c.stated-- }()
	facts := len(c.facts)
	s := c.state.copy()
	s.guard = c.ts.bool(true)
	v, err := c.follow(f, args, nil, s)
	c.facts = c.facts[:facts]
	return typed{v, f.Signature.Results().At(0).Type()}, err
}

// over returns a sum, or a statement about a range.
func (c scope) over(name string, args []ast.Expr) (typed, error) {
	count := map[string]int{"all": 4, "sum": 3}[name]
	k, ok := args[0].(*ast.Ident)
	if !ok || len(args) != count {
		return typed{}, fmt.Errorf("%s takes a name and %d expressions", name, count-1)
	}
	bounds, err := c.terms(args[1 : count-1]...)
	if err != nil {
		return typed{}, err
	}
	inner := c
	inner.bound = map[string]*term{}
	for n, t := range c.bound {
		inner.bound[n] = t
	}
	inner.bound[k.Name] = c.ts.bound(name)
	for _, outer := range c.bound {
		if name == "all" || outer == c.ts.bound(name) {
			return typed{}, fmt.Errorf("a range within a range is not known here")
		}
	}
	body, err := inner.term(args[count-1])
	if err != nil {
		return typed{}, err
	}
	if name == "sum" {
		if body.mentions(func(t *term) bool { return t == c.ts.bound("all") }) {
			return typed{}, fmt.Errorf("what is summed up may not depend on another range")
		}
		return typed{c.ts.sum(body, bounds[0]), nil}, nil
	}
	return typed{c.ts.all(bounds[0], bounds[1], body), nil}, nil
}
