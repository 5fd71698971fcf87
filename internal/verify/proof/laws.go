// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
)

// unfold adds that each sum follows from the one before.
func (q *question) unfold() {
	ts := q.ts
	for _, s := range slices.Clone(q.sums) {
		key := fmt.Sprint("unfold ", s.id)
		if q.done[key] {
			continue
		}
		q.done[key] = true
		n := s.args[0]
		last := ts.subtract(n, ts.int(1))
		body := ts.sums[s.name]
		q.places[last] = true
		q.assert(ts.implies(ts.atMost(n, ts.int(0)), ts.equal(s, ts.int(0))))
		before := ts.sum(body, last)
		q.done[fmt.Sprint("unfold ", before.id)] = true // one step is enough
		q.assert(ts.implies(ts.less(ts.int(0), n), ts.equal(s, ts.add(before, ts.replace(body, ts.bound("sum"), last, map[*term]*term{})))))
	}
}

// relate adds that the sum over an array follows from the sum over the array from which it
// was copied with another element.
func (q *question) relate() {
	ts := q.ts
	for next := 0; next < len(q.sums); next++ {
		s := q.sums[next]
		body := ts.sums[s.name]
		var copied *term
		body.mentions(func(t *term) bool {
			if copied == nil && t.op == write && !t.open {
				copied = t
			}
			return copied != nil
		})
		key := fmt.Sprint("relate ", s.id)
		if copied == nil || q.done[key] {
			continue
		}
		q.done[key] = true
		place := copied.args[1]
		before := ts.replace(body, copied, copied.args[0], map[*term]*term{})
		at := func(body *term) *term { return ts.replace(body, ts.bound("sum"), place, map[*term]*term{}) }
		within := ts.and(ts.atMost(ts.int(0), place), ts.less(place, s.args[0]))
		more := ts.choose(within, ts.subtract(at(body), at(before)), ts.int(0))
		q.assert(ts.equal(s, ts.add(ts.sum(before, s.args[0]), more)))
	}
}

// compare adds, for two sums of as many elements, that one is at most the other unless some
// element of it is larger; and the same for a sum and 0.
func (q *question) compare() {
	sums := slices.Clone(q.sums)
	for _, a := range sums {
		q.atMost(a, nil, a.args[0])
		q.atMost(nil, a, a.args[0])
		for _, b := range sums {
			if a != b && a.args[0] == b.args[0] {
				q.atMost(a, b, a.args[0])
			}
		}
	}
}

// atMost compares two sums of n elements. A missing one is 0.
func (q *question) atMost(a, b, n *term) {
	ts := q.ts
	place := ts.variable("place", integer, nil, nil)
	at := func(s *term) *term {
		if s == nil {
			return ts.int(0)
		}
		return ts.replace(ts.sums[s.name], ts.bound("sum"), place, map[*term]*term{})
	}
	whole := func(s *term) *term {
		if s == nil {
			return ts.int(0)
		}
		return s
	}
	key := fmt.Sprint("compare ", whole(a).id, " ", whole(b).id)
	if q.done[key] {
		return
	}
	q.done[key] = true
	q.places[place] = true
	within := ts.and(ts.atMost(ts.int(0), place), ts.less(place, n))
	q.assert(ts.or(ts.atMost(whole(a), whole(b)), ts.and(within, ts.less(at(b), at(a)))))
}

// nonlinear reports whether a term is a product or a quotient of two unknowns.
func nonlinear(t *term) bool {
	return (t.op == multiply || t.op == divide || t.op == modulo) && !t.args[1].isConstant()
}

// products adds the laws of products and quotients of two unknowns that are needed most.
func (q *question) products() {
	for n, rules := 0, 0; n < len(q.asserted); {
		found := q.nonlinear(q.asserted[n:])
		n = len(q.asserted)
		for _, t := range found {
			if t.op == divide {
				q.quotient(t)
				continue
			}
			for k, a := range t.args {
				q.factor(t, a, t.args[1-k])
			}
		}
		if rules++; rules > 3 {
			return // the laws themselves bring new products
		}
	}
}

// nonlinear returns the products and quotients of two unknowns in terms, and the numbers
// with which unknowns are compared.
func (q *question) nonlinear(asserted []*term) []*term {
	var found []*term
	var visit func(t *term)
	visit = func(t *term) {
		if q.visited[t] || t.open {
			return
		}
		q.visited[t] = true
		if nonlinear(t) && t.op != modulo {
			found = append(found, t)
			if t.op == multiply {
				q.multiplied = append(q.multiplied, t)
			}
		}
		for i, a := range t.args {
			if t.op == atMost && t.args[1-i].isConstant() {
				q.limit(a, t.args[1-i])
			}
			visit(a)
		}
	}
	for _, t := range asserted {
		visit(t)
	}
	return found
}

func (q *question) limit(t, n *term) {
	q.limits[t] = append(q.limits[t], n)
	if t.op == choose {
		q.limit(t.args[1], n)
		q.limit(t.args[2], n)
	}
}

// factor adds that a product rises with one of its factors.
func (q *question) factor(t, a, b *term) {
	q.rises(t, a, q.ts.int(0), q.ts.int(0), b)
	for _, c := range q.limits[a] {
		q.rises(t, a, q.ts.multiply(b, c), c, b)
	}
	for _, o := range q.multiplied {
		for l, c := range o.args {
			if o.id < t.id && o.args[1-l] == b {
				q.rises(t, a, o, c, b)
			}
		}
	}
}

func (q *question) law(t *term) {
	if !t.isTrue() {
		q.asserted = append(q.asserted, t)
	}
}

// rises adds that of two products with a common factor of at least 0, the one with the
// larger other factor is the larger.
func (q *question) rises(ab, a, cb, c, b *term) {
	ts := q.ts
	positive := ts.atMost(ts.int(0), b)
	q.law(ts.implies(ts.and(positive, ts.atMost(a, c)), ts.atMost(ab, cb)))
	q.law(ts.implies(ts.and(positive, ts.atMost(c, a)), ts.atMost(cb, ab)))
	q.law(ts.implies(ts.and(positive, ts.less(a, c)), ts.atMost(ts.add(ab, b), cb)))
	q.law(ts.implies(ts.and(positive, ts.less(c, a)), ts.atMost(ts.add(cb, b), ab)))
}

// quotient adds the definition of a quotient, if it is rounded down and the divisor is
// above 0.
func (q *question) quotient(t *term) {
	ts, x, b := q.ts, t.args[0], t.args[1]
	product := ts.multiply(t, b)
	positive := ts.less(ts.int(0), b)
	q.law(ts.implies(positive, ts.and(ts.atMost(product, x), ts.less(x, ts.add(product, b)))))
	twice := ts.add(b, b)
	for n := range 2 {
		from, to := []*term{ts.int(0), b, twice}[n], []*term{ts.int(0), b, twice}[n+1]
		within := ts.and(positive, ts.and(ts.atMost(from, x), ts.less(x, to)))
		q.law(ts.implies(within, ts.equal(t, ts.int(int64(n)))))
	}
	q.law(ts.implies(ts.and(positive, ts.atMost(ts.int(0), x)), ts.and(ts.atMost(ts.int(0), t), ts.atMost(t, x))))
}
