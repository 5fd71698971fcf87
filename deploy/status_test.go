// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
)

func TestCounts(t *testing.T) {
	d := web(10, limits(3, 2), func(d *deploy.Deployment) { d.Status.CollisionCount = ptr.To(int32(4)) })
	old := set(1, 8, counts(9, 7), func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = ptr.To(int32(2)) })
	s := snapshot(d, old, set(2, 3, counts(2, 1)))
	p := reconcile(t, s)
	requireEqual(t, "sums, as before the plan scales", deploy.Status{
		ObservedGeneration: 2, Replicas: 11, UpdatedReplicas: 2, ReadyReplicas: 8, AvailableReplicas: 8,
		UnavailableReplicas: 3, TerminatingReplicas: ptr.To(int32(2)), CollisionCount: ptr.To(int32(4)),
		Conditions: []kplan.Condition{{
			Type: "Available", Status: "True", Reason: "MinimumReplicasAvailable", Message: "Deployment has minimum availability.",
			LastUpdateTime: t0, LastTransitionTime: t0,
		}},
	}, p.Status)
	require.NotSame(t, s.Deployment.Status.CollisionCount, p.Status.CollisionCount)
}

func TestAvailable(t *testing.T) {
	for _, c := range []struct {
		why       string
		d         deploy.Deployment
		available int32
		want      string
	}{
		{"exactly the minimum", web(10, limits(3, 2)), 8, "True MinimumReplicasAvailable"},
		{"one too few", web(10, limits(3, 2)), 7, "False MinimumReplicasUnavailable"},
		{"Recreate needs all", web(10, recreate), 9, "False MinimumReplicasUnavailable"},
		{"nobody is needed if all may be unavailable", web(3, limits(0, 3)), 0, "True MinimumReplicasAvailable"},
		{"nobody is needed if none is wanted", web(0), 0, "True MinimumReplicasAvailable"},
	} {
		p := reconcile(t, snapshot(c.d, set(2, *c.d.Replicas, counts(*c.d.Replicas, c.available))))
		got := condition(p.Status, deploy.ConditionAvailable)
		requireEqual(t, c.why, c.want, string(got.Status)+" "+got.Reason)
	}
}

func TestTerminating(t *testing.T) {
	reports := func(n int32) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = ptr.To(n) }
	}
	silent := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = nil }
	unsynced := func(rs *replicaset.ReplicaSet) { rs.Status = replicaset.Status{} }
	for _, c := range []struct {
		why  string
		sets []replicaset.ReplicaSet
		want *int32
	}{
		{"the sum", []replicaset.ReplicaSet{set(1, 1, reports(2)), set(2, 3, reports(1))}, ptr.To(int32(3))},
		{"unknown if one does not tell", []replicaset.ReplicaSet{set(1, 1, silent), set(2, 3, reports(1))}, nil},
		{"one that was never synced has none", []replicaset.ReplicaSet{set(1, 1, unsynced), set(2, 3, reports(1))}, ptr.To(int32(1))},
		{"none", nil, ptr.To(int32(0))},
	} {
		requireEqual(t, c.why, c.want, reconcile(t, snapshot(web(3), c.sets...)).Status.TerminatingReplicas)
	}
}

// TestStatusIsStable: writing a plan's status and planning again changes nothing,
// not even a time.
func TestStatusIsStable(t *testing.T) {
	s := snapshot(web(3, deadline(60)), set(1, 0), set(2, 3))
	first := reconcile(t, s)
	s.Deployment.Status = first.Status
	second, err := deploy.Reconcile(s, t0.Add(time.Hour), deploy.Options{})
	require.NoError(t, err)
	requireEqual(t, "an hour later", first.Status, second.Status)
}

func TestDeletingReportsOnly(t *testing.T) {
	s := snapshot(web(10, func(d *deploy.Deployment) { d.DeletionTimestamp = t0; d.Paused = true }), set(1, 4))
	p := reconcile(t, s)
	require.Empty(t, p.Actions)
	require.Equal(t, []string{" Deleting 0/0"}, holds(p))
	require.Equal(t, int32(4), p.Status.Replicas)
}
