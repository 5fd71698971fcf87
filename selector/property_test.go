package selector_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/selector"
)

// source turns a seed drawn by rapid into the random source of this package's
// generators.
func source(t *rapid.T) *rand.Rand { return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) }

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
		claim := selector.Classify(&o, len(children), at(children))
		times := make([]int, len(children))
		for _, list := range [][]int{claim.Keep, claim.Adopt, claim.Release, claim.Terminating} {
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
		res := selector.Resolve(&o, claim, at(children), selector.LiveCheck{OK: true})
		outcomes := make([]selector.Outcome, len(res.Actions))
		for i := range outcomes {
			outcomes[i].Answer = selector.Done
		}
		claimed, err := selector.ApplyOutcome(res, outcomes)
		require.NoError(t, err)
		require.Len(t, claimed, len(claim.Keep)+len(claim.Adopt))
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
		require.Len(t, other.Keep, len(claim.Keep), "input order does not change decisions")
		for _, i := range other.Adopt {
			require.Contains(t, claim.Adopt, shuffled[i])
		}
		require.Len(t, other.Release, len(claim.Release))
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

// For active pods and a live controller the lists of 1.5 are those of today.
func TestV15_sameLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := source(t)
		o := selector.Owner{Kind: "ReplicaSet", Namespace: "ns", Name: "rs1", UID: "u1", Selector: randomSelector(r)}
		children := randomChildren(r, r.IntN(20))
		for i := range children {
			children[i].Namespace, children[i].Deleting, children[i].Finished = "ns", false, false
		}
		now := selector.Classify(&o, len(children), at(children))
		then := selector.ClassifyV15(&o, len(children), at(children))
		require.Empty(t, cmp.Diff(selector.ClaimV15{MatchesAndControlled: now.Keep, MatchesNeedsController: now.Adopt, ControlledDoesNotMatch: now.Release}, then))
	})
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
