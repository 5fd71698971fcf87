// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// concerned returns the names of the Deployments that a change concerns, among one that rolls
// (web), one that selects the same (duplicate), one that recreates (api), and three with selectors
// that select nothing.
func concerned(t *testing.T, c deploy.Change, sets ...replicaset.ReplicaSet) []string {
	labels := selector.FromLabels(map[string]string{"app": "web"})
	bad := &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "a", Operator: "?"}}}
	var names []string
	for _, e := range deploy.Effects(c, []deploy.Deployment{
		{Name: "web", UID: "web-uid", Selector: labels},
		{Name: "duplicate", UID: "duplicate-uid", Selector: labels, Strategy: deploy.RollingUpdate},
		{Name: "api", UID: "api-uid", Selector: selector.FromLabels(map[string]string{"app": "api"}), Strategy: deploy.Recreate},
		{Name: "all", UID: "all-uid", Selector: &selector.LabelSelector{}},
		{Name: "none", UID: "none-uid"},
		{Name: "bad", UID: "bad-uid", Selector: bad},
	}, sets) {
		require.Equal(t, replicaset.Effect{Name: e.Name, Reconcile: true}, e)
		names = append(names, e.Name)
	}
	return names
}

func TestEffectsOfReplicaSets(t *testing.T) {
	at := func(version, owner, app string) *replicaset.ReplicaSet {
		return &replicaset.ReplicaSet{Name: "rs", UID: "rs", ResourceVersion: version, ControllerUID: owner, Labels: map[string]string{"app": app}}
	}
	deleting := func(rs *replicaset.ReplicaSet) *replicaset.ReplicaSet {
		rs.DeletionTimestamp = t0
		return rs
	}
	unlabelled := at("1", "", "web")
	unlabelled.Labels = nil
	for _, c := range []struct {
		why      string
		old, now *replicaset.ReplicaSet
		want     []string
	}{
		{"nothing", nil, nil, nil},
		{"added", nil, at("1", "web-uid", "web"), []string{"web"}},
		{"added, its controller is gone", nil, at("1", "gone", "web"), nil},
		{"added while being deleted", nil, deleting(at("1", "web-uid", "web")), []string{"web"}},
		{"an orphan", nil, at("1", "", "web"), []string{"duplicate", "web"}},
		{"an orphan that is being deleted", nil, deleting(at("1", "", "web")), nil},
		{"an orphan that nobody selects", nil, at("1", "", "x"), nil},
		{"an orphan without labels", nil, unlabelled, nil},
		{"a repetition", at("1", "web-uid", "web"), at("1", "web-uid", "x"), nil},
		{"a repetition with another owner", at("1", "web-uid", "web"), at("1", "duplicate-uid", "web"), nil},
		{"updated", at("1", "web-uid", "web"), at("2", "web-uid", "web"), []string{"web"}},
		{"updated, and versions are not known", at("", "web-uid", "web"), at("", "web-uid", "web"), []string{"web"}},
		{"updated, its controller is gone", at("1", "gone", "web"), at("2", "gone", "x"), nil},
		{"changed hands", at("1", "web-uid", "web"), at("2", "api-uid", "web"), []string{"api", "web"}},
		{"taken by a stranger", at("1", "web-uid", "web"), at("2", "gone", "web"), []string{"web"}},
		{"adopted", at("1", "", "web"), at("2", "web-uid", "web"), []string{"web"}},
		{"released", at("1", "web-uid", "web"), at("2", "", "x"), []string{"web"}},
		{"released, and another selects it", at("1", "web-uid", "web"), at("2", "", "api"), []string{"api", "web"}},
		{"orphaned", at("1", "web-uid", "web"), at("2", "", "web"), []string{"duplicate", "web"}},
		{"orphaned by a stranger", at("1", "gone", "web"), at("2", "", "web"), []string{"duplicate", "web"}},
		{"orphaned while being deleted", at("1", "web-uid", "web"), deleting(at("2", "", "web")), []string{"duplicate", "web"}},
		{"an orphan changed in other respects", at("1", "", "web"), at("2", "", "web"), nil},
		{"an orphan was labelled", at("1", "", "x"), at("2", "", "web"), []string{"duplicate", "web"}},
		{"an orphan lost the labels that select it", at("1", "", "web"), at("2", "", "x"), nil},
		{"deleted", at("1", "web-uid", "web"), nil, []string{"web"}},
		{"an orphan was deleted", at("1", "", "web"), nil, nil},
	} {
		require.Equal(t, c.want, concerned(t, deploy.Change{ReplicaSet: deploy.ReplicaSetEvent{Old: c.old, New: c.now}}), c.why)
	}
}

// Since 1.37 each deletion of a pod wakes the Deployment up, however many others are there.
func TestEffectsOfPods(t *testing.T) {
	sets := []replicaset.ReplicaSet{
		{Name: "web-1", UID: "w1", ControllerUID: "web-uid"}, {Name: "api-1", UID: "a1", ControllerUID: "api-uid"},
		{Name: "orphan", UID: "o1"}, {Name: "lost", UID: "l1", ControllerUID: "gone"},
	}
	at := func(owner string) *podorder.Pod { return &podorder.Pod{Name: "p", ControllerUID: owner} }
	ended := at("a1")
	ended.Phase, ended.DeletionTimestamp = podorder.Failed, t0.Add(time.Second)
	for _, c := range []struct {
		why      string
		old, now *podorder.Pod
		want     []string
	}{
		{"a pod of a Recreate Deployment is gone", at("a1"), nil, []string{"api"}},
		{"one of a rolling Deployment", at("w1"), nil, nil},
		{"one of a ReplicaSet that nobody controls", at("o1"), nil, nil},
		{"one of a ReplicaSet whose controller is gone", at("l1"), nil, nil},
		{"one of another ReplicaSet", at("x"), nil, nil},
		{"one that nobody controls", at(""), nil, nil},
		{"a new one", nil, at("a1"), nil},
		{"it has ended and is still there", at("a1"), ended, nil},
	} {
		require.Equal(t, c.want, concerned(t, deploy.Change{Pod: replicaset.PodEvent{Old: c.old, New: c.now}}, append(sets, replicaset.ReplicaSet{})...), c.why)
	}
}

// A Deployment is planned for even if nothing has changed: by this a resync repeats what was
// given up.
func TestEffectsOfDeployments(t *testing.T) {
	d, renamed := &deploy.Deployment{Name: "new", UID: "u", ResourceVersion: "1"}, &deploy.Deployment{Name: "newer", UID: "v", ResourceVersion: "1"}
	for _, e := range []deploy.DeploymentEvent{{New: d}, {Old: d, New: d}, {Old: renamed, New: d}, {Old: d}} {
		require.Equal(t, []string{"new"}, concerned(t, deploy.Change{Deployment: e}))
	}
	all := deploy.Change{
		Deployment: deploy.DeploymentEvent{New: &deploy.Deployment{Name: "web"}},
		ReplicaSet: deploy.ReplicaSetEvent{New: &replicaset.ReplicaSet{ControllerUID: "web-uid"}},
		Pod:        replicaset.PodEvent{Old: &podorder.Pod{ControllerUID: "a1"}},
	}
	require.Equal(t, []string{"api", "web"}, concerned(t, all, replicaset.ReplicaSet{UID: "a1", ControllerUID: "api-uid"}), "each once, by name")
}
