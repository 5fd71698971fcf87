package selector_test

import (
	"testing"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Analysis is a pure function of its selectors, and the order of their expressions
// does not matter.
func TestAnalysis_pure(t *testing.T) {
	type snapshot struct{ A, B *selector.LabelSelector }
	type plan struct {
		Normal, Text string
		Comparison   selector.Comparison
	}
	rapid.Check(t, func(t *rapid.T) {
		r := source(t)
		s := snapshot{randomLabelSelector(r, false), randomLabelSelector(r, false)}
		purity.Check(t, s, func(s snapshot) (plan, error) {
			a, err := selector.FromLabelSelector(s.A)
			require.NoError(t, err)
			b, err := selector.FromLabelSelector(s.B)
			require.NoError(t, err)
			return plan{selector.Normalize(a).Describe(), selector.Normalize(b).Describe(), selector.Compare(a, b)}, nil
		}, "A.MatchExpressions", "B.MatchExpressions")
	})
}
