// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/big"
	"strings"
)

// print writes the question for a solver, each term once.
func (q *question) print(exact bool) string {
	p := newPrinter(exact)
	for _, t := range q.asserted {
		name := p.term(t)
		fmt.Fprintf(&p.out, "(assert %s)\n", name)
	}
	return p.out.String()
}

// A printer numbers names in the order in which they are printed, so that equal questions
// are equal texts, independently of the functions executed before.
type printer struct {
	out   strings.Builder
	named map[*term]string
	sums  map[string]string // the names of sums, as functions
	exact bool
}

func newPrinter(exact bool) *printer {
	return &printer{named: map[*term]string{}, sums: map[string]string{}, exact: exact}
}

// numbered returns a name with another number.
func numbered(name string, n int) string {
	name, _, _ = strings.Cut(strings.Trim(name, "|"), "#")
	return fmt.Sprintf("|%s#%d|", name, n)
}

// term declares everything that a term needs, and returns its name.
func (p *printer) term(t *term) string {
	if name, ok := p.named[t]; ok {
		return name
	}
	if t.op == constant {
		return literal(t)
	}
	var args []string
	for _, a := range t.args {
		args = append(args, p.term(a))
	}
	name := fmt.Sprintf("t%d", len(p.named))
	switch t.op {
	case variable:
		name = numbered(t.name, len(p.named))
		fmt.Fprintf(&p.out, "(declare-const %s %v)\n", name, t.sort)
	case apply:
		if p.sums[t.name] == "" {
			p.sums[t.name] = numbered("sum of", len(p.sums)) // no variable has this name
			fmt.Fprintf(&p.out, "(declare-fun %s (Int) Int)\n", p.sums[t.name])
		}
		fmt.Fprintf(&p.out, "(define-fun %s () Int (%s %s))\n", name, p.sums[t.name], args[0])
	case filled:
		fmt.Fprintf(&p.out, "(define-fun %s () %v ((as const %v) %s))\n", name, t.sort, t.sort, args[0])
	default:
		op := string(t.op)
		if !p.exact && nonlinear(t) {
			op = "any" + op
			if p.sums[op] == "" {
				p.sums[op] = op
				fmt.Fprintf(&p.out, "(declare-fun %s (Int Int) Int)\n", op)
			}
		}
		fmt.Fprintf(&p.out, "(define-fun %s () %v (%s %s))\n", name, t.sort, op, strings.Join(args, " "))
	}
	p.named[t] = name
	if t.typed && t.sort == integer {
		fmt.Fprintf(&p.out, "(assert (<= %s %s %s))\n", decimal(t.least), name, decimal(t.most))
	}
	return name
}

func literal(t *term) string {
	if t.sort == boolean {
		return fmt.Sprint(t.isTrue())
	}
	return decimal(t.n)
}

func decimal(n *big.Int) string {
	if n.Sign() < 0 {
		return fmt.Sprintf("(- %s)", new(big.Int).Neg(n))
	}
	return n.String()
}
