// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A pass over children is a pure function of them, and their order matters only to
// the order of the result.
func TestClaim_pure(t *testing.T) {
	type snapshot struct {
		Selector string
		Deleting bool
		Children []claim.Child
	}
	type plan struct{ Claimed, Patches, UnmanagedChildren []string }
	rapid.Check(t, func(t *rapid.T) {
		r := random.Rapid(t)
		s := snapshot{random.Selector(r).String(), random.OneIn(r, "deleting", 3), randomChildren(r, random.Below(r, "children", 12))}
		purity.Check(t, s, func(s snapshot) (plan, error) {
			compiled, err := selector.Parse(s.Selector)
			require.NoError(t, err)
			o := claim.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "ns", Name: "rs1", UID: "u1", Selector: compiled, Deleting: s.Deleting}
			child := func(i int) claim.Child { return s.Children[i] }
			var p plan
			res := claim.Resolve(&o, claim.Classify(&o, len(s.Children), child), child, claim.LiveCheck{OK: true})
			outcomes := make([]kplan.Outcome, len(res.Actions))
			for i, a := range res.Actions {
				p.Patches = append(p.Patches, string(a.Patch()))
				outcomes[i].Answer = kplan.Done
			}
			claimed, err := claim.ApplyOutcome(res, outcomes)
			require.NoError(t, err)
			for _, i := range claimed {
				p.Claimed = append(p.Claimed, s.Children[i].Name)
			}
			for _, u := range claim.UnmanagedChildren([]claim.Controller{{Owner: o}}, len(s.Children), child) {
				p.UnmanagedChildren = append(p.UnmanagedChildren, s.Children[u.Child].Name+": "+string(u.Reason))
			}
			slices.Sort(p.Claimed)
			slices.Sort(p.Patches)
			slices.Sort(p.UnmanagedChildren)
			return p, nil
		}, "Children")
	})
}
