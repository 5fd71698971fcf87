// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/selector"
)

func selects(labels map[string]string) func(*deploy.Deployment) {
	return func(d *deploy.Deployment) { d.Selector = selector.FromLabels(labels) }
}

func labelled(value string) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) { rs.Labels = map[string]string{"app": value} }
}

func controlled(uid string) func(*replicaset.ReplicaSet) {
	return func(rs *replicaset.ReplicaSet) { rs.ControllerUID = uid }
}

// TestClaim has every row of the table of claims: what becomes of a ReplicaSet of
// 4, beside a new one of 3, when the Deployment wants 3.
func TestClaim(t *testing.T) {
	app := selects(map[string]string{"app": "web"})
	deleting := func(d *deploy.Deployment) { d.DeletionTimestamp = t0 }
	gone := func(rs *replicaset.ReplicaSet) { rs.DeletionTimestamp = t0 }
	for _, c := range []struct {
		why  string
		d    deploy.Deployment
		rs   replicaset.ReplicaSet
		want string
	}{
		{"another's", web(3, app), set(1, 4, labelled("web"), controlled("other")), ""},
		{"kept", web(3, app), set(1, 4, labelled("web")), "web-v1 4->0"},
		{"no longer matched", web(3, app), set(1, 4, labelled("db")), "release web-v1"},
		{"no longer matched, while the Deployment goes", web(3, app, deleting), set(1, 4, labelled("db")), ""},
		{"no longer matched, and going", web(3, app), set(1, 4, labelled("db"), gone), "release web-v1"},
		{"an orphan that does not match", web(3, app), set(1, 4, labelled("db"), controlled("")), ""},
		{"an orphan while the Deployment goes", web(3, app, deleting), set(1, 4, labelled("web"), controlled("")), ""},
		{"an orphan that is going", web(3, app), set(1, 4, labelled("web"), controlled(""), gone), ""},
		{"an orphan", web(3, app), set(1, 4, labelled("web"), controlled("")), "adopt web-v1, web-v1 4->0"},
		{"no selector: what it controls", web(3), set(1, 4, labelled("db")), "web-v1 4->0"},
		{"no selector: nothing is adopted", web(3), set(1, 4, labelled("web"), controlled("")), ""},
	} {
		s := snapshot(c.d, set(2, 3, labelled("web")), c.rs)
		requireEqual(t, c.why, c.want, actions(reconcile(t, s)))
	}
}

// TestClaimsComeFirst: in front of everything else, oldest first, and an adopted
// ReplicaSet takes part in the plan.
func TestClaimsComeFirst(t *testing.T) {
	d := web(3, selects(map[string]string{"app": "web"}))
	p := reconcile(t, snapshot(d,
		set(4, 1, labelled("db")), set(3, 2, labelled("db")), set(2, 3, labelled("web"), controlled("")), set(1, 0, labelled("web"), controlled(""))))
	require.Equal(t, "adopt web-v1, adopt web-v2, release web-v3, release web-v4", actions(p))
	require.Equal(t, int32(3), p.Status.UpdatedReplicas)
}

func TestAdoptionPolicy(t *testing.T) {
	orphans := func(policy deploy.AdoptionPolicy) string {
		d := web(3, selects(map[string]string{"app": "web"}), limits(1, 0))
		s := snapshot(d, set(1, 3, labelled("web"), controlled("")), set(2, 3, labelled("web"), controlled("")))
		return actions(reconcileWith(t, s, deploy.Options{Adoption: policy}))
	}
	require.Equal(t, "adopt web-v1, adopt web-v2, web-v1 3->0", orphans(deploy.AdoptAll))
	require.Equal(t, "adopt web-v2", orphans(deploy.AdoptSameTemplate))
	require.Equal(t, "create web-v2 3", orphans(deploy.AdoptNone), "whose name is taken, so that the plan ends there")
	_, err := deploy.Reconcile(snapshot(web(1)), t0, deploy.Options{Adoption: "x"})
	require.EqualError(t, err, `Options.Adoption: "x": must be SameTemplate or None, or unset`)
}

// TestSelectingAll: a Deployment whose selector is empty does nothing but say so.
func TestSelectingAll(t *testing.T) {
	allocated := func(d *deploy.Deployment) { d.Selector = &selector.LabelSelector{MatchLabels: map[string]string{}} }
	empty := func(d *deploy.Deployment) { d.Selector = &selector.LabelSelector{} }
	orphan := set(1, 4, labelled("db"), controlled(""))

	p := reconcile(t, snapshot(web(3, empty, reported(1, 1, 1, 1)), orphan))
	require.Equal(t, "", actions(p))
	require.Equal(t, []string{" SelectingAll 0/0"}, holds(p))
	require.Equal(t, []kplan.Event{{
		Action: -1, Type: "Warning", Reason: "SelectingAll", Message: "This deployment is selecting all pods. A non-empty selector is required.",
	}}, p.Events)
	require.Equal(t, deploy.Status{ObservedGeneration: 2, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1}, p.Status)

	// quirk.EmptyMapSelectsAll: an empty map is not noticed, and every orphan of the namespace is adopted.
	s := snapshot(web(3, allocated), orphan)
	require.Equal(t, "adopt web-v1, create web-v2 0, annotate deployment, web-v1 4->3", actions(reconcile(t, s)))
	require.Equal(t, "", actions(reconcileWith(t, s, corrected)))
}

// TestClaimByMore: a selector that asks for more than labels, or is not valid, is read as a whole.
func TestClaimByMore(t *testing.T) {
	d := web(3, selects(map[string]string{"app": "web"}))
	old := set(1, 4, labelled("web"), func(rs *replicaset.ReplicaSet) { rs.Labels["legacy"] = "" })
	require.Equal(t, "web-v1 4->0", actions(reconcile(t, snapshot(d, set(2, 3, labelled("web")), old))))
	d.Selector.MatchExpressions = []selector.Expression{{Key: "legacy", Operator: selector.DoesNotExist}}
	require.Equal(t, "release web-v1", actions(reconcile(t, snapshot(d, set(2, 3, labelled("web")), old))))

	d = web(3, selects(map[string]string{"app": "web", "tier": "in front"}))
	_, err := deploy.Reconcile(snapshot(d), t0, deploy.Options{})
	require.ErrorContains(t, err, `Deployment.Selector: "<error>": values[0][tier]: Invalid value: "in front"`)
}

// A partitioned Deployment has none that are being deleted, whatever its selector asks for.
func TestClaimPartitioned(t *testing.T) {
	going := set(1, 4, labelled("web"), func(rs *replicaset.ReplicaSet) { rs.DeletionTimestamp = t0 })
	for _, selecting := range []func(*deploy.Deployment){selects(map[string]string{"app": "web"}), func(*deploy.Deployment) {}} {
		d := web(3, selecting, func(d *deploy.Deployment) { d.Partitioned = &partition.Strategy{} })
		p := reconcile(t, snapshot(d, set(2, 0, labelled("web")), going))
		require.Equal(t, int32(0), p.Status.Replicas)
		require.NotContains(t, actions(p), "web-v1")
	}
}
