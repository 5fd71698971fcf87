// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
)

// Analysis is a pure function of its selectors, and the order of their expressions
// does not matter.
func TestAnalysis_pure(t *testing.T) {
	type snapshot struct{ A, B *selector.LabelSelector }
	type plan struct{ Normal, Text, Comparison string } // of which the labels {} are others than none
	rapid.Check(t, func(t *rapid.T) {
		r := random.Rapid(t)
		s := snapshot{random.ValidLabelSelector(r), random.ValidLabelSelector(r)}
		purity.Check(t, s, func(s snapshot) (plan, error) {
			a, err := selector.FromLabelSelector(s.A)
			require.NoError(t, err)
			b, err := selector.FromLabelSelector(s.B)
			require.NoError(t, err)
			return plan{algebra.Normalize(a).Describe(), algebra.Normalize(b).Describe(), fmt.Sprintf("%#v", algebra.Compare(a, b))}, nil
		}, "A.MatchExpressions", "B.MatchExpressions")
	})
}
