// SPDX-License-Identifier: Apache-2.0

package algebra_test

import (
	"strings"
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
	"github.com/stretchr/testify/require"
)

// read returns the selectors of a text, which semicolons separate, and false if there is
// a wrong one.
func read(text string) (list []selector.Selector, ok bool) {
	for part := range strings.SplitSeq(text, ";") {
		s, err := selector.Parse(part)
		if err != nil || len(list) == 6 {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

// FuzzOverlap: labels that are found are selected by both, implication holds on them,
// and what is disjoint has none in common.
func FuzzOverlap(f *testing.F) {
	for _, text := range []string{"a;b", "a=b;a=c", "a in (b,c);a!=b", "a>1;a<3", "a>1,a<2;a", "!a;a notin (b)", ";a"} {
		f.Add(text, "a=b")
	}
	f.Fuzz(func(t *testing.T, text, on string) {
		list, ok := read(text)
		if !ok || len(list) != 2 {
			return
		}
		a, b := list[0], list[1]
		labels, ok := algebra.Overlap(a, b)
		require.Equal(t, !ok, algebra.Disjoint(a, b))
		require.Equal(t, ok, !algebra.Disjoint(b, a), "whichever comes first")
		require.False(t, ok && !(a.Matches(labels) && b.Matches(labels)), "%q: both select %v", text, labels)
		counter, implies := algebra.Implies(a, b)
		require.False(t, !implies && !(a.Matches(counter) && !b.Matches(counter)), "%q: %v", text, counter)
		_, back := algebra.Implies(b, a)
		require.Equal(t, implies && back, algebra.Equivalent(a, b))
		if given, err := selector.ParseMap(on); err == nil {
			both := a.Matches(given) && b.Matches(given)
			require.False(t, both && !ok, "%q: both select %v", text, given)
			require.Equal(t, both, algebra.And(a, b).Matches(given))
			require.False(t, implies && a.Matches(given) && !b.Matches(given), "%q: %v", text, given)
		}
	})
}
