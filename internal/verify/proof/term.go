// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/big"
	"strings"
)

// A sort is the type of a term.
type sort byte

const (
	integer sort = iota
	boolean
	integers // an array of integers
	booleans // an array of booleans
)

func (s sort) String() string {
	return [...]string{"Int", "Bool", "(Array Int Int)", "(Array Int Bool)"}[s]
}

// element returns the sort of the elements of an array.
func (s sort) element() sort { return s - integers }

// An operator makes a term from others, in the words of SMT-LIB.
type operator string

const (
	constant operator = "constant" // a number or a truth value
	variable operator = "variable"
	bound    operator = "bound" // the variable of a sum or a quantifier
	apply    operator = "apply" // a prefix sum
	add      operator = "+"
	subtract operator = "-"
	multiply operator = "*"
	divide   operator = "div"
	modulo   operator = "mod"
	less     operator = "<"
	atMost   operator = "<="
	equal    operator = "="
	not      operator = "not"
	and      operator = "and"
	or       operator = "or"
	choose   operator = "ite"
	read     operator = "select"
	write    operator = "store"
	filled   operator = "filled" // an array that has the same value everywhere
	every    operator = "every"  // a statement about a range
)

// A term is an expression of SMT-LIB over unbounded integers. Equal terms are the same
// pointer.
type term struct {
	id   int
	op   operator
	sort sort
	args []*term
	n    *big.Int // of constant integers; a truth value is 0 or 1
	name string   // of variables, and of sums
	// least and most are bounds by the Go type, or by the bounds of the arguments; nil is
	// none. Elements of an array have the bounds of the array.
	least, most *big.Int
	typed       bool // the bounds are bounds of a type, which a solver has to be told
	open        bool // it contains a bound variable
}

// terms makes terms, each once.
type terms struct {
	byKey map[string]*term
	sums  map[string]*term // the bodies, by name
	fresh int
}

func newTerms() *terms { return &terms{byKey: map[string]*term{}, sums: map[string]*term{}} }

func (ts *terms) intern(t term) *term {
	var key strings.Builder
	fmt.Fprintf(&key, "%s %d %s %v %v %v", t.op, t.sort, t.name, t.n, t.least, t.most)
	for _, a := range t.args {
		fmt.Fprintf(&key, " %d", a.id)
		t.open = t.open || a.open
	}
	if old := ts.byKey[key.String()]; old != nil {
		return old
	}
	t.open = t.open || t.op == bound
	t.id = len(ts.byKey)
	ts.byKey[key.String()] = &t
	return &t
}

func (ts *terms) big(n *big.Int) *term {
	return ts.intern(term{op: constant, sort: integer, n: n, least: n, most: n})
}

func (ts *terms) int(n int64) *term { return ts.big(big.NewInt(n)) }

func (ts *terms) bool(b bool) *term {
	n := big.NewInt(0)
	if b {
		n.SetInt64(1)
	}
	return ts.intern(term{op: constant, sort: boolean, n: n})
}

// variable makes a new variable with the bounds of its type.
func (ts *terms) variable(name string, s sort, least, most *big.Int) *term {
	ts.fresh++
	return ts.intern(term{op: variable, sort: s, name: fmt.Sprintf("|%s#%d|", name, ts.fresh), least: least, most: most, typed: least != nil})
}

func (ts *terms) bound(name string) *term {
	return ts.intern(term{op: bound, sort: integer, name: name})
}

// sum returns the sum of a body over the first n places. A bound variable of the body is
// the place.
func (ts *terms) sum(body, n *term) *term {
	if n.isConstant() && n.n.Sign() <= 0 || body.isConstant() && body.n.Sign() == 0 {
		return ts.int(0)
	}
	switch {
	case body.op == add:
		return ts.add(ts.sum(body.args[0], n), ts.sum(body.args[1], n))
	case body.op == subtract:
		return ts.subtract(ts.sum(body.args[0], n), ts.sum(body.args[1], n))
	case body.op == choose && !body.args[0].open:
		return ts.choose(body.args[0], ts.sum(body.args[1], n), ts.sum(body.args[2], n))
	}
	name := fmt.Sprintf("sum#%d", body.id)
	ts.sums[name] = body
	return ts.intern(term{op: apply, sort: integer, name: name, args: []*term{n}})
}

func (t *term) isConstant() bool { return t.op == constant }
func (t *term) isTrue() bool     { return t.sort == boolean && t.isConstant() && t.n.Sign() != 0 }
func (t *term) isFalse() bool    { return t.sort == boolean && t.isConstant() && t.n.Sign() == 0 }

// within reports whether all values of a term lie between two numbers.
func (t *term) within(least, most *big.Int) bool {
	return t.least != nil && t.most != nil && t.least.Cmp(least) >= 0 && t.most.Cmp(most) <= 0
}

func (ts *terms) add(a, b *term) *term {
	switch {
	case a.isConstant() && b.isConstant():
		return ts.big(new(big.Int).Add(a.n, b.n))
	case a.isConstant() && a.n.Sign() == 0:
		return b
	case b.isConstant() && b.n.Sign() == 0:
		return a
	case a.isConstant():
		return ts.add(b, a)
	case b.isConstant() && a.op == add && a.args[1].isConstant():
		return ts.add(a.args[0], ts.add(a.args[1], b))
	}
	t := term{op: add, sort: integer, args: []*term{a, b}}
	if a.least != nil && b.least != nil {
		t.least = new(big.Int).Add(a.least, b.least)
	}
	if a.most != nil && b.most != nil {
		t.most = new(big.Int).Add(a.most, b.most)
	}
	return ts.intern(t)
}

func (ts *terms) negate(a *term) *term { return ts.multiply(a, ts.int(-1)) }

func (ts *terms) subtract(a, b *term) *term {
	switch {
	case a == b:
		return ts.int(0)
	case b.isConstant():
		return ts.add(a, ts.big(new(big.Int).Neg(b.n)))
	}
	t := term{op: subtract, sort: integer, args: []*term{a, b}}
	if a.least != nil && b.most != nil {
		t.least = new(big.Int).Sub(a.least, b.most)
	}
	if a.most != nil && b.least != nil {
		t.most = new(big.Int).Sub(a.most, b.least)
	}
	return ts.intern(t)
}

func (ts *terms) multiply(a, b *term) *term {
	switch {
	case a.isConstant() && b.isConstant():
		return ts.big(new(big.Int).Mul(a.n, b.n))
	case a.isConstant():
		return ts.multiply(b, a)
	case b.isConstant() && b.n.IsInt64() && b.n.Int64() == 1:
		return a
	case b.isConstant() && b.n.Sign() == 0:
		return b
	case a.op == add:
		return ts.add(ts.multiply(a.args[0], b), ts.multiply(a.args[1], b))
	case a.op == subtract:
		return ts.subtract(ts.multiply(a.args[0], b), ts.multiply(a.args[1], b))
	case a.op == multiply && a.args[1].isConstant() && b.isConstant():
		return ts.multiply(a.args[0], ts.multiply(a.args[1], b))
	case a.op == multiply && a.args[1].isConstant():
		return ts.multiply(ts.multiply(a.args[0], b), a.args[1])
	case a.op == choose && !b.isConstant():
		return ts.choose(a.args[0], ts.multiply(a.args[1], b), ts.multiply(a.args[2], b))
	case !b.isConstant() && (b.op == add || b.op == subtract || b.op == choose || b.op == multiply && b.args[1].isConstant() || b.id < a.id):
		return ts.multiply(b, a)
	}
	t := term{op: multiply, sort: integer, args: []*term{a, b}}
	if a.least != nil && a.most != nil && b.least != nil && b.most != nil {
		for _, x := range []*big.Int{a.least, a.most} {
			for _, y := range []*big.Int{b.least, b.most} {
				z := new(big.Int).Mul(x, y)
				if t.least == nil || z.Cmp(t.least) < 0 {
					t.least = z
				}
				if t.most == nil || z.Cmp(t.most) > 0 {
					t.most = z
				}
			}
		}
	}
	return ts.intern(t)
}

// quotient divides as Go does, which truncates toward 0; the divisor is not 0.
func (ts *terms) quotient(a, b *term) *term {
	if a.isConstant() && b.isConstant() && b.n.Sign() != 0 {
		return ts.big(new(big.Int).Quo(a.n, b.n))
	}
	// SMT-LIB rounds so that the remainder is not below 0.
	down := func(x *term) *term {
		t := term{op: divide, sort: integer, args: []*term{x, b}}
		if b.isConstant() && b.n.Sign() > 0 && x.least != nil && x.most != nil {
			t.least, t.most = new(big.Int).Div(x.least, b.n), new(big.Int).Div(x.most, b.n)
		}
		return ts.intern(t)
	}
	if a.least != nil && a.least.Sign() >= 0 {
		return down(a)
	}
	t := ts.choose(ts.less(a, ts.int(0)), ts.negate(down(ts.negate(a))), down(a))
	if a.least == nil || a.most == nil {
		return t
	}
	most := new(big.Int).Abs(a.least)
	if m := new(big.Int).Abs(a.most); m.Cmp(most) > 0 {
		most = m
	}
	bounded := *t
	bounded.least, bounded.most = new(big.Int).Neg(most), most
	return ts.intern(bounded)
}

// remainder is the remainder in Go, with the sign of the dividend.
func (ts *terms) remainder(a, b *term) *term {
	return ts.subtract(a, ts.multiply(ts.quotient(a, b), b))
}

func (ts *terms) less(a, b *term) *term { return ts.not(ts.atMost(b, a)) }

func (ts *terms) atMost(a, b *term) *term {
	switch {
	case a == b:
		return ts.bool(true)
	case a.isConstant() && b.isConstant():
		return ts.bool(a.n.Cmp(b.n) <= 0)
	case a.most != nil && b.least != nil && a.most.Cmp(b.least) <= 0:
		return ts.bool(true)
	case a.least != nil && b.most != nil && a.least.Cmp(b.most) > 0:
		return ts.bool(false)
	}
	return ts.intern(term{op: atMost, sort: boolean, args: []*term{a, b}})
}

func (ts *terms) equal(a, b *term) *term {
	switch {
	case a == b:
		return ts.bool(true)
	case a.isConstant() && b.isConstant():
		return ts.bool(a.n.Cmp(b.n) == 0)
	case a.sort == boolean && a.isTrue():
		return b
	case a.sort == boolean && a.isFalse():
		return ts.not(b)
	case a.sort == boolean && b.isConstant():
		return ts.equal(b, a)
	case a.id > b.id:
		return ts.equal(b, a)
	}
	return ts.intern(term{op: equal, sort: boolean, args: []*term{a, b}})
}

func (ts *terms) not(a *term) *term {
	switch {
	case a.isConstant():
		return ts.bool(a.isFalse())
	case a.op == not:
		return a.args[0]
	}
	return ts.intern(term{op: not, sort: boolean, args: []*term{a}})
}

func (ts *terms) and(a, b *term) *term {
	switch {
	case a.isFalse() || b.isTrue() || a == b:
		return a
	case b.isFalse() || a.isTrue():
		return b
	case a == ts.not(b):
		return ts.bool(false)
	}
	return ts.intern(term{op: and, sort: boolean, args: []*term{a, b}})
}

// or drops a condition if a term holds on both of its branches.
func (ts *terms) or(a, b *term) *term {
	if common, _ := ts.branches(a, b); common != nil {
		return common
	}
	return ts.not(ts.and(ts.not(a), ts.not(b)))
}

// branches returns the common part of two conditions, and the rest of the first, if the
// second has the opposite of that.
func (ts *terms) branches(a, b *term) (common, when *term) {
	switch {
	case a == ts.not(b):
		return ts.bool(true), a
	case a.op == and && b.op == and && a.args[0] == b.args[0] && a.args[1] == ts.not(b.args[1]):
		return a.args[0], a.args[1]
	}
	return nil, nil
}

func (ts *terms) implies(a, b *term) *term { return ts.not(ts.and(a, ts.not(b))) }

func (ts *terms) choose(when, then, otherwise *term) *term {
	switch {
	case when.isTrue() || then == otherwise:
		return then
	case when.isFalse():
		return otherwise
	case when.op == not:
		return ts.choose(when.args[0], otherwise, then)
	case then.sort == boolean:
		return ts.or(ts.and(when, then), ts.and(ts.not(when), otherwise))
	}
	t := term{op: choose, sort: then.sort, args: []*term{when, then, otherwise}}
	if then.least != nil && otherwise.least != nil {
		t.least = smaller(then.least, otherwise.least)
	}
	if then.most != nil && otherwise.most != nil {
		t.most = larger(then.most, otherwise.most)
	}
	return ts.intern(t)
}

func (ts *terms) min(a, b *term) *term { return ts.choose(ts.atMost(a, b), a, b) }
func (ts *terms) max(a, b *term) *term { return ts.choose(ts.atMost(b, a), a, b) }

func (ts *terms) read(array, index *term) *term {
	switch array.op {
	case filled:
		return array.args[0]
	case choose:
		return ts.choose(array.args[0], ts.read(array.args[1], index), ts.read(array.args[2], index))
	case write:
		switch same := ts.equal(array.args[1], index); {
		case same.isTrue():
			return array.args[2]
		case same.isFalse():
			return ts.read(array.args[0], index)
		}
	}
	return ts.intern(term{op: read, sort: array.sort.element(), args: []*term{array, index}, least: array.least, most: array.most,
		typed: array.least != nil})
}

func (ts *terms) write(array, index, value *term) *term {
	return ts.intern(term{op: write, sort: array.sort, args: []*term{array, index, value}, least: array.least, most: array.most})
}

// filled returns an array of one value; its type has the given bounds.
func (ts *terms) filled(value *term, least, most *big.Int) *term {
	return ts.intern(term{op: filled, sort: value.sort + integers, args: []*term{value}, least: least, most: most})
}

// all returns that body holds for every number from one to below another.
func (ts *terms) all(from, to, body *term) *term {
	if body.isTrue() || ts.atMost(to, from).isTrue() {
		return ts.bool(true)
	}
	return ts.intern(term{op: every, sort: boolean, args: []*term{from, to, body}})
}
