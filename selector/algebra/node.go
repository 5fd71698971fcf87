// SPDX-License-Identifier: Apache-2.0

package algebra

import (
	"slices"

	"github.com/kplan-go/kplan/selector"
)

// A NodeExample is an example or counterexample for node selectors.
type NodeExample struct {
	Name   string
	Labels map[string]string
}

// An Answer is the answer to a question that cannot always be decided.
type Answer string

// The answers.
const (
	Yes     Answer = "Yes"
	No      Answer = "No"
	Unknown Answer = "Unknown"
)

// A nodeProduct is a compiled term: its requirements on the labels and on the name of a node
// with a name.
type nodeProduct struct {
	labels selector.Selector
	name   factor
}

// products returns the terms that some named node satisfies.
func products(m selector.NodeMatcher) []nodeProduct {
	var ps []nodeProduct
	for _, t := range m.Terms() {
		name := demands{excluded: []string{""}}
		for _, f := range t.Fields {
			switch {
			case f.Key == selector.FieldName && f.Not:
				name.excluded = append(name.excluded, f.Value)
			case f.Key == selector.FieldName:
				name.only([]string{f.Value})
			case (f.Value == "") == f.Not: // a field that is always empty
				name.only(nil)
			}
		}
		p := nodeProduct{labels: t.Labels, name: name.factor("")}
		if _, ok := p.example(); ok {
			ps = append(ps, p)
		}
	}
	return ps
}

// example returns a node that satisfies the product.
func (p *nodeProduct) example() (NodeExample, bool) {
	labels, ok := Satisfiable(p.labels)
	name, named := p.name.pickValue()
	if !ok || !named {
		return NodeExample{}, false
	}
	return NodeExample{Name: name, Labels: labels}, true
}

// SatisfiableNodes reports whether some node with a name satisfies the selector, and returns
// such a node.
func SatisfiableNodes(m selector.NodeMatcher) (NodeExample, bool) {
	for _, p := range products(m) {
		return p.example()
	}
	return NodeExample{}, false
}

// OverlapNodes reports whether some node with a name satisfies both selectors, and returns
// such a node. It is exact, and compares each term of a with each term of b.
func OverlapNodes(a, b selector.NodeMatcher) (NodeExample, bool) {
	for _, p := range products(a) {
		for _, q := range products(b) {
			both := nodeProduct{labels: And(p.labels, q.labels), name: p.name}
			if q.name.form == only {
				both.name.keepOnly(q.name.set)
			} else {
				both.name.drop(q.name.set)
			}
			if e, ok := both.example(); ok {
				return e, true
			}
		}
	}
	return NodeExample{}, false
}

// ImpliesNodes reports whether every node with a name that satisfies a satisfies b. Yes means
// that each term of a lies within a single term of b, and No comes with a node that satisfies
// a and not b. If a term of a lies within several terms of b together, or may do so, the
// answer is Unknown; with at most one term in b it is always Yes or No.
func ImpliesNodes(a, b selector.NodeMatcher) (NodeExample, Answer) {
	answer := Yes
	for _, p := range products(a) {
		inside, counter := p.within(b)
		switch {
		case counter != nil:
			return *counter, No
		case !inside:
			answer = Unknown
		}
	}
	return NodeExample{}, answer
}

// within reports whether one term of b contains all of p. If not, it tries a node for each
// term of b that does not satisfy that term, and returns one that satisfies no term of b.
func (p *nodeProduct) within(b selector.NodeMatcher) (bool, *NodeExample) {
	base, _ := p.example()
	tries := []NodeExample{base}
	for _, q := range products(b) {
		labels, inside := Implies(p.labels, q.labels)
		st, escapes := escape(&p.name, &q.name)
		switch {
		case inside && !escapes:
			return true, nil
		case !inside:
			tries = append(tries, NodeExample{Name: base.Name, Labels: labels})
		}
		if escapes {
			tries = append(tries, NodeExample{Name: st.value, Labels: base.Labels})
		}
	}
	i := slices.IndexFunc(tries, func(e NodeExample) bool {
		ok, _ := b.Match(e.Name, e.Labels)
		return !ok
	})
	if i < 0 {
		return false, nil
	}
	return false, &tries[i]
}
