// SPDX-License-Identifier: Apache-2.0

package random

import (
	"strings"

	"github.com/kplan-go/kplan/selector"
)

// Key draws a label key: 90 % from five valid ones, so that equal ones are common, the rest barely
// valid or invalid.
func Key(s Source, name string) string {
	if !Percent(s, name+" odd", 10) {
		return OneOf(s, name, "a", "b", "app", "c", "ex.com/a")
	}
	return OneOf(s, name, "", "/a", "a/", "a/b/c", "-a", "a-", "a_b.c", "Ex.com/a", "in", "notin", "a..b/c", "a-.b/c", "a.-b/c", "é", "a\n",
		strings.Repeat("k", 63), strings.Repeat("k", 64), strings.Repeat("p", 253)+"/a", strings.Repeat("p", 254)+"/a")
}

// Value draws a label value in the same way; numbers are common.
func Value(s Source, name string) string {
	if !Percent(s, name+" odd", 10) {
		return OneOf(s, name, "x", "y", "", "1", "2", "3")
	}
	return OneOf(s, name, "02", "007", "+2", "-1", "1.5", "9223372036854775807", "9223372036854775808", "x y", "-", "a-", "é", "<", "x\n",
		strings.Repeat("v", 63), strings.Repeat("v", 64))
}

// Values draws n values. For n = 0 half of the results are nil.
func Values(s Source, name string, n int) []string {
	if n == 0 && Bool(s, name+" nil") {
		return nil
	}
	values := make([]string, n)
	for i := range values {
		values[i] = Value(s, name)
	}
	return values
}

// Labels draws up to four labels, or nil.
func Labels(s Source, name string) map[string]string {
	if OneIn(s, name+" nil", 8) {
		return nil
	}
	m := map[string]string{}
	for range Below(s, name, 5) {
		m[Key(s, name+" key")] = Value(s, name+" value")
	}
	return m
}

// Expression draws an expression with one of some operators, and one time in ten with too many or
// too few values.
func Expression(s Source, ops ...selector.Operator) selector.Expression {
	e := selector.Expression{Key: Key(s, "key"), Operator: OneOf(s, "operator", ops...)}
	n := 0
	switch e.Operator {
	case selector.In, selector.NotIn:
		n = 1 + Below(s, "values", 3)
	case selector.Gt, selector.Lt:
		n = 1
	}
	if OneIn(s, "wrong values", 10) {
		n = Below(s, "wrong number", 3)
	}
	e.Values = Values(s, "operand", n)
	return e
}

// LabelSelector draws a selector as users write it, valid or invalid. At most one of its labels is
// invalid, since upstream reports several in any order.
func LabelSelector(s Source) *selector.LabelSelector {
	if Percent(s, "nil selector", 5) {
		return nil
	}
	ls := &selector.LabelSelector{}
	switch Weighted(s, "match labels", 50, 10, 20, 20) {
	case 1:
		ls.MatchLabels = map[string]string{}
	case 2:
		ls.MatchLabels = map[string]string{Key(s, "key"): Value(s, "value")}
	case 3:
		ls.MatchLabels = map[string]string{}
		for range Below(s, "labels", 4) {
			ls.MatchLabels[OneOf(s, "good key", "a", "b", "app", "c")] = OneOf(s, "good value", "x", "y", "", "1")
		}
	}
	for range Below(s, "expressions", 4) {
		ops := []selector.Operator{selector.In, selector.NotIn, selector.Exists, selector.DoesNotExist}
		if OneIn(s, "odd operator", 12) {
			ops = []selector.Operator{selector.Gt, "in", ""}
		}
		ls.MatchExpressions = append(ls.MatchExpressions, Expression(s, ops...))
	}
	return ls
}

// NodeTerm draws a term of a node selector, valid or invalid.
func NodeTerm(s Source) (term selector.NodeSelectorTerm) {
	all := []selector.Operator{selector.In, selector.NotIn, selector.Exists, selector.DoesNotExist, selector.Gt, selector.Lt}
	for range Below(s, "expressions", 3) {
		ops := all
		if OneIn(s, "odd operator", 15) {
			ops = []selector.Operator{"bogus", "in"}
		}
		term.MatchExpressions = append(term.MatchExpressions, Expression(s, ops...))
	}
	for range max(0, Below(s, "fields", 6)-3) {
		ops := all[:2]
		if OneIn(s, "odd field operator", 10) {
			ops = append(all, "bogus")
		}
		e := selector.Expression{
			Key: OneOf(s, "field", "metadata.name", "metadata.name", "metadata.name", "metadata.namespace"), Operator: OneOf(s, "field operator", ops...),
			Values: []string{OneOf(s, "name", "n1", "n2", "", "N1", "a.b")},
		}
		if OneIn(s, "odd names", 10) {
			e.Values = Values(s, "name", Below(s, "names", 3))
		}
		term.MatchFields = append(term.MatchFields, e)
	}
	return term
}

// NodeSelector draws up to three terms, or nil.
func NodeSelector(s Source) *selector.NodeSelector {
	if OneIn(s, "no node selector", 10) {
		return nil
	}
	ns := &selector.NodeSelector{}
	for range Below(s, "terms", 4) {
		ns.Terms = append(ns.Terms, NodeTerm(s))
	}
	return ns
}

// SelectorText draws a text that is often a selector.
func SelectorText(s Source) string {
	var b strings.Builder
	for range Below(s, "pieces", 12) {
		switch {
		case Percent(s, "byte", 3):
			b.WriteByte(byte(Below(s, "byte", 128) * (1 + Below(s, "high", 2))))
		default:
			b.WriteString(OneOf(s, "piece", "a", "b", ",", "=", "(", ")", " ", "in", "notin", "==", "!=", "!", "<", ">", "1", "x", "-1", "a=b", ",c",
				"a in (x,y)", "in (", "ex.com/a", "a/b/c", "é", "\t", "\r", "\n", "\xff", "+1", "9223372036854775808"))
		}
	}
	return b.String()
}
