package selector_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/selector"
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

// So are errors of validation and conversion, as long as the order stays.
func TestErrors_pure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		purity.Check(t, randomLabelSelector(source(t), true), func(ls *selector.LabelSelector) (string, error) {
			if err := selector.Validate(ls, "spec.selector", selector.ValidateOptions{}); err != nil {
				return "", err
			}
			s, err := selector.FromLabelSelector(ls)
			return s.String(), err
		})
	})
}

// A pass over children is a pure function of them, and their order matters only to
// the order of the result.
func TestClaim_pure(t *testing.T) {
	type snapshot struct {
		Selector string
		Deleting bool
		Children []selector.Child
	}
	type plan struct{ Claimed, Patches, Strays []string }
	rapid.Check(t, func(t *rapid.T) {
		r := source(t)
		s := snapshot{randomSelector(r).String(), r.IntN(3) == 0, randomChildren(r, r.IntN(12))}
		purity.Check(t, s, func(s snapshot) (plan, error) {
			compiled, err := selector.Parse(s.Selector)
			require.NoError(t, err)
			o := selector.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "ns", Name: "rs1", UID: "u1", Selector: compiled, Deleting: s.Deleting}
			child := func(i int) selector.Child { return s.Children[i] }
			var p plan
			res := selector.Resolve(&o, selector.Classify(&o, len(s.Children), child), child, selector.LiveCheck{OK: true})
			outcomes := make([]selector.Outcome, len(res.Actions))
			for i, a := range res.Actions {
				p.Patches = append(p.Patches, string(a.Patch()))
				outcomes[i].Answer = selector.Done
			}
			claimed, err := selector.ApplyOutcome(res, outcomes)
			require.NoError(t, err)
			for _, i := range claimed {
				p.Claimed = append(p.Claimed, s.Children[i].Name)
			}
			for _, stray := range selector.Strays([]selector.Controller{{Owner: o}}, len(s.Children), child) {
				p.Strays = append(p.Strays, s.Children[stray.Child].Name+": "+string(stray.Reason))
			}
			slices.Sort(p.Claimed)
			slices.Sort(p.Patches)
			slices.Sort(p.Strays)
			return p, nil
		}, "Children")
	})
}
