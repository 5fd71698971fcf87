// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/selector"
)

var (
	errQuota = errors.New("exceeded quota")
	errOther = errors.New("other")
)

func done(names ...string) (list []kplan.Outcome) {
	for _, name := range names {
		list = append(list, kplan.Outcome{Answer: kplan.Done, Name: name})
	}
	return list
}

func failed(err error) kplan.Outcome {
	return kplan.Outcome{Answer: kplan.Failed, Err: err}
}

// finish plans for s and ends the pass with the report.
func finish(t *testing.T, s replicaset.Snapshot, r replicaset.Report, opts replicaset.Options) replicaset.Result {
	p := reconcile(t, s, opts)
	r.Expectations = p.Expect(s.Expectations, t0)
	return replicaset.FinishPlan(s, p, r, t0, opts)
}

func TestFinishCreations(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(10)}
	r := finish(t, s, replicaset.Report{Creates: append(done("a", "b", "c"), failed(errQuota), failed(errOther), failed(errOther), failed(errOther))}, replicaset.Options{})
	require.Equal(t, int64(3), r.Expectations.Creations, "ten were expected, three were made, of four failed and three skipped")
	require.Equal(t, errQuota, r.Err, "the first")
	require.Len(t, r.Errs, 4)
	require.Equal(t, []kplan.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "exceeded quota", LastTransitionTime: t0}}, r.Status.Conditions)
	require.True(t, r.WriteStatus)
	require.Equal(t, kplan.Event{Type: "Normal", Reason: "SuccessfulCreate", Message: "Created pod: a"}, r.Events[0])
	require.Equal(t, kplan.Event{Type: "Warning", Reason: "FailedCreate", Message: "Error creating: exceeded quota"}, r.Events[3])
	require.Len(t, r.Events, 7)

	r = finish(t, s, replicaset.Report{Creates: done("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")}, replicaset.Options{})
	require.Equal(t, int64(10), r.Expectations.Creations)
	require.NoError(t, r.Err)
	require.Empty(t, r.Status.Conditions)
	r = finish(t, s, replicaset.Report{Creates: []kplan.Outcome{{}, {Answer: kplan.Invalid}}}, replicaset.Options{})
	require.EqualError(t, r.Err, "the action was not executed")
	require.EqualError(t, r.Errs[1], "the API server answered Invalid")
}

// TestFinishNamespaceTerminating: creations in a namespace that goes away count
// as successes, and the expectation of them is never met; repaired, it is not raised.
func TestFinishNamespaceTerminating(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(2)}
	doomed := replicaset.Report{Creates: []kplan.Outcome{{Answer: kplan.NamespaceTerminating}, {Answer: kplan.NamespaceTerminating}}}
	r := finish(t, s, doomed, replicaset.Options{})
	require.NoError(t, r.Err)
	require.Empty(t, r.Events)
	require.Equal(t, int64(2), r.Expectations.Creations)
	r = finish(t, s, doomed, replicaset.Options{Repair: quirk.All})
	require.NoError(t, r.Err)
	require.True(t, r.Expectations.Fulfilled())
}

func TestFinishDeletions(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(0), Pods: pods(4)}
	names := []string{}
	for _, a := range reconcile(t, s, replicaset.Options{}).Actions {
		names = append(names, a.(replicaset.DeletePod).Name)
	}
	report := replicaset.Report{Deletes: []kplan.Outcome{{Answer: kplan.Done}, {Answer: kplan.NotFound}, failed(errOther)}}
	r := finish(t, s, report, replicaset.Options{})
	require.Equal(t, names[:1], r.Expectations.Pending, "only the first is still to be seen")
	require.Equal(t, int64(1), r.Expectations.Deletions)
	require.EqualError(t, r.Err, "unable to delete pods: other")
	require.ErrorIs(t, r.Err, errOther)
	require.EqualError(t, r.Errs[1], "unable to delete pods: the action was not executed", "the fourth has no outcome")
	require.Equal(t, "FailedDelete", r.Status.Conditions[0].Reason)
	require.Equal(t, []kplan.Event{
		{Type: "Normal", Reason: "SuccessfulDelete", Message: "Deleted pod: " + names[0]},
		{Action: 2, Type: "Warning", Reason: "FailedDelete", Message: "Error deleting: other"},
		{Action: 3, Type: "Warning", Reason: "FailedDelete", Message: "Error deleting: the action was not executed"},
	}, r.Events)
	r = finish(t, replicaset.Snapshot{ReplicaSet: web(0), Pods: pods(1)}, replicaset.Report{Deletes: []kplan.Outcome{{Answer: kplan.NotFound}}}, replicaset.Options{})
	require.NoError(t, r.Err, "a pod that is gone is no failure")
	r = finish(t, replicaset.Snapshot{ReplicaSet: web(0), Pods: pods(1)}, replicaset.Report{Deletes: []kplan.Outcome{{Answer: kplan.NotFound}}}, replicaset.Options{Dialect: replicaset.Kubernetes15})
	require.EqualError(t, r.Err, "unable to delete pods: the API server answered NotFound", "in 1.5 it is")
}

func TestFinishClaims(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(3, selecting, minReady(9)), Pods: []podorder.Pod{pod("a", labelled("web"), orphan), pod("b", labelled("x")), pod("c", labelled("web"), readyAgo(0))}}
	s.ReplicaSet.Status = replicaset.Status{Replicas: 7, Conditions: []kplan.Condition{{Type: "Old"}}}
	for _, c := range []struct {
		why    string
		report replicaset.Report
		err    string
	}{
		{"all well", replicaset.Report{Claims: done("", "")}, ""},
		{"gone before its release", replicaset.Report{Claims: []kplan.Outcome{{Answer: kplan.Done}, {Answer: kplan.NotFound}}}, ""},
		{"gone before its adoption", replicaset.Report{Claims: []kplan.Outcome{{Answer: kplan.NotFound}, {Answer: kplan.NotFound}}}, "pod a: what was to be adopted is gone"},
		{"another has released it", replicaset.Report{Claims: []kplan.Outcome{{Answer: kplan.Done}, {Answer: kplan.Invalid}}}, ""},
		{"another has adopted it", replicaset.Report{Claims: []kplan.Outcome{{Answer: kplan.Invalid}, {Answer: kplan.Done}}}, "the API server answered Invalid"},
		{"not released", replicaset.Report{Claims: []kplan.Outcome{{Answer: kplan.Done}, failed(errOther)}}, "other"},
		{"not executed", replicaset.Report{}, "the action was not executed"},
		{"the live check failed", replicaset.Report{LiveCheck: errOther, Claims: done("", "")}, "can't adopt Pod a (a-uid): other"},
	} {
		c.report.Creates = done("d", "e")
		r := finish(t, s, c.report, replicaset.Options{})
		if c.err == "" {
			require.NoError(t, r.Err, c.why)
			require.True(t, r.WriteStatus, c.why)
			require.Equal(t, int32(2), r.Status.Replicas, c.why)
			require.Equal(t, t0.Add(9*time.Second), r.RecheckAt, c.why)
			continue
		}
		require.EqualError(t, r.Err, c.err, c.why)
		require.False(t, r.WriteStatus, "no status is written")
		requireEqual(t, "the status stays", s.ReplicaSet.Status, r.Status)
		require.Zero(t, r.RecheckAt, "the pass is tried again")
		require.Empty(t, r.Events)
		require.True(t, r.Expectations.Fulfilled(), "no pod was asked for, and none is waited for")

		r = finish(t, s, c.report, replicaset.Options{Repair: quirk.All})
		require.EqualError(t, r.Err, c.err, "the failure stays one")
		require.True(t, r.Expectations.Fulfilled(), c.why)
		require.True(t, r.WriteStatus, "but the status of the others is written")
		require.Equal(t, int32(1), r.Status.Replicas, c.why)
	}
}

// TestFailureCondition: an existing condition does not change, even for another failure; with the
// repair it has the latest failure.
func TestFailureCondition(t *testing.T) {
	at := t0.Add(-time.Hour)
	condition := func(status kplan.ConditionStatus, reason, message string, at time.Time) kplan.Condition {
		return kplan.Condition{Type: "ReplicaFailure", Status: status, Reason: reason, Message: message, LastTransitionTime: at}
	}
	other := kplan.Condition{Type: "Other"}
	for _, c := range []struct {
		why                string
		before             []kplan.Condition
		err                error
		want, wantRepaired []kplan.Condition
	}{
		{"no error, no condition", []kplan.Condition{other}, nil, []kplan.Condition{other}, []kplan.Condition{other}},
		{"no error removes it", []kplan.Condition{condition("True", "FailedCreate", "old", at), other}, nil, []kplan.Condition{other}, []kplan.Condition{other}},
		{"an error adds it", []kplan.Condition{other}, errQuota, []kplan.Condition{other, condition("True", "FailedCreate", "exceeded quota", t0)},
			[]kplan.Condition{other, condition("True", "FailedCreate", "exceeded quota", t0)}},
		{"the text stays old", []kplan.Condition{condition("True", "FailedCreate", "old", at), other}, errQuota, []kplan.Condition{condition("True", "FailedCreate", "old", at), other},
			[]kplan.Condition{other, condition("True", "FailedCreate", "exceeded quota", at)}},
		{"the reason stays old", []kplan.Condition{condition("True", "FailedDelete", "old", at)}, errQuota, []kplan.Condition{condition("True", "FailedDelete", "old", at)},
			[]kplan.Condition{condition("True", "FailedCreate", "exceeded quota", at)}},
		{"False stays False", []kplan.Condition{condition("False", "", "", at)}, errQuota, []kplan.Condition{condition("False", "", "", at)},
			[]kplan.Condition{condition("True", "FailedCreate", "exceeded quota", t0)}},
		{"the same once more", []kplan.Condition{condition("True", "FailedCreate", "exceeded quota", at), other}, errQuota,
			[]kplan.Condition{condition("True", "FailedCreate", "exceeded quota", at), other}, []kplan.Condition{condition("True", "FailedCreate", "exceeded quota", at), other}},
	} {
		s := replicaset.Snapshot{ReplicaSet: web(1, func(rs *replicaset.ReplicaSet) { rs.Status.Conditions = c.before })}
		report := replicaset.Report{Creates: done("a")}
		if c.err != nil {
			report.Creates = []kplan.Outcome{failed(c.err)}
		}
		requireEqual(t, c.why, c.want, finish(t, s, report, replicaset.Options{}).Status.Conditions)
		requireEqual(t, c.why, c.wantRepaired, finish(t, s, report, replicaset.Options{Repair: quirk.All}).Status.Conditions)
	}
}

// TestFailureWhileWaiting: a pass that waits for expectations removes the condition although it
// tried nothing; with the repair the condition stays.
func TestFailureWhileWaiting(t *testing.T) {
	failure := []kplan.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate"}}
	s := replicaset.Snapshot{ReplicaSet: web(3, func(rs *replicaset.ReplicaSet) { rs.Status.Conditions = failure }), Expectations: expect.Creations(1, t0)}
	require.Nil(t, reconcile(t, s, replicaset.Options{}).Status.Conditions)
	require.Equal(t, failure, reconcile(t, s, replicaset.Options{Repair: quirk.All}).Status.Conditions)
}

// TestTimelessPod: a ready pod without a ready time never becomes available, and
// upstream looks again every minReadySeconds; repaired, nobody does.
func TestTimelessPod(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(1, minReady(10)), Pods: []podorder.Pod{pod("a", func(p *podorder.Pod) { p.ReadySince = time.Time{} })}}
	require.Equal(t, t0.Add(10*time.Second), reconcile(t, s, replicaset.Options{}).RecheckAt)
	require.Zero(t, reconcile(t, s, replicaset.Options{Repair: quirk.All}).RecheckAt)
}

func TestNeedsWrite(t *testing.T) {
	rs := web(1, func(rs *replicaset.ReplicaSet) {
		rs.Generation = 4
		rs.Status = replicaset.Status{ObservedGeneration: 4, Replicas: 5, FullyLabeledReplicas: 4, ReadyReplicas: 3, AvailableReplicas: 2, TerminatingReplicas: ptr.To(int32(1)),
			Conditions: []kplan.Condition{{Type: "A", LastTransitionTime: t0}}}
	})
	for _, c := range []struct {
		why    string
		change func(s *replicaset.Status, rs *replicaset.ReplicaSet)
		want   bool
	}{
		{"nothing", func(*replicaset.Status, *replicaset.ReplicaSet) {}, false},
		{"replicas", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.Replicas++ }, true},
		{"labelled", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.FullyLabeledReplicas++ }, true},
		{"ready", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.ReadyReplicas++ }, true},
		{"available", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.AvailableReplicas++ }, true},
		{"terminating", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.TerminatingReplicas = ptr.To(int32(0)) }, true},
		{"terminating no longer reported", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.TerminatingReplicas = nil }, true},
		{"another pointer", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.TerminatingReplicas = ptr.To(int32(1)) }, false},
		{"a condition less", func(s *replicaset.Status, _ *replicaset.ReplicaSet) { s.Conditions = nil }, true},
		{"another condition", func(s *replicaset.Status, _ *replicaset.ReplicaSet) {
			s.Conditions = []kplan.Condition{{Type: "B"}}
		}, true},
		{"the same time in another zone", func(s *replicaset.Status, _ *replicaset.ReplicaSet) {
			s.Conditions = []kplan.Condition{{Type: "A", LastTransitionTime: t0.In(time.FixedZone("x", 60))}}
		}, false},
		{"a new generation", func(_ *replicaset.Status, rs *replicaset.ReplicaSet) { rs.Generation++ }, true},
	} {
		next, changed := rs.Status, rs
		c.change(&next, &changed)
		require.Equal(t, c.want, replicaset.NeedsWrite(changed, next), c.why)
	}
}

func TestConditions(t *testing.T) {
	a, b, a2 := kplan.Condition{Type: "A", Message: "1"}, kplan.Condition{Type: "B"}, kplan.Condition{Type: "A", Message: "2"}
	list := []kplan.Condition{a, b, a2}
	got, ok := replicaset.GetCondition(list, "A")
	require.True(t, ok)
	require.Equal(t, a, got, "the first")
	_, ok = replicaset.GetCondition(list, "C")
	require.False(t, ok)
	require.Equal(t, []kplan.Condition{b}, replicaset.RemoveCondition(list, "A"), "all of them")
	require.Nil(t, replicaset.RemoveCondition(list[:1], "A"))
	require.Equal(t, list, replicaset.SetCondition(list, a2), "the same status and reason change nothing")
	other := kplan.Condition{Type: "A", Reason: "R"}
	require.Equal(t, []kplan.Condition{b, other}, replicaset.SetCondition(list, other))
	require.Equal(t, []kplan.Condition{other}, replicaset.SetCondition(nil, other))
}

func TestRetryDelay(t *testing.T) {
	for failures, want := range map[int]time.Duration{
		-1: 0, 0: 0, 1: 5 * time.Millisecond, 2: 10 * time.Millisecond, 5: 80 * time.Millisecond, 18: 655_360 * time.Millisecond, 19: 1000 * time.Second, 1 << 30: 1000 * time.Second,
	} {
		require.Equal(t, want, replicaset.RetryDelay(failures), failures)
	}
}

// A pod that is gone before its adoption is not counted in the next plan, which is made at once:
// no other pod is deleted because of it.
func TestFinishOrphanGone(t *testing.T) {
	s := replicaset.Snapshot{ReplicaSet: web(1, selecting), Pods: []podorder.Pod{
		pod("gone", labelled("web"), orphan, readyAgo(1000*time.Second)), pod("mine", labelled("web"), readyAgo(10*time.Second)),
		pod("other", labelled("web"), orphan, readyAgo(0)), pod("strange", labelled("x")),
	}}
	p, err := replicaset.Reconcile(s, t0, replicaset.Options{})
	require.NoError(t, err)
	report := replicaset.Report{
		Expectations: p.Expect(s.Expectations, t0),
		Claims:       []kplan.Outcome{{Answer: kplan.NotFound}, {Answer: kplan.Done, ResourceVersion: "7"}, {Answer: kplan.Done}},
	}
	r := replicaset.FinishPlan(s, p, report, t0, replicaset.Options{})
	require.ErrorIs(t, r.Err, kplan.ErrGone)
	require.False(t, r.WriteStatus)
	require.Equal(t, s.Expectations, r.Expectations)
	require.Empty(t, r.Events)
	require.Len(t, r.Again.Pods, 4)
	require.NotContains(t, []string{s.ReplicaSet.UID, ""}, r.Again.Pods[0].ControllerUID)
	require.Equal(t, []string{s.ReplicaSet.UID, "7"}, []string{r.Again.Pods[2].ControllerUID, r.Again.Pods[2].ResourceVersion})
	require.Empty(t, r.Again.Pods[3].ControllerUID, "released")
	require.Len(t, s.Pods, 4)
	require.Empty(t, s.Pods[2].ControllerUID)
	next, err := replicaset.Reconcile(*r.Again, t0, replicaset.Options{})
	require.NoError(t, err)
	require.Len(t, next.Actions, 1)
	require.Equal(t, "other", next.Actions[0].(replicaset.DeletePod).Name)
	require.Equal(t, "7", next.Actions[0].(replicaset.DeletePod).ResourceVersion)

	report.Claims[1] = failed(errOther)
	r = replicaset.FinishPlan(s, p, report, t0, replicaset.Options{})
	require.ErrorIs(t, r.Err, errOther)
	require.Nil(t, r.Again)
}

// A pod that is gone before it can be adopted is still in the cache from which upstream
// lists neighbours, and so is one that was released and a sibling selects. On n1 are a and
// what only the cache has, on n2 b alone: a goes, though b is younger.
func TestFinishGoneIsNeighbour(t *testing.T) {
	sibling := web(1)
	sibling.Name, sibling.UID, sibling.Selector = "sibling", "sibling", &selector.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
	for name, left := range map[string]podorder.Pod{
		"gone":     pod("gone", labelled("web"), orphan, on("n1")),
		"released": pod("strange", labelled("x"), on("n1")),
	} {
		s := replicaset.Snapshot{ReplicaSet: web(1, selecting), Siblings: []replicaset.ReplicaSet{sibling}, Pods: []podorder.Pod{
			pod("a", labelled("web"), readyAgo(1000*time.Second), on("n1")), pod("b", labelled("web"), readyAgo(10*time.Second), on("n2")), left,
			pod("lost", labelled("web"), orphan, on("n3")),
		}}
		s.ReplicaSet.ControllerUID, s.Siblings[0].ControllerUID = "d", "d"
		p, err := replicaset.Reconcile(s, t0, replicaset.Options{})
		require.NoError(t, err)
		var claims []kplan.Outcome
		for _, a := range p.Actions {
			switch a.(type) {
			case replicaset.AdoptPod:
				claims = append(claims, kplan.Outcome{Answer: kplan.NotFound})
			case replicaset.ReleasePod:
				claims = append(claims, kplan.Outcome{Answer: kplan.Done})
			}
		}
		r := replicaset.FinishPlan(s, p, replicaset.Report{Expectations: p.Expect(s.Expectations, t0), Claims: claims}, t0, replicaset.Options{})
		require.NotNil(t, r.Again, name)
		next, err := replicaset.Reconcile(*r.Again, t0, replicaset.Options{})
		require.NoError(t, err)
		require.Len(t, next.Actions, 1, name)
		require.Equal(t, "a", next.Actions[0].(replicaset.DeletePod).Name, name)
	}
}
