package selector_test

import (
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The invariants of the selector algebra that are not in the brute force.
func TestAnalysis_invariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := source(t)
		a, b, c := randomSelector(r), randomSelector(r), randomSelector(r)
		labels := randomLabels(r)
		require.Equal(t, selector.Disjoint(a, b), selector.Disjoint(b, a), "overlap is symmetric")
		_, ab := selector.Implies(a, b)
		_, bc := selector.Implies(b, c)
		_, ac := selector.Implies(a, c)
		require.True(t, !ab || !bc || ac, "implication is transitive")
		if ab && a.Matches(labels) {
			require.True(t, b.Matches(labels))
		}
		_, self := selector.Implies(a, a)
		require.True(t, self)
		require.Equal(t, a.Matches(labels) && b.Matches(labels), selector.And(a, b).Matches(labels))
		more := a.Add(randomRequirement(r, "a", "b"))
		require.True(t, !more.Matches(labels) || a.Matches(labels), "adding a requirement never enlarges the set")
		_, within := selector.Implies(more, a)
		require.True(t, within)
		if !a.IsNothing() {
			again, err := selector.Parse(a.String())
			require.NoError(t, err)
			twice, err := selector.Parse(again.String())
			require.NoError(t, err)
			require.Equal(t, again.String(), twice.String(), "printing and parsing come to rest")
			require.True(t, selector.Equivalent(a, again))
		}
		count := 0
		for _, req := range a.Requirements() {
			if req.Matches(labels) {
				count++
			}
		}
		require.Equal(t, !a.IsNothing() && count == len(a.Requirements()), a.Matches(labels), "a selector is the conjunction of its requirements")
	})
}
