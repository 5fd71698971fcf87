// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

func TestNodeAnalysis(t *testing.T) {
	in := func(key string, values ...string) selector.NodeSelectorTerm {
		return onLabels(expression(key, selector.In, values...))
	}
	name := func(op selector.Operator, value string) selector.NodeSelectorTerm {
		return onFields(expression(selector.FieldName, op, value))
	}
	both := func(ts ...selector.NodeSelectorTerm) selector.NodeSelectorTerm {
		var t selector.NodeSelectorTerm
		for _, x := range ts {
			t.MatchExpressions = append(t.MatchExpressions, x.MatchExpressions...)
			t.MatchFields = append(t.MatchFields, x.MatchFields...)
		}
		return t
	}
	tests := []struct {
		why     string
		a, b    *selector.NodeSelector
		overlap bool
		implies algebra.Answer
	}{
		{"a value and more values", terms(in("z", "a")), terms(in("z", "a", "b")), true, algebra.Yes},
		{"the other way round", terms(in("z", "a", "b")), terms(in("z", "a")), true, algebra.No},
		{"one term within one of several", terms(in("z", "a")), terms(in("y", "a"), in("z", "a")), true, algebra.Yes},
		{"a term that several hold together", terms(in("z", "a", "b")), terms(in("z", "a"), in("z", "b")), true, algebra.Unknown},
		{"a term that several do not hold", terms(in("z", "a", "c")), terms(in("z", "b"), in("z", "a")), true, algebra.No},
		{"disjoint", terms(in("z", "a")), terms(in("z", "b")), false, algebra.No},
		{"no terms imply all", terms(), terms(in("z", "b")), false, algebra.Yes},
		{"nothing is implied by something", terms(in("z", "b")), terms(), false, algebra.No},
		{"a wrong term selects nothing", terms(onLabels(expression("z", "bad"))), terms(in("z", "b")), false, algebra.Yes},
		{"names that differ", terms(name(selector.In, "n")), terms(name(selector.In, "m")), false, algebra.No},
		{"a name and all others", terms(name(selector.In, "n")), terms(name(selector.NotIn, "n")), false, algebra.No},
		{"a name and all but another", terms(name(selector.In, "n")), terms(name(selector.NotIn, "m")), true, algebra.Yes},
		{"all but one and all but another", terms(name(selector.NotIn, "n")), terms(name(selector.NotIn, "m")), true, algebra.No},
		{"two names at once", terms(both(name(selector.In, "n"), name(selector.In, "m"))), terms(in("z", "b")), false, algebra.Yes},
		{"labels do not save a wrong name", terms(both(in("z", "a"), name(selector.In, "n"))), terms(both(in("z", "a"), name(selector.In, "m"))), false, algebra.No},
		{"a field that is always empty", terms(onFields(expression("metadata.namespace", selector.NotIn, ""))), terms(in("z", "b")), false, algebra.Yes},
		{"and harmless otherwise", terms(onFields(expression("metadata.namespace", selector.In, ""))), terms(in("z", "b")), true, algebra.No},
		{"a name cannot be empty", terms(name(selector.In, "")), terms(in("z", "b")), false, algebra.Yes},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			checkNodes(t, selector.NewNodeMatcher(tt.a), selector.NewNodeMatcher(tt.b), func(overlap bool, implies algebra.Answer) {
				require.Equal(t, tt.overlap, overlap)
				require.Equal(t, tt.implies, implies)
			})
		})
	}
}

// checkNodes checks the examples that come with the answers.
func checkNodes(t *testing.T, a, b selector.NodeMatcher, answers func(bool, algebra.Answer)) {
	matches := func(m selector.NodeMatcher, e algebra.NodeExample) bool {
		ok, _ := m.Match(e.Name, e.Labels)
		return ok && e.Name != ""
	}
	e, overlap := algebra.OverlapNodes(a, b)
	require.Equal(t, overlap, matches(a, e) && matches(b, e))
	_, back := algebra.OverlapNodes(b, a)
	require.Equal(t, overlap, back)
	e, implies := algebra.ImpliesNodes(a, b)
	require.Equal(t, implies == algebra.No, matches(a, e) && !matches(b, e))
	e, ok := algebra.SatisfiableNodes(a)
	require.Equal(t, ok, matches(a, e))
	if !ok {
		require.False(t, overlap)
		require.Equal(t, algebra.Yes, implies)
	}
	answers(overlap, implies)
}

func randomNodeSelector(r random.Source) *selector.NodeSelector {
	ns := &selector.NodeSelector{}
	for range random.Below(r, "terms", 4) {
		var term selector.NodeSelectorTerm
		for range random.Below(r, "expressions", 3) {
			req := random.Requirement(r, "a", "b")
			op := map[selector.Op]selector.Operator{
				selector.OpIn: selector.In, selector.OpEquals: selector.In, selector.OpDoubleEquals: selector.In,
				selector.OpNotIn: selector.NotIn, selector.OpNotEquals: selector.NotIn,
				selector.OpExists: selector.Exists, selector.OpDoesNotExist: selector.DoesNotExist,
				selector.OpGreater: selector.Gt, selector.OpLess: selector.Lt,
			}[req.Op()]
			term.MatchExpressions = append(term.MatchExpressions, expression(req.Key(), op, req.Values()...))
		}
		for range random.Below(r, "fields", 2) {
			term.MatchFields = append(term.MatchFields, expression(selector.FieldName, random.OneOf(r, "operator", selector.In, selector.NotIn), random.OneOf(r, "name", "n", "m", "o")))
		}
		ns.Terms = append(ns.Terms, term)
	}
	return ns
}

func TestNodeAnalysis_bruteForce(t *testing.T) {
	n := min(random.Cases(t, 500), 20_000)
	r := random.Seeded(5)
	answers := map[algebra.Answer]int{}
	for range n {
		a, b := selector.NewNodeMatcher(randomNodeSelector(r)), selector.NewNodeMatcher(randomNodeSelector(r))
		common, onlyA := false, false
		for _, name := range []string{"n", "m", "o", "fresh"} {
			for i := -1; i < len(random.Matchables); i++ {
				for j := -1; j < len(random.Matchables); j++ {
					labels := map[string]string{}
					if i >= 0 {
						labels["a"] = random.Matchables[i]
					}
					if j >= 0 {
						labels["b"] = random.Matchables[j]
					}
					inA, _ := a.Match(name, labels)
					inB, _ := b.Match(name, labels)
					common = common || inA && inB
					onlyA = onlyA || inA && !inB
				}
			}
		}
		checkNodes(t, a, b, func(overlap bool, implies algebra.Answer) {
			require.Equal(t, common, overlap)
			if implies != algebra.Unknown {
				require.Equal(t, onlyA, implies == algebra.No)
			}
			answers[implies]++
		})
	}
	t.Logf("%d random pairs: %v", n, answers)
	require.Positive(t, min(answers[algebra.Yes], answers[algebra.No], answers[algebra.Unknown]))
}
