// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/types"
	"path/filepath"

	"golang.org/x/tools/go/ssa"
)

// Functions next to properties with a special meaning.
const (
	assumes = "assume"
	proves  = "prove"
)

// special returns the name of such a function, "" for others.
func (m *machine) special(f *ssa.Function) string {
	if f.Pkg != nil && (f.Pkg.Pkg.Path() == propertyPath || filepath.Base(m.files.Position(f.Pos()).Filename) == withinFile) {
		return f.Name()
	}
	return ""
}

func (f *frame) called(in *ssa.Call, s *state) (value, error) {
	args := make([]value, len(in.Call.Args))
	for i, a := range in.Call.Args {
		v, err := f.value(a, s)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		return f.builtin(b.Name(), args, s)
	}
	if in.Call.IsInvoke() {
		return nil, fmt.Errorf("%s: methods of interfaces are not translated", in)
	}
	v, err := f.value(in.Call.Value, s)
	if err != nil {
		return nil, err
	}
	c := v.(closure)
	switch special := f.special(c.function); {
	case special == assumes:
		f.assume(s, args[0].(*term))
		return nil, nil
	case special == proves:
		f.visits = append(f.visits, obligation{f.sentence(args[0].(*term)), f.files.Position(in.Pos()), len(f.facts), claim{s.guard, args[1].(*term)}})
		f.prove(s, f.sentence(args[0].(*term)), in.Pos(), args[1].(*term))
		f.assume(s, args[1].(*term)) // once proved, it is a fact
		return nil, nil
	case c.function.Origin() != nil && c.function.Origin().RelString(nil) == "cmp.Compare":
		x, y := args[0].(*term), args[1].(*term)
		return f.ts.choose(f.ts.less(x, y), f.ts.int(-1), f.ts.choose(f.ts.less(y, x), f.ts.int(1), f.ts.int(0))), nil
	case c.function.Origin() != nil && c.function.Origin().RelString(nil) == "cmp.Or":
		return f.firstOf(args[0].(list), in.Type(), s)
	case len(c.function.Blocks) == 0:
		return nil, fmt.Errorf("%s is not translated", c.function)
	}
	if f.unroll == 0 {
		if of, err := f.contractOf(c.function); err != nil || len(of.ensures) > 0 {
			if err != nil {
				return nil, err
			}
			return f.rely(of, args, s, in.Pos())
		}
	}
	return f.call(c.function, args, c.bindings, s)
}

// firstOf returns the first element that is not 0, else 0.
func (f *frame) firstOf(l list, of types.Type, s *state) (value, error) {
	if !l.len.isConstant() {
		return nil, fmt.Errorf("the first of any number is not translated")
	}
	c, err := f.content(s, l, of)
	first := f.ts.int(0)
	for i := l.len.n.Int64() - 1; i >= 0 && err == nil; i-- {
		x, ok := f.at(c, of, f.ts.int(i)).(*term)
		if !ok || x.sort != integer {
			return nil, fmt.Errorf("the first of %v is not translated", of)
		}
		first = f.ts.choose(f.ts.equal(x, f.ts.int(0)), first, x)
	}
	return first, err
}

// sentence returns the text of a number.
func (m *machine) sentence(t *term) string {
	for text, n := range m.texts {
		if t.isConstant() && t.n.IsInt64() && t.n.Int64() == n {
			return text
		}
	}
	return "?"
}

func (f *frame) builtin(name string, args []value, s *state) (value, error) {
	switch name {
	case "min", "max":
		least := args[0].(*term)
		for _, a := range args[1:] {
			t := a.(*term)
			f.decide(s, f.ts.atMost(least, t))
			if name == "min" {
				least = f.ts.min(least, t)
			} else {
				least = f.ts.max(least, t)
			}
		}
		return least, nil
	case "len":
		if l, ok := args[0].(list); ok {
			return l.len, nil
		}
	}
	return nil, fmt.Errorf("builtin %s is not translated", name)
}
