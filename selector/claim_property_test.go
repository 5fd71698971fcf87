package selector_test

import (
	"testing"

	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The invariants of claiming.
func TestClaim_invariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := source(t)
		o := selector.Owner{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: oneOf(r, "ns", "ns", ""), Name: "rs1", UID: "u1",
			Selector: randomSelector(r), Deleting: r.IntN(3) == 0,
		}
		children := randomChildren(r, r.IntN(20))
		before := append([]selector.Child(nil), children...)
		lists := selector.Classify(&o, len(children), at(children))
		times := make([]int, len(children))
		for _, list := range [][]int{lists.Keep, lists.Adopt, lists.Release, lists.Terminating} {
			for _, i := range list {
				times[i]++
			}
		}
		for i := range children {
			checkDecision(t, &o, &children[i])
			d := selector.Decide(&o, &children[i])
			require.Equal(t, d.Verdict != selector.Ignore, times[i] == 1, "each object gets exactly one decision")
			require.LessOrEqual(t, times[i], 1)
		}
		res := selector.Resolve(&o, lists, at(children), selector.LiveCheck{OK: true})
		outcomes := make([]selector.Outcome, len(res.Actions))
		for i := range outcomes {
			outcomes[i].Answer = selector.Done
		}
		claimed, err := selector.ApplyOutcome(res, outcomes)
		require.NoError(t, err)
		require.Len(t, claimed, len(lists.Keep)+len(lists.Adopt))
		require.IsIncreasing(t, append([]int{-1}, claimed...))
		for _, i := range claimed {
			require.True(t, o.Selector.Matches(children[i].Labels), "claimed children match")
		}
		for _, a := range res.Actions {
			switch a := a.(type) {
			case selector.AdoptChild:
				children[a.Child] = selector.Project(children[a.Child], a)
			case selector.ReleaseChild:
				children[a.Child] = selector.Project(children[a.Child], a)
			}
		}
		again := selector.Classify(&o, len(children), at(children))
		require.False(t, again.Changes(), "a second classification changes nothing")
		require.Equal(t, claimed, append([]int(nil), again.Keep...), "and keeps what is claimed")
		shuffled := r.Perm(len(before))
		other := selector.Classify(&o, len(before), func(i int) selector.Child { return before[shuffled[i]] })
		require.Len(t, other.Keep, len(lists.Keep), "input order does not change decisions")
		for _, i := range other.Adopt {
			require.Contains(t, lists.Adopt, shuffled[i])
		}
		require.Len(t, other.Release, len(lists.Release))
	})
}

func checkDecision(t *rapid.T, o *selector.Owner, c *selector.Child) {
	matches := o.Selector.Matches(c.Labels) && !c.Rejected
	d := selector.Decide(o, c)
	switch d.Verdict {
	case selector.Adopt:
		require.True(t, !c.Controlled() && matches && !c.Deleting && (o.Namespace == "" || o.Namespace == c.Namespace), "Adopt: orphan, match, alive, same namespace")
	case selector.Release:
		require.True(t, c.ControlledBy(o) && !matches, "Release: ours and no match")
	case selector.Keep:
		require.True(t, c.ControlledBy(o) && matches)
	}
	if o.Deleting {
		require.NotContains(t, []selector.Verdict{selector.Adopt, selector.Release}, d.Verdict, "no action when the controller is being deleted")
	}
	replica := selector.DecideReplica(o, c)
	if replica.Verdict != selector.Ignore {
		require.Equal(t, d, replica, "for candidates it is the same table")
		require.False(t, c.Deleting || c.Finished, "and only active ones count")
	}
	if c.Controlled() && c.ControllerUID == o.UID {
		require.NotEqual(t, selector.ReasonOwnedByOther, replica.Reason, "the UID decides, whatever the kind and name")
	}
}

// For controllers with disjoint selectors the order does not matter, unless one
// lets go what another wants.
func TestSimulate_disjoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := source(t)
		controllers := []selector.Controller{}
		for i, text := range []string{"a=x", "a=y", "a notin (x,y)"} {
			s, err := selector.Parse(text)
			require.NoError(t, err)
			controllers = append(controllers, selector.Controller{Owner: selector.Owner{Namespace: "ns", UID: "u" + string(rune('0'+i)), Selector: s}})
		}
		children := randomChildren(r, r.IntN(20))
		for i := range children {
			if s := children[i]; s.Controlled() {
				children[i].ControllerKind, children[i].ControllerName, children[i].ControllerUID = "", "", ""
			}
		}
		round := selector.Simulate(controllers, len(children), at(children))
		require.Empty(t, round.Contested)
		controllers[0], controllers[2] = controllers[2], controllers[0]
		mirror := []int{2, 1, 0}
		for i, owner := range selector.Simulate(controllers, len(children), at(children)).Owners {
			if owner >= 0 {
				owner = mirror[owner]
			}
			require.Equal(t, round.Owners[i], owner)
		}
	})
}
