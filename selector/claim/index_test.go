// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
	"github.com/kplan-go/kplan/selector/claim"
)

func TestSimulate(t *testing.T) {
	web, front, db := controller(t, "web", "app=web", 1), controller(t, "front", "tier=front", 1), controller(t, "db", "app=db", 1)
	pod := func(app, tier, owner string) claim.Child {
		c := claim.Child{Namespace: "ns", Labels: map[string]string{"app": app, "tier": tier}}
		if owner != "" {
			c.ControllerKind, c.ControllerName, c.ControllerUID = "ReplicaSet", owner, "uid-"+owner
		}
		return c
	}
	children := []claim.Child{
		pod("web", "front", ""),    // two want it
		pod("web", "back", ""),     // one does
		pod("x", "x", ""),          // none does
		pod("web", "front", "web"), // protected by its owner
		pod("db", "front", "web"),  // let go, then wanted by two
		pod("x", "x", "web"),       // let go for good
		pod("web", "x", "gone"),    // owned by one that is not there
		pod("db", "x", "front"),    // let go, wanted by one
	}
	adopt := claim.Decision{Verdict: claim.Adopt, Reason: claim.ReasonOrphan}
	release := claim.Decision{Verdict: claim.Release, Reason: claim.ReasonNoMatch}
	got := claim.Simulate([]claim.Controller{web, front, db}, len(children), at(children))
	want := claim.Round{
		Owners: []int{0, 0, -1, 0, 1, -1, -1, 2},
		Actions: []claim.RoundAction{
			{Controller: 0, Child: 0, Decision: adopt}, {Controller: 0, Child: 1, Decision: adopt},
			{Controller: 0, Child: 4, Decision: release}, {Controller: 0, Child: 5, Decision: release},
			{Controller: 1, Child: 4, Decision: adopt}, {Controller: 1, Child: 7, Decision: release},
			{Controller: 2, Child: 7, Decision: adopt},
		},
		Contested: []claim.Contested{
			{Child: 0, Controllers: []int{0, 1}}, {Child: 4, Controllers: []int{1, 2}}, {Child: 7, Controllers: []int{2}},
		},
	}
	require.Empty(t, cmp.Diff(want, got))

	got = claim.Simulate([]claim.Controller{db, front, web}, len(children), at(children))
	require.Equal(t, []int{1, 2, -1, 2, -1, -1, -1, -1}, got.Owners, "4 and 7 are let go after those who want them have had their turn")
	require.Len(t, got.Contested, 3)
	require.Empty(t, cmp.Diff(claim.Round{}, claim.Simulate(nil, 0, nil)))
}

// Simulate is each controller classifying in turn, on a snapshot that the ones
// before have changed.
func TestSimulate_isClassifyInTurn(t *testing.T) {
	r := random.Seeded(7)
	contested := 0
	for range min(random.Cases(t, 100), 2000) {
		controllers, children := randomControllers(r)
		round := claim.Simulate(controllers, len(children), at(children))
		var actions []claim.RoundAction
		for i := range controllers {
			o := &controllers[i].Owner
			lists := claim.Classify(o, len(children), at(children))
			res := claim.Resolve(o, lists, at(children), claim.LiveCheck{OK: true})
			for _, a := range res.Actions {
				action := claim.RoundAction{Controller: i}
				switch a := a.(type) {
				case claim.AdoptChild:
					action.Child, action.Decision = a.Child, claim.Decision{Verdict: claim.Adopt, Reason: a.Reason}
				case claim.ReleaseChild:
					action.Child, action.Decision = a.Child, claim.Decision{Verdict: claim.Release, Reason: a.Reason}
				}
				children[action.Child] = claim.Project(children[action.Child], a)
				actions = append(actions, action)
			}
		}
		require.Empty(t, cmp.Diff(actions, round.Actions))
		for i, c := range children {
			owner := -1
			for j := range controllers {
				if c.ControlledBy(&controllers[j].Owner) {
					owner = j
				}
			}
			require.Equal(t, owner, round.Owners[i])
		}
		contested += len(round.Contested)
	}
	require.Positive(t, contested)
}

// What is not contested ends the same whatever the order; what is contested can
// end differently.
func TestSimulate_order(t *testing.T) {
	r := random.Seeded(9)
	for range min(random.Cases(t, 100), 2000) {
		controllers, children := randomControllers(r)
		round := claim.Simulate(controllers, len(children), at(children))
		contested := map[int][]int{}
		for _, c := range round.Contested {
			contested[c.Child] = c.Controllers
		}
		outcomes := make([]map[int]bool, len(children))
		for range 40 {
			perm := random.Perm(r, len(controllers))
			shuffled := make([]claim.Controller, len(perm))
			for i, p := range perm {
				shuffled[i] = controllers[p]
			}
			for i, owner := range claim.Simulate(shuffled, len(children), at(children)).Owners {
				if owner >= 0 {
					owner = perm[owner]
				}
				if outcomes[i] == nil {
					outcomes[i] = map[int]bool{}
				}
				outcomes[i][owner] = true
			}
		}
		for i := range children {
			candidates, ok := contested[i]
			require.Equal(t, ok, len(outcomes[i]) > 1, "child %d: %v", i, outcomes[i])
			for owner := range outcomes[i] {
				if ok && owner >= 0 {
					require.Contains(t, candidates, owner)
				}
			}
		}
	}
}

func randomControllers(r random.Source) ([]claim.Controller, []claim.Child) {
	var controllers []claim.Controller
	for i := range 1 + random.Below(r, "controllers", 4) {
		controllers = append(controllers, claim.Controller{Owner: claim.Owner{
			Kind: "ReplicaSet", Namespace: random.OneOf(r, "namespace", "ns", "ns", "ns", "x", ""), Name: fmt.Sprint("rs", i), UID: fmt.Sprint("u", i),
			Selector: random.Selector(r), Deleting: random.OneIn(r, "deleting", 6),
		}})
	}
	return controllers, randomChildren(r, random.Below(r, "children", 12))
}

func randomChildren(r random.Source, n int) []claim.Child {
	children := make([]claim.Child, n)
	for i := range children {
		c := claim.Child{
			Namespace: random.OneOf(r, "namespace", "ns", "ns", "ns", "x"), Name: fmt.Sprint("p", i), UID: fmt.Sprint("uid-p", i), Labels: random.Matchable(r),
			Deleting: random.OneIn(r, "deleting", 6), Finished: random.OneIn(r, "finished", 6), Rejected: random.OneIn(r, "rejected", 12),
		}
		if owner := random.Below(r, "owner", 7); owner < 5 {
			c.ControllerKind, c.ControllerName, c.ControllerUID = "ReplicaSet", fmt.Sprint("rs", owner), fmt.Sprint("u", owner)
		}
		children[i] = c
	}
	return children
}

func TestSelectorChange(t *testing.T) {
	o := replicaSet(t)
	children := append(workedExample(), child("p9", "c", ""), child("p10", "c", "u1"))
	children[1].Labels = labelsA("c")
	got := claim.SelectorChange(&o, parse(t, "a in (c,d)"), len(children), at(children))
	want := claim.Change{Released: []int{2, 6}, Adopted: []int{1, 8}}
	require.Empty(t, cmp.Diff(want, got), "p4 is released anyway, p10 would be kept")
	require.Equal(t, "a=b", o.Selector.String())
	require.Empty(t, cmp.Diff(claim.Change{}, claim.SelectorChange(&o, o.Selector, len(children), at(children))))
}

func TestStrays(t *testing.T) {
	controllers := []claim.Controller{controller(t, "rs", "a=b", 1), controller(t, "empty", "", 1)}
	controllers[1].Owner.Namespace = "other"
	children := []claim.Child{
		child("kept", "b", "uid-rs"),
		child("wanted", "b", ""),
		child("unwanted", "x", ""),
		child("recreated", "b", "old uid"),
		child("gone", "b", "another uid"),
		child("not selected, but owned", "x", "uid-rs"),
	}
	children[4].ControllerName = "gone"
	want := []claim.Unmanaged{
		{Child: 2, Reason: claim.ReasonUnselected}, {Child: 3, Reason: claim.ReasonOwnerRecreated}, {Child: 4, Reason: claim.ReasonOwnerGone},
	}
	require.Empty(t, cmp.Diff(want, claim.UnmanagedChildren(controllers, len(children), at(children))))
	require.Nil(t, claim.UnmanagedChildren(controllers, 0, nil))
}

func TestIndex(t *testing.T) {
	r := random.Seeded(11)
	hits := 0
	for range 200 {
		selectors := make([]selector.Selector, random.Below(r, "selectors", 20))
		for i := range selectors {
			selectors[i] = random.Selector(r)
		}
		x := selector.NewIndex(selectors)
		for range 20 {
			labels := random.Matchable(r)
			want := []int{-7}
			for i, s := range selectors {
				if s.Matches(labels) {
					want = append(want, i)
				}
			}
			require.Equal(t, want, x.Matching(labels, []int{-7}), "appended, in order")
			hits += len(want) - 1
		}
	}
	require.Positive(t, hits)
}

func TestConflicts(t *testing.T) {
	web := controller(t, "web", "app=web", 1)
	web.TemplateLabels = map[string]string{"app": "web", "tier": "front"}
	db := controller(t, "db", "app=db", 1)
	db.TemplateLabels = map[string]string{"app": "db"}
	front := controller(t, "front", "tier=front", 1)
	front.TemplateLabels = map[string]string{"tier": "front"}
	either := controller(t, "either", "app in (web,db)", 1)
	elsewhere := controller(t, "elsewhere", "app=web", 1)
	elsewhere.Owner.Namespace = "x"
	never := controller(t, "never", "app,!app", 1)
	got := claim.Conflicts([]claim.Controller{web, db, front, either, elsewhere, never})
	want := []claim.Conflict{
		{A: 0, B: 2, Certain: true, Labels: map[string]string{"app": "web", "tier": "front"}},
		{A: 0, B: 3, Certain: true, Labels: map[string]string{"app": "web", "tier": "front"}},
		{A: 1, B: 2, Labels: map[string]string{"app": "db", "tier": "front"}},
		{A: 1, B: 3, Certain: true, Labels: map[string]string{"app": "db"}},
		{A: 2, B: 3, Labels: map[string]string{"app": "db", "tier": "front"}},
	}
	require.Empty(t, cmp.Diff(want, got))
	require.Nil(t, claim.Conflicts(nil))

	// A controller that is not known to create anything is in conflict with another by
	// what the selectors allow, not by what it creates.
	idle, other := controller(t, "idle", "!x", 1), controller(t, "other", "!y", 1)
	idle.TemplateLabels, other.TemplateLabels = nil, nil
	require.Empty(t, cmp.Diff([]claim.Conflict{{A: 0, B: 1, Labels: map[string]string{}}}, claim.Conflicts([]claim.Controller{idle, other})))
}

func TestConflicts_allPairs(t *testing.T) {
	r := random.Seeded(13)
	total := 0
	for range 200 {
		controllers := make([]claim.Controller, random.Below(r, "controllers", 10))
		for i := range controllers {
			controllers[i].Owner = claim.Owner{Namespace: random.OneOf(r, "namespace", "ns", "x"), UID: fmt.Sprint(i), Selector: random.Selector(r)}
			if random.Bool(r, "creates") {
				controllers[i].TemplateLabels = random.Matchable(r)
			}
		}
		found := map[[2]int]bool{}
		for _, c := range claim.Conflicts(controllers) {
			a, b := &controllers[c.A], &controllers[c.B]
			require.Less(t, c.A, c.B)
			require.False(t, found[[2]int{c.A, c.B}], "each pair once")
			found[[2]int{c.A, c.B}] = true
			require.True(t, a.Owner.Selector.Matches(c.Labels) && b.Owner.Selector.Matches(c.Labels))
		}
		for i := range controllers {
			for j := range i {
				_, overlap := algebra.Overlap(controllers[i].Owner.Selector, controllers[j].Owner.Selector)
				same := controllers[i].Owner.Namespace == controllers[j].Owner.Namespace
				require.Equal(t, overlap && same, found[[2]int{j, i}])
			}
		}
		total += len(found)
	}
	require.Positive(t, total)
}

func controller(t testing.TB, name, text string, age int) claim.Controller {
	return claim.Controller{
		Owner:             claim.Owner{Kind: "ReplicaSet", Namespace: "ns", Name: name, UID: "uid-" + name, Selector: parse(t, text)},
		CreationTimestamp: time.Unix(int64(1000-age), 0),
	}
}

func TestRouting(t *testing.T) {
	c := claim.Child{Namespace: "ns", Name: "p", Labels: map[string]string{"k1": "v1", "k2": "v2"}}
	elsewhere, deleting := controller(t, "e", "k1=v1", 9), controller(t, "d", "k1=v1", 9)
	elsewhere.Owner.Namespace = "x"
	deleting.Owner.Deleting = true
	controllers := []claim.Controller{
		controller(t, "rc2", "k2=v2", 1),
		controller(t, "rc1", "k1=v1", 1),
		controller(t, "old", "k1", 5),
		controller(t, "other", "k1=x", 9),
		controller(t, "all", "", 9),
		elsewhere, deleting,
	}
	require.Equal(t, []int{6, 2, 1, 0}, claim.ControllersSelecting(&c, controllers), "oldest first, then by name; empty ones not at all")
	require.Equal(t, []int{2, 1, 0}, claim.WhoWouldAdopt(&c, controllers), "those being deleted do not")

	bare := claim.Child{Namespace: "ns"}
	absent := []claim.Controller{controller(t, "a", "!k", 1)}
	require.Empty(t, claim.ControllersSelecting(&bare, absent), "nobody looks up a child without labels")
	require.Equal(t, []int{0}, claim.WhoWouldAdopt(&bare, absent), "though it matches")

	owned := c
	owned.ControllerUID = "uid-rc1"
	require.Empty(t, claim.WhoWouldAdopt(&owned, controllers), "a controlled child is nobody's to adopt")
	c.Deleting = true
	require.Empty(t, claim.WhoWouldAdopt(&c, controllers))

	same := []claim.Controller{controller(t, "a", "k1", 1), controller(t, "a", "k1", 1)}
	c.Deleting = false
	require.Equal(t, []int{0, 1}, claim.WhoWouldAdopt(&c, same), "the order is total")
}
