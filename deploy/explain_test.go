// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// TestHolds has a Deployment that is held back for each reason, what it says, and a
// remedy after which the Deployment acts, is complete, or waits for something else.
func TestHolds(t *testing.T) {
	failing := func(rs *replicaset.ReplicaSet) {
		rs.Status.Conditions = []kplan.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate"}}
	}
	gone := func(rs *replicaset.ReplicaSet) { rs.DeletionTimestamp = t0 }
	silent := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = nil }
	leaving := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = ptr.To(int32(3)) }
	unseen := func(rs *replicaset.ReplicaSet) { rs.Generation = 7 }
	ready := func(n int32) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) { rs.Status.ReadyReplicas = n }
	}
	resume := func(s *deploy.Snapshot) { s.Deployment.Paused = false }
	catchUp := func(s *deploy.Snapshot) { settle(s) }
	for _, c := range []struct {
		hold   string
		s      deploy.Snapshot
		opts   deploy.Options
		remedy func(*deploy.Snapshot)
	}{
		{"web-v2 SurgeExhausted 13/13", snapshot(web(10, limits(3, 2)), set(1, 8), set(2, 5, counts(5, 0))), deploy.Options{}, catchUp},
		{"web-v1 MinAvailable 8/8", snapshot(web(10, limits(3, 2)), set(1, 8), set(2, 5, counts(5, 0))), deploy.Options{}, catchUp},
		{"web-v2 Terminating 19/19", snapshot(web(15), set(1, 12, leaving), set(2, 4)), deploy.Options{Terminating: deploy.TerminationComplete}, catchUp},
		{"web-v2 TerminatingUnknown 0/0", snapshot(web(15), set(1, 12, silent), set(2, 4)), deploy.Options{Terminating: deploy.TerminationKnown}, catchUp},
		{"web-v2 NotObserved 1/7", snapshot(web(3), set(2, 3, counts(0, 0), unseen)), deploy.Options{}, catchUp},
		{"web-v2 StatusBehind 2/3", snapshot(web(3), set(2, 3, counts(2, 2))), deploy.Options{}, catchUp},
		{"web-v2 StatusAhead 4/3", snapshot(web(3), set(2, 3, counts(3, 4))), deploy.Options{}, catchUp},
		{"web-v1 StatusAhead 1/0", snapshot(web(3), set(1, 0, counts(0, 1)), set(2, 3)), deploy.Options{}, catchUp},
		{"web-v2 NotReady 1/3", snapshot(web(3), set(2, 3, counts(3, 1))), deploy.Options{}, catchUp},
		{"web-v2 NotAvailable 1/3", snapshot(web(3), set(2, 3, counts(3, 1), ready(3))), deploy.Options{}, catchUp},
		{"web-v1 OldPodsRemain 2/0", snapshot(web(3), set(1, 0, counts(2, 0)), set(2, 3)), deploy.Options{}, catchUp},
		{"web-v1 OldPodsRemain 1/0", deploy.Snapshot{
			Deployment: web(3, recreate), ReplicaSets: []replicaset.ReplicaSet{set(1, 0)},
			Pods: []podorder.Pod{{Name: "p", ControllerUID: "v1"}},
		}, deploy.Options{}, func(s *deploy.Snapshot) { s.Pods = nil }},
		{"web-v2 ReplicaSetDeleting 0/0", snapshot(web(3), set(2, 3, counts(3, 1), gone)), deploy.Options{},
			func(s *deploy.Snapshot) { s.ReplicaSets = nil }},
		{"web-v2 ReplicaFailure 1/3", snapshot(web(3), set(2, 3, counts(1, 1), failing)), deploy.Options{},
			func(s *deploy.Snapshot) { settle(s); s.ReplicaSets[0].Status.Conditions = nil }},
		{" DeadlineExceeded 3600/60", snapshot(web(3, deadline(60), reported(3, 3, 1, 1),
			progressing("False", "ProgressDeadlineExceeded", t0.Add(-time.Hour), t0)), set(2, 3, counts(3, 1))), deploy.Options{}, catchUp},
		{"web-v2 NameTaken 0/0", snapshot(web(3, template("v2")), set(2, 3, func(rs *replicaset.ReplicaSet) { rs.ControllerUID = "other" })),
			deploy.Options{}, func(s *deploy.Snapshot) { s.ReplicaSets = nil }},
		{"web-v1 NothingToScale 5/4", snapshot(web(4, limits(0, 1)), set(1, 4, sized("5", "5")), set(2, 0)), deploy.Options{},
			func(s *deploy.Snapshot) { sized("4", "4")(&s.ReplicaSets[0]) }},
		{" Deleting 0/0", snapshot(web(3, func(d *deploy.Deployment) { d.DeletionTimestamp = t0 }), set(1, 3)), deploy.Options{},
			func(s *deploy.Snapshot) { s.Deployment.DeletionTimestamp = time.Time{} }},
		{" Paused 0/0", snapshot(web(3, paused), set(1, 1), set(2, 2)), deploy.Options{}, resume},
		{" Paused 0/0", snapshot(web(3, paused), set(2, 3)), deploy.Options{}, resume},
		{" PausedNew 0/3", snapshot(web(3, paused)), deploy.Options{}, resume},
		{" PausedTemplate 0/3", snapshot(web(3, paused), set(1, 3)), deploy.Options{}, resume},
		{" Frozen 0/0", snapshot(web(3, paused), set(1, 9)), deploy.Options{Paused: deploy.PausedFreeze}, resume},
		{" ScalingFirst 0/15", snapshot(web(15, limits(3, 2)), set(1, 8, sized("10", "13")), set(2, 5, sized("10", "13"))), deploy.Options{},
			func(s *deploy.Snapshot) { s.Deployment.Replicas = ptr.To(int32(10)) }},
		{"web-v1 HistoryNotEmpty 1/0", snapshot(web(3, history(0), reported(3, 3, 3, 3)), set(1, 0, counts(1, 1)), set(2, 3)), deploy.Options{}, catchUp},
		{"web-v1 HistoryNotSynced 1/7", snapshot(web(3, history(0), reported(3, 3, 3, 3)), set(1, 0, unseen), set(2, 3)), deploy.Options{}, catchUp},
	} {
		t.Run(c.hold, func(t *testing.T) {
			require.Contains(t, holds(reconcileWith(t, c.s, c.opts)), c.hold)
			c.remedy(&c.s)
			p := reconcileWith(t, c.s, c.opts)
			if p.Empty() { // a plan that acts may hold back the rest for the same reason
				require.NotContains(t, holds(p), c.hold, "the remedy")
				require.True(t, len(p.Holds) > 0 || deploy.Complete(p.Status, p.Budget.Replicas, c.s.Deployment.Generation))
			}
		})
	}
}

// TestScalingOneHoldsNothing: a rollout that is not under way has nothing to wait for.
func TestScalingOneHoldsNothing(t *testing.T) {
	p := reconcile(t, snapshot(web(5), set(2, 3, sized("3", "4"))))
	require.Equal(t, "web-v2 3->5", sizes(p))
	require.Empty(t, holds(p))
}

// TestAvailableIsEnough: a status that reports fewer ready pods than available ones lacks
// nothing.
func TestAvailableIsEnough(t *testing.T) {
	behind := func(rs *replicaset.ReplicaSet) { rs.Status.ReadyReplicas = 2 }
	p := reconcile(t, snapshot(web(3), set(1, 0, counts(2, 0)), set(2, 3, behind)))
	require.Equal(t, []string{"web-v1 OldPodsRemain 2/0"}, holds(p))
}

// TestHoldsAreDistinct: a rollout that is only slow names nothing that is wrong.
func TestHoldsAreDistinct(t *testing.T) {
	p := reconcile(t, snapshot(web(10, limits(3, 2)), set(1, 8), set(2, 5, counts(5, 0))))
	require.False(t, slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.ReplicaFailure }))
}
