// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
)

// concerned reports whether a change starts a plan for a DaemonSet.
func concerned(d daemonset.DaemonSet, c daemonset.Change, o daemonset.Options) bool {
	return len(daemonset.Effects(c, []daemonset.DaemonSet{d}, o)) > 0
}

func TestEffectsOfNodes(t *testing.T) {
	d := agent()
	d.NodeSelector = &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}
	plain := &daemonset.Node{Name: "n"}
	zoned := &daemonset.Node{Name: "n", Labels: map[string]string{"zone": "a"}}
	kept := &daemonset.Node{Name: "n", Taints: []daemonset.Taint{taint("x", daemonset.NoSchedule)}}
	out := &daemonset.Node{Name: "n", Taints: []daemonset.Taint{taint("x", daemonset.NoExecute)}}
	for _, c := range []struct {
		why                string
		old, now           *daemonset.Node
		bound              bool
		kubernetes, kruise bool
	}{
		{"added", nil, plain, false, true, true},
		{"added, with a pod", nil, plain, true, false, true},
		{"added, not desired", nil, kept, false, false, false},
		{"gone", plain, nil, true, false, false},
		{"unchanged", kept, kept, false, false, false},
		{"tainted, with a pod", plain, kept, true, false, true},
		{"tainted so that pods go", plain, out, true, true, true},
		{"selected for the update", plain, zoned, true, true, true},
		{"no pod yet", kept, plain, false, true, true},
	} {
		change := daemonset.Change{Node: daemonset.NodeEvent{Old: c.old, New: c.now}, Bound: []string{"x"}}
		if c.bound {
			change.Bound = append(change.Bound, d.UID)
		}
		for dialect, want := range map[daemonset.Dialect]bool{daemonset.Kubernetes: c.kubernetes, daemonset.OpenKruise: c.kruise} {
			require.Equal(t, want, concerned(d, change, daemonset.Options{Dialect: dialect}), "%s, %q", c.why, dialect)
		}
	}
	change := daemonset.Change{Node: daemonset.NodeEvent{Old: plain, New: zoned}, Bound: []string{d.UID}}
	d.NodeSelector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: "x"}}}
	require.False(t, concerned(d, change, daemonset.Options{}), "a selector that cannot be used")
	d.Status.NumberMisscheduled = 1
	require.True(t, concerned(d, change, daemonset.Options{}), "a pod that is misplaced may have a place again")
}

func TestEffectsOfPods(t *testing.T) {
	type effect = replicaset.Effect
	d, duplicate, all, bad := agent(), agent(), agent(), agent()
	d.MinReadySeconds = 10
	duplicate.Name, duplicate.UID = "duplicate", "duplicate"
	all.Name, all.UID, all.Selector = "all", "all", &selector.LabelSelector{}
	bad.Name, bad.UID, bad.Selector = "bad", "bad", &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: "?"}}}
	sets := []daemonset.DaemonSet{duplicate, d, all, bad}
	owner := func(uid string) func(*daemonset.Pod) { return func(p *daemonset.Pod) { p.ControllerUID = uid } }
	terminating := func(p *daemonset.Pod) { p.DeletionTimestamp = t0 }
	unready := func(p *daemonset.Pod) { p.Ready = false }
	at := func(version string, changes ...change) *daemonset.Pod {
		p := pod("p", "n", "v1", changes...)
		p.ResourceVersion = version
		return &p
	}
	other := label("app", "x")
	plan := []effect{{Name: "agent", Reconcile: true}}
	both := []effect{{Name: "agent", Reconcile: true}, {Name: "duplicate", Reconcile: true}}
	for _, c := range []struct {
		why      string
		old, now *daemonset.Pod
		want     []effect
	}{
		{"nothing", nil, nil, nil},
		{"added", nil, at("1"), []effect{{Name: "agent", Created: true, Reconcile: true}}},
		{"added while being deleted", nil, at("1", terminating), []effect{{Name: "agent", Deleted: "p", Reconcile: true}}},
		{"added, another's", nil, at("1", owner("x")), nil},
		{"an orphan is added, which is no creation", nil, at("1", owner("")), both},
		{"an orphan is added while being deleted", nil, at("1", owner(""), terminating), nil},
		{"an orphan that nobody selects", nil, at("1", owner(""), other), nil},
		{"a repetition", at("1"), at("1", unready), nil},
		{"updated", at("1"), at("2"), plan},
		{"updated, and versions are not known", at(""), at(""), plan},
		{"became ready", at("1", unready), at("2"), []effect{{Name: "agent", Reconcile: true, Later: 11 * time.Second}}},
		{"became ready, and is available at once", at("1", unready, owner("duplicate")), at("2", owner("duplicate")), []effect{{Name: "duplicate", Reconcile: true}}},
		{"ceased to be ready", at("1"), at("2", unready), plan},
		{"is being deleted", at("1"), at("2", terminating), []effect{{Name: "agent", Deleted: "p", Reconcile: true}}},
		{"is being deleted by another owner", at("1"), at("2", terminating, owner("duplicate")), []effect{{Name: "duplicate", Deleted: "p", Reconcile: true}}},
		{"changed hands", at("1", owner("duplicate")), at("2"), both},
		{"was released", at("1"), at("2", owner(""), other), plan},
		{"was orphaned", at("1"), at("2", owner("")), both},
		{"was orphaned by a stranger", at("1", owner("x")), at("2", owner("")), both},
		{"an orphan changed in other respects", at("1", owner("")), at("2", owner(""), unready), nil},
		{"an orphan was labelled", at("1", owner(""), other), at("2", owner("")), both},
		{"deleted", at("1"), nil, []effect{{Name: "agent", Deleted: "p", Reconcile: true}}},
		{"an orphan was deleted", at("1", owner("")), nil, nil},
	} {
		got := daemonset.Effects(daemonset.Change{Pod: daemonset.PodEvent{Old: c.old, New: c.now}}, sets, daemonset.Options{})
		require.Equal(t, c.want, got, c.why)
	}
}

// A revision concerns a DaemonSet as a pod does, and nobody waits for it.
func TestEffectsOfRevisions(t *testing.T) {
	d := agent()
	at := func(version, controller string) *revision.ControllerRevision {
		return &revision.ControllerRevision{Name: "r", ResourceVersion: version, Labels: d.Selector.MatchLabels, ControllerUID: controller}
	}
	plan := []replicaset.Effect{{Name: "agent", Reconcile: true}}
	for _, c := range []struct {
		why      string
		old, now *revision.ControllerRevision
		want     []replicaset.Effect
	}{
		{"added", nil, at("1", d.UID), plan},
		{"another's", nil, at("1", "x"), nil},
		{"an orphan", nil, at("1", ""), plan},
		{"a repetition", at("1", d.UID), at("1", d.UID), nil},
		{"given to another", at("1", d.UID), at("2", "x"), plan},
		{"an orphan that has not changed", at("1", ""), at("2", ""), nil},
		{"deleted", at("1", d.UID), nil, plan},
		{"an orphan was deleted", at("1", ""), nil, nil},
	} {
		got := daemonset.Effects(daemonset.Change{Revision: daemonset.RevisionEvent{Old: c.old, New: c.now}}, []daemonset.DaemonSet{d}, daemonset.Options{})
		require.Equal(t, c.want, got, c.why)
	}
}
