// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// The invariants of claiming.
func TestClaim_invariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := random.Rapid(t)
		o := claim.Owner{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: random.OneOf(r, "namespace", "ns", "ns", ""), Name: "rs1", UID: "u1",
			Selector: random.Selector(r), Deleting: random.OneIn(r, "deleting", 3),
		}
		children := randomChildren(r, random.Below(r, "children", 20))
		before := append([]claim.Child(nil), children...)
		lists := claim.Classify(&o, len(children), at(children))
		times := make([]int, len(children))
		for _, list := range [][]int{lists.Keep, lists.Adopt, lists.Release, lists.Terminating} {
			for _, i := range list {
				times[i]++
			}
		}
		for i := range children {
			checkDecision(t, &o, &children[i])
			d := claim.Decide(&o, &children[i])
			require.Equal(t, d.Verdict != claim.Ignore, times[i] == 1, "each object gets exactly one decision")
			require.LessOrEqual(t, times[i], 1)
		}
		res := claim.Resolve(&o, lists, at(children), claim.LiveCheck{OK: true})
		outcomes := make([]kplan.Outcome, len(res.Actions))
		for i := range outcomes {
			outcomes[i].Answer = kplan.Done
		}
		claimed, err := claim.ApplyOutcome(res, outcomes)
		require.NoError(t, err)
		require.Len(t, claimed, len(lists.Keep)+len(lists.Adopt))
		require.IsIncreasing(t, append([]int{-1}, claimed...))
		for _, i := range claimed {
			require.True(t, o.Selector.Matches(children[i].Labels), "claimed children match")
		}
		for _, a := range res.Actions {
			switch a := a.(type) {
			case claim.AdoptChild:
				children[a.Child] = claim.Project(children[a.Child], a)
			case claim.ReleaseChild:
				children[a.Child] = claim.Project(children[a.Child], a)
			}
		}
		again := claim.Classify(&o, len(children), at(children))
		require.False(t, again.Changes(), "a second classification changes nothing")
		require.Equal(t, claimed, append([]int(nil), again.Keep...), "and keeps what is claimed")
		shuffled := random.Perm(r, len(before))
		other := claim.Classify(&o, len(before), func(i int) claim.Child { return before[shuffled[i]] })
		require.Len(t, other.Keep, len(lists.Keep), "input order does not change decisions")
		for _, i := range other.Adopt {
			require.Contains(t, lists.Adopt, shuffled[i])
		}
		require.Len(t, other.Release, len(lists.Release))
	})
}

func checkDecision(t *rapid.T, o *claim.Owner, c *claim.Child) {
	matches := o.Selector.Matches(c.Labels) && !c.Rejected
	d := claim.Decide(o, c)
	switch d.Verdict {
	case claim.Adopt:
		require.True(t, !c.Controlled() && matches && !c.Deleting && (o.Namespace == "" || o.Namespace == c.Namespace), "Adopt: orphan, match, alive, same namespace")
	case claim.Release:
		require.True(t, c.ControlledBy(o) && !matches, "Release: ours and no match")
	case claim.Keep:
		require.True(t, c.ControlledBy(o) && matches)
	}
	if o.Deleting {
		require.NotContains(t, []claim.Verdict{claim.Adopt, claim.Release}, d.Verdict, "no action when the controller is being deleted")
	}
	replica := claim.DecideActive(o, c)
	if replica.Verdict != claim.Ignore {
		require.Equal(t, d, replica, "for candidates it is the same table")
		require.False(t, c.Deleting || c.Finished, "and only active ones count")
	}
	if c.Controlled() && c.ControllerUID == o.UID {
		require.NotEqual(t, claim.ReasonOwnedByOther, replica.Reason, "the UID decides, whatever the kind and name")
	}
}

// For controllers with disjoint selectors the order does not matter, unless one
// lets go what another wants.
func TestSimulate_disjoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := random.Rapid(t)
		controllers := []claim.Controller{}
		for i, text := range []string{"a=x", "a=y", "a notin (x,y)"} {
			s, err := selector.Parse(text)
			require.NoError(t, err)
			controllers = append(controllers, claim.Controller{Owner: claim.Owner{Namespace: "ns", UID: "u" + string(rune('0'+i)), Selector: s}})
		}
		children := randomChildren(r, random.Below(r, "children", 20))
		for i := range children {
			if s := children[i]; s.Controlled() {
				children[i].ControllerKind, children[i].ControllerName, children[i].ControllerUID = "", "", ""
			}
		}
		round := claim.Simulate(controllers, len(children), at(children))
		require.Empty(t, round.Contested)
		controllers[0], controllers[2] = controllers[2], controllers[0]
		mirror := []int{2, 1, 0}
		for i, owner := range claim.Simulate(controllers, len(children), at(children)).Owners {
			if owner >= 0 {
				owner = mirror[owner]
			}
			require.Equal(t, round.Owners[i], owner)
		}
	})
}
