// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

// The invariants of the selector algebra that are not in the brute force.
func TestAnalysis_invariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := random.Rapid(t)
		a, b, c := random.Selector(r), random.Selector(r), random.Selector(r)
		labels := random.Matchable(r)
		require.Equal(t, algebra.Disjoint(a, b), algebra.Disjoint(b, a), "overlap is symmetric")
		_, ab := algebra.Implies(a, b)
		_, bc := algebra.Implies(b, c)
		_, ac := algebra.Implies(a, c)
		require.True(t, !ab || !bc || ac, "implication is transitive")
		if ab && a.Matches(labels) {
			require.True(t, b.Matches(labels))
		}
		_, self := algebra.Implies(a, a)
		require.True(t, self)
		require.Equal(t, a.Matches(labels) && b.Matches(labels), algebra.And(a, b).Matches(labels))
		more := a.Add(random.Requirement(r, "a", "b"))
		require.True(t, !more.Matches(labels) || a.Matches(labels), "adding a requirement never enlarges the set")
		_, within := algebra.Implies(more, a)
		require.True(t, within)
		if !a.IsNothing() {
			again, err := selector.Parse(a.String())
			require.NoError(t, err)
			twice, err := selector.Parse(again.String())
			require.NoError(t, err)
			require.Equal(t, again.String(), twice.String(), "printing and parsing come to rest")
			require.True(t, algebra.Equivalent(a, again))
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
