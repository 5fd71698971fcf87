// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/replicaset/reason"
)

func replicaSets() []entry {
	return []entry{
		{"kubernetes-107920", "a pod is replaced before the one that is being deleted has ended", replacedTooSoon,
			mutant{"replicaset", "max(0, m-t)", "m"}},
		{"kubernetes-127081", "the text of ReplicaFailure is that of the first failure forever", failureText,
			mutant{"replicaset:withFailure", "!refresh", "true"}},
		{"kubernetes-129795", "expectations run out silently and a second full set is created", expiredExpectations,
			mutant{"replicaset", "append(c.holds, newHold(reason.Expired, n.outstanding, 0))", "c.holds"}},
		{"kubernetes-138818", "a pod that was orphaned meanwhile is deleted, for lack of a precondition", preconditions,
			mutant{"replicaset", "DeletePod{Kind: in.ReplicaSet.podKind(), Name: p.Name, UID: p.UID, ResourceVersion: p.ResourceVersion, Reason: reason.TooMany}", "DeletePod{Kind: in.ReplicaSet.podKind(), Name: p.Name, Reason: reason.TooMany}"}},
		{"kubernetes-101319", "pods become available a whole minReadySeconds late", earliestRecheck,
			mutant{"replicaset:totals.recordWaiting", "a.Before", "a.After"}},
		{"kubernetes-108266", "a pod that turns ready while another one does not is never counted as available", alwaysRechecked,
			mutant{"replicaset", "c.ready != c.available", "c.ready == c.active && c.ready != c.available"}},
		{"kubernetes-69376", "a ReplicaSet created again under the same name waits for the writes of the old one", forgottenExpectations,
			mutant{"replicaset", "(a == nil || b.UID != a.UID)", "a == nil"}},
		{"kubernetes-49145", "all pods are created at once although each creation is rejected", slowStart,
			mutant{"replicaset", "max(i, 1)", "n"}},
		{"kubernetes-47366", "a used-up quota is stormed with further creations", stopsAtFailure,
			mutant{"replicaset", "failed(&o)", "false && failed(&o)"}},
	}
}

// small returns a ReplicaSet.
func small(replicas int32) replicaset.ReplicaSet {
	return replicaset.ReplicaSet{Name: "web", UID: "web-uid", Generation: 1, Replicas: &replicas}
}

// member returns a ready pod of the ReplicaSet.
func member(name string, change ...func(*podorder.Pod)) podorder.Pod {
	p := podorder.Pod{
		Name: name, UID: "uid-" + name, ResourceVersion: "7", ControllerKind: "ReplicaSet", ControllerName: "web", ControllerUID: "web-uid",
		Phase: podorder.Running, NodeName: "n1", Ready: true, ReadySince: t0.Add(-time.Hour), CreationTimestamp: t0.Add(-2 * time.Hour),
	}
	for _, c := range change {
		c(&p)
	}
	return p
}

func replicaSet(t *testing.T, s replicaset.Snapshot, opts replicaset.Options) replicaset.Plan {
	t.Helper()
	p, err := replicaset.Reconcile(s, t0, opts)
	require.NoError(t, err)
	return p
}

func replacedTooSoon(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: small(2), Pods: []podorder.Pod{
		member("a"), member("b", func(p *podorder.Pod) { p.DeletionTimestamp = t0 }),
	}}
	require.Equal(t, "Created 1 pods (TooFew)", replicaSet(t, s, replicaset.Options{}).Actions[0].String())
	for _, a := range replicaSet(t, s, replicaset.Options{Terminating: replicaset.ReplaceTerminated}).Actions {
		require.Zero(t, a.(replicaset.CreatePods).Count)
	}
}

func failureText(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: small(1)}
	s.ReplicaSet.Status.Conditions = []kplan.Condition{{
		Type: replicaset.ConditionReplicaFailure, Status: kplan.ConditionTrue, Reason: "FailedCreate", Message: "quota",
	}}
	for _, c := range []struct {
		opts replicaset.Options
		want string
	}{{replicaset.Options{}, "quota"}, {replicaset.Options{Repair: quirk.All}, "webhook"}} {
		failed := replicaset.Report{Creates: []kplan.Outcome{{Answer: kplan.Failed, Err: errors.New("webhook")}}}
		p, err := replicaset.NewPass(s, t0, c.opts)
		require.NoError(t, err)
		r := p.Finish(failed)
		require.Error(t, r.Err)
		require.Equal(t, c.want, r.Status.Conditions[0].Message)
	}
}

func expiredExpectations(t *testing.T) {
	late := expect.Creations(3, t0.Add(-expect.Timeout-time.Second))
	p := replicaSet(t, replicaset.Snapshot{ReplicaSet: small(3), Expectations: late}, replicaset.Options{})
	require.Equal(t, "Created 3 pods (TooFew)", p.Actions[0].String())
	require.Contains(t, p.Holds, kplan.Hold{Reason: reason.Expired, Have: 3})
	fresh := expect.Creations(3, t0)
	p = replicaSet(t, replicaset.Snapshot{ReplicaSet: small(3), Expectations: fresh}, replicaset.Options{})
	require.Empty(t, p.Actions)
	require.Equal(t, t0.Add(expect.Timeout+1), p.RecheckAt, "it wakes up by itself")
}

func preconditions(t *testing.T) {
	p := replicaSet(t, replicaset.Snapshot{ReplicaSet: small(0), Pods: []podorder.Pod{member("a")}}, replicaset.Options{})
	require.Equal(t, replicaset.Actions{replicaset.DeletePod{
		Name: "a", UID: "uid-a", ResourceVersion: "7", Reason: reason.TooMany,
	}}, p.Actions)
}

func readySince(d time.Duration) func(*podorder.Pod) {
	return func(p *podorder.Pod) { p.ReadySince = t0.Add(-d) }
}

func earliestRecheck(t *testing.T) {
	rs := small(3)
	rs.MinReadySeconds = 60
	p := replicaSet(t, replicaset.Snapshot{ReplicaSet: rs, Pods: []podorder.Pod{
		member("a", readySince(10*time.Second)), member("b", readySince(50*time.Second)), member("c", readySince(30*time.Second)),
	}}, replicaset.Options{})
	require.Equal(t, t0.Add(10*time.Second), p.RecheckAt)
}

func alwaysRechecked(t *testing.T) {
	rs := small(3)
	rs.MinReadySeconds = 60
	p := replicaSet(t, replicaset.Snapshot{ReplicaSet: rs, Pods: []podorder.Pod{
		member("a", readySince(50*time.Second)), member("b", func(p *podorder.Pod) { p.Ready = false }), member("c"),
	}}, replicaset.Options{})
	require.Equal(t, int32(1), p.Status.AvailableReplicas)
	require.Equal(t, t0.Add(10*time.Second), p.RecheckAt)
}

func forgottenExpectations(t *testing.T) {
	before, after := small(3), small(3)
	require.False(t, replicaset.NeedsForget(&before, &after))
	after.UID = "other"
	require.True(t, replicaset.NeedsForget(&before, &after))
	require.True(t, replicaset.NeedsForget(&before, nil))
}

func slowStart(t *testing.T) {
	p := replicaSet(t, replicaset.Snapshot{ReplicaSet: small(500)}, replicaset.Options{})
	create := p.Actions[0].(replicaset.CreatePods)
	require.Equal(t, "[1 2 4 8 16 32 64 128 245]", fmt.Sprint(create.Batches()))
}

func stopsAtFailure(t *testing.T) {
	create := replicaset.CreatePods{Count: 500}
	made := []kplan.Outcome{{Answer: kplan.Done}}
	require.Equal(t, int32(2), create.NextBatch(made))
	made = append(made, kplan.Outcome{Answer: kplan.Done}, kplan.Outcome{Answer: kplan.Failed})
	require.Zero(t, create.NextBatch(made))
}
