// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/types"
	"math/big"

	"golang.org/x/tools/go/ssa"
)

// A value is the value of a Go expression: a *term, a record, a list, a pointer, a closure
// or a tuple.
type value any

// A record is a struct.
type record []value

// A tuple is the result of a function with several results.
type tuple []value

// A list is a slice. One that is nil has no array and no length.
type list struct {
	array *object
	len   *term
}

// An object is a variable or an array of Go. Its content is in the state.
type object struct {
	name string
	of   types.Type // of the variable, or of an element of the array
	// A frozen array may not be written any more: a slice that is one of two has copied it.
	frozen bool
}

// A columns is the content of an array: for each number in an element a term that is an
// array.
type columns []*term

// A pointer points to an object, or to a part of one.
type pointer struct {
	null  *term // whether it is nil
	to    *object
	index *term // of an element, if the object is an array
	path  []int // of a field
}

// A closure is a function with its captured variables.
type closure struct {
	function *ssa.Function
	bindings []value
}

// An opaque is a function, a map or an interface, or a slice or pointer in an element, that
// is nil. Nothing can be done with it.
type opaque struct{}

// isOpaque reports whether elements of a type have an opaque part.
func isOpaque(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Signature, *types.Map, *types.Interface, *types.Slice, *types.Pointer:
		return true
	}
	return false
}

// A scalar is a Go type whose values are one term.
type scalar struct {
	sort        sort
	least, most *big.Int
}

// Sizes are the sizes of 64-bit platforms.
const wordBits = 64

func scalarOf(t types.Type) (scalar, bool) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return scalar{}, false
	}
	bits, signed := 0, true
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return scalar{sort: boolean}, true
	case types.String, types.UntypedString:
		return scalar{sort: integer}, true // a number for each text: see text
	case types.Int8:
		bits = 8
	case types.Int16:
		bits = 16
	case types.Int32, types.UntypedRune:
		bits = 32
	case types.Int64:
		bits = 64
	case types.Int, types.UntypedInt:
		bits = wordBits
	case types.Uint8:
		bits, signed = 8, false
	case types.Uint16:
		bits, signed = 16, false
	case types.Uint32:
		bits, signed = 32, false
	case types.Uint64:
		bits, signed = 64, false
	case types.Uint, types.Uintptr:
		bits, signed = wordBits, false
	default:
		return scalar{}, false
	}
	least, most := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	return scalar{integer, least, most.Sub(most, big.NewInt(1))}, true
}

// wrap returns a number as its type stores it.
func (s scalar) wrap(ts *terms, t *term) *term {
	if s.least == nil || t.within(s.least, s.most) {
		return t
	}
	if t.isConstant() {
		size := s.size()
		n := new(big.Int).Sub(t.n, s.least)
		return ts.big(n.Add(n.Mod(n, size), s.least))
	}
	fits := ts.and(ts.atMost(ts.big(s.least), t), ts.atMost(t, ts.big(s.most)))
	shifted := ts.subtract(t, ts.big(s.least))
	rest := ts.intern(term{op: modulo, sort: integer, args: []*term{shifted, ts.big(s.size())},
		least: big.NewInt(0), most: new(big.Int).Sub(s.size(), big.NewInt(1))})
	wrapped := *ts.choose(fits, t, ts.add(rest, ts.big(s.least)))
	if wrapped.isConstant() {
		return ts.intern(wrapped)
	}
	wrapped.least, wrapped.most = s.least, s.most
	return ts.intern(wrapped)
}

func (s scalar) size() *big.Int {
	n := new(big.Int).Sub(s.most, s.least)
	return n.Add(n, big.NewInt(1))
}

func (s scalar) zero(ts *terms) *term {
	if s.sort == boolean {
		return ts.bool(false)
	}
	return ts.int(0)
}

// leaves returns the types of the numbers and truth values in a type.
func leaves(t types.Type) ([]scalar, error) {
	if s, ok := scalarOf(t); ok {
		return []scalar{s}, nil
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		var all []scalar
		for field := range st.Fields() {
			part, err := leaves(field.Type())
			if err != nil {
				return nil, err
			}
			all = append(all, part...)
		}
		return all, nil
	}
	if isOpaque(t) {
		return nil, nil
	}
	return nil, fmt.Errorf("elements of type %v are not translated", t)
}

// flat returns the terms of a value.
func flat(v value) []*term {
	switch v := v.(type) {
	case *term:
		return []*term{v}
	case record:
		var all []*term
		for _, f := range v {
			all = append(all, flat(f)...)
		}
		return all
	case opaque, list, pointer:
		return nil // of an element: see isOpaque
	}
	panic(fmt.Sprintf("%T has no terms", v))
}

// assemble returns the value of a type with these terms, and the terms that are left.
func assemble(t types.Type, terms []*term) (value, []*term) {
	if isOpaque(t) {
		return opaque{}, terms
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return terms[0], terms[1:]
	}
	r := make(record, st.NumFields())
	for i := range r {
		r[i], terms = assemble(st.Field(i).Type(), terms)
	}
	return r, terms
}
