// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// The tests of this file have the input of each defect of upstream that no option
// repairs: what the plan does, and what tells a caller of it. The repairs are in
// quirk_cases_test.go.

// upstream writes the new ReplicaSet twice in one pass, and the second write
// conflicts with the first. The plan writes it once.
func TestDefectOneWrite(t *testing.T) {
	d := web(3, func(d *deploy.Deployment) { d.MinReadySeconds, d.Annotations = 5, map[string]string{"a": "b"} })
	require.Equal(t, "annotate web-v2", actions(reconcile(t, snapshot(d, set(2, 3)))))
}

// pods lost after completion leave the Deployment progressing. Stalled tells.
func TestDefectStalled(t *testing.T) {
	for _, c := range []struct {
		why  string
		d    deploy.Deployment
		want bool
	}{
		{"complete", web(3, reported(3, 3, 3, 3), progressing("True", "NewReplicaSetAvailable", t0, t0)), false},
		{"a pod lost", web(3, reported(3, 3, 2, 2), progressing("True", "NewReplicaSetAvailable", t0, t0)), true},
		{"a rollout is under way", web(3, reported(3, 3, 2, 2), progressing("True", "ReplicaSetUpdated", t0, t0)), false},
		{"no condition", web(3, reported(3, 3, 2, 2)), false},
		{"paused", web(3, paused, reported(3, 3, 2, 2), progressing("True", "NewReplicaSetAvailable", t0, t0)), false},
		{"not observed", web(3, progressing("True", "NewReplicaSetAvailable", t0, t0)), false},
		{"unset replicas are 1", deploy.Deployment{Status: deploy.Status{Conditions: []kplan.Condition{{Type: "Progressing", Reason: "NewReplicaSetAvailable"}}}}, true},
	} {
		requireEqual(t, c.why, c.want, deploy.Stalled(c.d))
	}
}

// while Recreate tears down, the condition still says that all is well. The hold
// tells.
func TestDefectRecreateLooksDone(t *testing.T) {
	d := web(3, recreate, deadline(600), reported(3, 0, 3, 3), progressing("True", "NewReplicaSetAvailable", t0, t0))
	p := reconcile(t, snapshot(d, set(1, 0, counts(3, 3))))
	require.Equal(t, "NewReplicaSetAvailable", condition(p.Status, deploy.ConditionProgressing).Reason)
	require.Equal(t, []string{"web-v1 OldPodsRemain 3/0"}, holds(p))
}

// a pod that is about to become available is removed like one that never will,
// and the plan counts it as unhealthy.
func TestDefectAlmostAvailable(t *testing.T) {
	p := reconcile(t, snapshot(web(10, limits(3, 2)), set(1, 10, counts(10, 9)), set(2, 0)))
	require.Equal(t, "web-v2 0->3", actions(p))
	p = reconcile(t, snapshot(web(10, limits(0, 2)), set(1, 10, counts(10, 9)), set(2, 0)))
	require.Equal(t, int32(1), p.Actions[0].(deploy.ScaleReplicaSet).Unhealthy)
}

// a failed pod that is left over does not count, and OldPodsRunning says so at
// the moment at which a controller should wake up.
func TestDefectFailedPodRemains(t *testing.T) {
	s := snapshot(web(3, recreate), set(1, 0))
	for _, c := range []struct {
		phase podorder.Phase
		want  bool
	}{{podorder.Running, true}, {podorder.Failed, false}} {
		s.Pods = []podorder.Pod{{Name: "p", Phase: c.phase, DeletionTimestamp: t0, ControllerUID: "v1"}}
		running, err := deploy.OldPodsRunning(s, t0, deploy.Options{})
		require.NoError(t, err)
		require.Equal(t, c.want, running, c.phase)
		require.Equal(t, c.want, sizes(reconcile(t, s)) == "none", "the plan goes by the same rule")
	}
	_, err := deploy.OldPodsRunning(s, time.Time{}, deploy.Options{})
	require.ErrorIs(t, err, kplan.ErrInvalid)
}

// of two ReplicaSets with the same template the older is the new one, and the
// other is rolled away, healthy or not.
func TestDefectTwins(t *testing.T) {
	duplicate := func(rs *replicaset.ReplicaSet) { rs.Template.ID = "v2" }
	s := snapshot(web(3, limits(1, 0)), set(2, 1), set(3, 3, duplicate, numbered("1")))
	require.Equal(t, "web-v3 3->2", actions(reconcile(t, s)))
}

// upstream's lists share memory; a plan shares none with its snapshot. The
// property TestPropertyPure holds it to that.

// Recreate protects rollouts only. A pod that is deleted by hand is replaced by
// its ReplicaSet while it still ends, which no plan of the Deployment can prevent.
func TestDefectDeletedByHand(t *testing.T) {
	rs := replicaset.ReplicaSet{Name: "web-v2", UID: "v2", Replicas: ptr.To(int32(1))}
	leaving := podorder.Pod{Name: "p", ControllerUID: "v2", Phase: podorder.Running, DeletionTimestamp: t0}
	p, err := replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: rs, Pods: []podorder.Pod{leaving}}, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Equal(t, "Created 1 pods (TooFew)", p.Actions[0].String())
}

// an autoscaler that reads status.replicas counts surge pods as wanted.
func TestDefectSurgeCounts(t *testing.T) {
	p := reconcile(t, snapshot(web(10, limits(3, 2)), set(1, 8), set(2, 5)))
	require.Equal(t, int32(13), p.Status.Replicas, "what it reads")
	require.Equal(t, int32(10), p.Budget.Replicas, "what it should")
}

// A revision that does not parse freezes the annotations of the new ReplicaSet (UnreadableRevisionFreezes of
// package revision).
func TestDefectUnreadableRevision(t *testing.T) {
	d := web(3, func(d *deploy.Deployment) {
		d.Annotations = map[string]string{"a": "b", revision.AnnotationRevision: "bad"}
	})
	require.Empty(t, actions(reconcile(t, snapshot(d, set(2, 3, numbered("bad"))))))
}
