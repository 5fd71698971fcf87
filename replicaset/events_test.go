// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

func TestEffects(t *testing.T) {
	type effect = replicaset.Effect
	sets := []replicaset.ReplicaSet{
		web(1, selecting, minReady(10)),
		{Name: "all", UID: "all", Selector: &selector.LabelSelector{}},
		{Name: "bad", UID: "bad", Selector: &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: "?"}}}},
		{Name: "other", UID: "other", Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
		{Name: "none", UID: "none"},
	}
	at := func(version string, change ...func(*podorder.Pod)) *podorder.Pod {
		p := pod("p", append([]func(*podorder.Pod){labelled("web")}, change...)...)
		p.ResourceVersion = version
		return &p
	}
	other := owner("ReplicaSet", "other", "other")
	for _, c := range []struct {
		why      string
		old, new *podorder.Pod
		want     []effect
	}{
		{"nothing", nil, nil, nil},
		{"added", nil, at("1"), []effect{{Name: "web", Created: true, Reconcile: true}}},
		{"added while being deleted", nil, at("1", terminating), []effect{{Name: "web", Deleted: "p", Reconcile: true}}},
		{"added, its controller is gone", nil, at("1", owner("ReplicaSet", "web", "before")), nil},
		{"added, with our UID under another kind", nil, at("1", owner("Job", "web", "web-uid")), []effect{{Name: "web", Created: true, Reconcile: true}}},
		{"an orphan is added, which is no creation", nil, at("1", orphan), []effect{{Name: "other", Reconcile: true}, {Name: "web", Reconcile: true}}},
		{"an orphan without labels", nil, at("1", orphan, func(p *podorder.Pod) { p.Labels = nil }), nil},
		{"an orphan is added while being deleted", nil, at("1", orphan, terminating), nil},
		{"a repetition", at("1"), at("1", unready), nil},
		{"updated", at("1"), at("2"), []effect{{Name: "web", Reconcile: true}}},
		{"became ready", at("1", unready), at("2"), []effect{{Name: "web", Reconcile: true, Later: 10 * time.Second}}},
		{"ceased to be ready", at("1"), at("2", unready), []effect{{Name: "web", Reconcile: true}}},
		{"is being deleted", at("1"), at("2", terminating), []effect{{Name: "web", Deleted: "p", Reconcile: true}}},
		{"is being deleted with other labels", at("1", labelled("x"), other), at("2", terminating), []effect{{Name: "other", Deleted: "p", Reconcile: true}, {Name: "web", Deleted: "p", Reconcile: true}}},
		{"changed hands", at("1", other), at("2"), []effect{{Name: "other", Reconcile: true}, {Name: "web", Reconcile: true}}},
		{"was released", at("1"), at("2", orphan, labelled("x")), []effect{{Name: "web", Reconcile: true}}},
		{"was orphaned", at("1"), at("2", orphan), []effect{{Name: "other", Reconcile: true}, {Name: "web", Reconcile: true}}},
		{"an orphan changed in other respects", at("1", orphan), at("2", orphan, unready), nil},
		{"an orphan was labelled", at("1", orphan, labelled("x")), at("2", orphan), []effect{{Name: "other", Reconcile: true}, {Name: "web", Reconcile: true}}},
		{"deleted", at("1"), nil, []effect{{Name: "web", Deleted: "p", Reconcile: true}}},
		{"an orphan was deleted", at("1", orphan), nil, nil},
	} {
		requireEqual(t, c.why, c.want, replicaset.Effects(replicaset.PodEvent{Old: c.old, New: c.new}, sets))
	}
	before, after := web(1), web(1)
	require.False(t, replicaset.NeedsForget(nil, &after))
	require.False(t, replicaset.NeedsForget(&before, &after))
	require.True(t, replicaset.NeedsForget(&before, nil))
	after.UID = "new"
	require.True(t, replicaset.NeedsForget(&before, &after), "another one of the same name")
}

// In 1.5 a pod concerns the oldest ReplicaSet that selects it, whoever controls it.
func TestEffects15(t *testing.T) {
	type effect = replicaset.Effect
	since := func(name string, created time.Time) replicaset.ReplicaSet {
		rs := web(1, selecting, minReady(10))
		rs.Name, rs.UID, rs.CreationTimestamp = name, name, created
		return rs
	}
	other := since("x", t0)
	other.Selector = &selector.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	all := since("all", time.Time{})
	all.Selector = &selector.LabelSelector{}
	bad := since("bad", time.Time{})
	bad.Selector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: "?"}}}
	sets := []replicaset.ReplicaSet{since("young", t0), since("b", t0.Add(-1)), since("a", t0.Add(-1)), all, bad, other, {Name: "none"}}
	at := func(version string, change ...func(*podorder.Pod)) *podorder.Pod {
		p := pod("p", append([]func(*podorder.Pod){labelled("web"), owner("ReplicaSet", "young", "young")}, change...)...)
		p.ResourceVersion = version
		return &p
	}
	for _, c := range []struct {
		why      string
		old, new *podorder.Pod
		want     []effect
	}{
		{"nothing", nil, nil, nil},
		{"added", nil, at("1"), []effect{{Name: "a", Created: true, Reconcile: true}}},
		{"an orphan is added, which is a creation", nil, at("1", orphan), []effect{{Name: "a", Created: true, Reconcile: true}}},
		{"added while being deleted", nil, at("1", terminating), []effect{{Name: "a", Deleted: "p", Reconcile: true}}},
		{"without labels", nil, at("1", func(p *podorder.Pod) { p.Labels = nil }), nil},
		{"nobody selects it", nil, at("1", labelled("y")), nil},
		{"a repetition", at("1"), at("1", unready), nil},
		{"updated", at("1"), at("2"), []effect{{Name: "a", Reconcile: true}}},
		{"became ready", at("1", unready), at("2"), []effect{{Name: "a", Reconcile: true, Later: 10 * time.Second}}},
		{"labelled anew", at("1", labelled("x")), at("2"), []effect{{Name: "a", Reconcile: true}, {Name: "x", Reconcile: true}}},
		{"labelled so that nobody selects it", at("1", labelled("x")), at("2", labelled("y")), []effect{{Name: "x", Reconcile: true}}},
		{"changed hands", at("1", orphan), at("2"), []effect{{Name: "a", Reconcile: true}}},
		{"is being deleted with other labels", at("1", labelled("x")), at("2", terminating), []effect{{Name: "a", Deleted: "p", Reconcile: true}, {Name: "x", Deleted: "p", Reconcile: true}}},
		{"deleted", at("1", orphan), nil, []effect{{Name: "a", Deleted: "p", Reconcile: true}}},
	} {
		requireEqual(t, c.why, c.want, replicaset.Effects15(replicaset.PodEvent{Old: c.old, New: c.new}, sets))
	}
}
