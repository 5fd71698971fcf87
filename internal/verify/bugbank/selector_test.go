// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
	"github.com/kplan-go/kplan/selector/claim"
)

func selectors() []entry {
	return []entry{
		{"kubernetes-38718", "the text of the selector of nothing reads as everything", nothingReads,
			mutant{"selector", `"nothing"`, `"everything"`}},
		{"kubernetes-19654", "an unset selector and an empty one are taken for each other", unsetOrEmpty,
			mutant{"selector:FromLabelSelector", "Nothing()", "Everything()"}},
		{"node-readiness-controller-356", "notin is believed not to select objects without the label", notinAbsent,
			mutant{"selector:Requirement.accepts", "!p || v != r.value", "p && v != r.value"}},
		{"kubernetes-86488", "a bound that is no integer is accepted and never matches", boundIsNoInteger,
			mutant{"selector", "if _, o := integer(v[0]); !o {\n\t\t\treturn false\n\t\t}", "if false {\n\t\t\treturn false\n\t\t}"}},
		{"kubernetes-128212", "a node affinity that is wrong matches no node, and nobody is told", wrongAffinity,
			mutant{"selector", "if w {\n\t\treturn false, m.Err()\n\t}", "if false && w {\n\t\treturn false, m.Err()\n\t}"}},
		{"kubernetes-24152", "two controllers with overlapping selectors fight for the pods of one", overlappingOwners,
			mutant{"selector/claim", "c.ControllerUID != o.UID && c.Controlled()", "false"}},
		{"kubernetes-19830", "selectors that overlap without being equal are not found", overlapFound,
			mutant{"selector/claim", "l, o := algebra.Overlap(x.Owner.Selector, y.Owner.Selector)", "l, o := algebra.Overlap(x.Owner.Selector, y.Owner.Selector)\n\to = o && x.Owner.Selector.Equal(y.Owner.Selector)"}},
		{"kubernetes-42639", "orphans of a deleted controller are adopted again, and collected with it", adoptedByDead,
			mutant{"selector/claim", "!n.DeletionTimestamp.IsZero()", "false"}},
		{"kubernetes-32829", "a pod whose controller is removed, and not its labels, is not noticed", orphanNoticed,
			mutant{"replicaset:routing.podUpdated", "(r || m)", "r"}},
		{"kubernetes-50808", "a changed selector orphans all children at once", changedSelector,
			mutant{"selector/claim:SelectorChange", "t == Release", "false"}},
	}
}

func nothingReads(t *testing.T) {
	nothing, everything := selector.Nothing(), selector.Everything()
	require.Equal(t, nothing.String(), everything.String(), "which is what upstream prints")
	require.Equal(t, "nothing", nothing.Describe())
	require.Equal(t, "everything", everything.Describe())
	require.False(t, nothing.Equal(everything))
}

func unsetOrEmpty(t *testing.T) {
	unset, err := selector.FromLabelSelector(nil)
	require.NoError(t, err)
	require.False(t, unset.Matches(map[string]string{"a": "b"}))
	empty, err := selector.FromLabelSelector(&selector.LabelSelector{})
	require.NoError(t, err)
	require.True(t, empty.Matches(map[string]string{"a": "b"}))
	require.True(t, empty.Matches(nil))
}

func require1(t *testing.T, key string, op selector.Op, values ...string) selector.Requirement {
	t.Helper()
	r, err := selector.NewRequirement(key, op, values)
	require.NoError(t, err)
	return r
}

func notinAbsent(t *testing.T) {
	other := selector.Of(require1(t, "tier", selector.OpNotIn, "db"))
	require.True(t, other.Matches(map[string]string{"app": "web"}))
	require.False(t, algebra.Disjoint(other, selector.Of(require1(t, "tier", selector.OpDoesNotExist))))
}

func boundIsNoInteger(t *testing.T) {
	_, err := selector.NewRequirement("version", selector.OpGreater, []string{"150.1"})
	require.Error(t, err)
	r := require1(t, "version", selector.OpGreater, "150")
	require.True(t, r.Matches(map[string]string{"version": "500"}))
	require.False(t, r.Matches(map[string]string{"version": "500.5"}))
}

func wrongAffinity(t *testing.T) {
	ns := &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{
		MatchExpressions: []selector.Expression{{Key: "version", Operator: selector.Gt, Values: []string{"150.1"}}},
	}}}
	require.NoError(t, selector.ValidateNodeSelector(ns, "affinity", selector.ValidateOptions{}), "which is what the API server says")
	ok, err := selector.NewNodeMatcher(ns).Match("n1", map[string]string{"version": "500"})
	require.False(t, ok)
	require.Error(t, err)
}

func owner(t *testing.T, name string, labels map[string]string) claim.Owner {
	t.Helper()
	s, err := selector.FromLabelSelector(&selector.LabelSelector{MatchLabels: labels})
	require.NoError(t, err)
	return claim.Owner{Kind: "ReplicaSet", Name: name, UID: name, Selector: s}
}

func overlappingOwners(t *testing.T) {
	a, b := owner(t, "a", map[string]string{"app": "web"}), owner(t, "b", map[string]string{"app": "web"})
	pod := claim.Child{Name: "p", Labels: map[string]string{"app": "web"}, ControllerKind: "ReplicaSet", ControllerName: "a", ControllerUID: "a"}
	require.Equal(t, "Keep (Owned)", claim.Decide(&a, &pod).String())
	require.Equal(t, "Ignore (OwnedByOther)", claim.Decide(&b, &pod).String())
}

func overlapFound(t *testing.T) {
	app := map[string]string{"app": "web"}
	list := []claim.Controller{
		{Owner: owner(t, "a", app)}, {Owner: owner(t, "b", map[string]string{"app": "web", "tier": "db"})},
		{Owner: owner(t, "c", map[string]string{"app": "other"})},
	}
	require.Equal(t, []claim.Conflict{{A: 0, B: 1, Labels: map[string]string{"app": "web", "tier": "db"}}}, claim.Conflicts(list))
}

func adoptedByDead(t *testing.T) {
	o := owner(t, "a", map[string]string{"app": "web"})
	child := func(int) claim.Child {
		return claim.Child{Name: "p", UID: "p", Labels: map[string]string{"app": "web"}}
	}
	lists := claim.Classify(&o, 1, child)
	require.True(t, lists.NeedsLiveCheck(), "the cache may not know yet")
	dead := claim.CheckLive(&o, claim.OwnerNow{UID: "a", DeletionTimestamp: t0})
	r := claim.Resolve(&o, lists, child, dead)
	require.Empty(t, r.Actions)
	require.Len(t, r.Failures, 1)
	require.Len(t, claim.Resolve(&o, lists, child, claim.CheckLive(&o, claim.OwnerNow{UID: "a"})).Actions, 1)
}

func orphanNoticed(t *testing.T) {
	rs := small(1)
	rs.Selector = &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	before := member("a", func(p *podorder.Pod) { p.Labels, p.ControllerUID = map[string]string{"app": "web"}, "gone" })
	after := before
	after.ControllerKind, after.ControllerName, after.ControllerUID, after.ResourceVersion = "", "", "", "8"
	effects := replicaset.Effects(replicaset.PodEvent{Old: &before, New: &after}, []replicaset.ReplicaSet{rs})
	require.Equal(t, []replicaset.Effect{{Name: "web", Reconcile: true}}, effects)
}

func changedSelector(t *testing.T) {
	o := owner(t, "a", map[string]string{"app": "web"})
	child := func(i int) claim.Child {
		return claim.Child{Name: "p", Labels: map[string]string{"app": "web"}, ControllerKind: "ReplicaSet", ControllerName: "a", ControllerUID: "a"}
	}
	s := selector.Of(require1(t, "app", selector.OpEquals, "other"))
	require.Equal(t, claim.Change{Released: []int{0, 1, 2}}, claim.SelectorChange(&o, s, 3, child))
}
