// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
)

var errBoom = errors.New("boom")

func done(names ...string) (list []kplan.Outcome) {
	for _, name := range names {
		list = append(list, kplan.Outcome{Answer: kplan.Done, Name: name})
	}
	return list
}

var boom = kplan.Outcome{Answer: kplan.Failed, Err: errBoom}

func object(name string) daemonset.Object { return daemonset.Object{Name: name, UID: name + "-uid"} }

// pods is a plan that creates three pods, deletes three and then an old revision.
func podPlan() daemonset.Plan {
	p := daemonset.Plan{
		Status:  daemonset.Status{NumberReady: 7},
		Events:  []kplan.Event{{Action: -1, Reason: "Found"}},
		Backoff: daemonset.Backoff{{Delay: time.Second}}, RecheckAt: t0.Add(time.Minute),
	}
	for _, n := range []string{"n1", "n2", "n3"} {
		p.Actions = append(p.Actions, daemonset.CreatePod{Node: n})
	}
	for _, n := range []string{"a", "b", "c"} {
		p.Actions = append(p.Actions, daemonset.DeletePod{Object: object(n)})
	}
	p.Actions = append(p.Actions, daemonset.DeleteRevision{Object: object("rev"), Reason: reason.HistoryLimit})
	return p
}

func TestFinish(t *testing.T) {
	p, s := podPlan(), cluster(1)
	e := p.Expect(expect.Expectations{}, t0)
	require.Equal(t, int64(3), e.Creations)
	require.Equal(t, []string{"a", "b", "c"}, e.Pending)
	require.Equal(t, e, daemonset.Plan{}.Expect(e, t0.Add(1)))

	r := daemonset.FinishPlan(s, p, daemonset.Report{Outcomes: done("x", "y", "z", "", "", "", ""), Expectations: e}, t0, daemonset.Options{})
	require.NoError(t, r.Err)
	require.True(t, r.WriteStatus)
	require.Equal(t, p.Status, r.Status)
	require.Equal(t, e, r.Expectations)
	require.Equal(t, p.Backoff, r.Backoff)
	require.Equal(t, p.RecheckAt, r.RecheckAt)
	require.Equal(t, []kplan.Event{
		{Action: -1, Reason: "Found"},
		{Action: 0, Type: "Normal", Reason: "SuccessfulCreate", Message: "Created pod: x"},
		{Action: 1, Type: "Normal", Reason: "SuccessfulCreate", Message: "Created pod: y"},
		{Action: 2, Type: "Normal", Reason: "SuccessfulCreate", Message: "Created pod: z"},
		{Action: 3, Type: "Normal", Reason: "SuccessfulDelete", Message: "Deleted pod: a"},
		{Action: 4, Type: "Normal", Reason: "SuccessfulDelete", Message: "Deleted pod: b"},
		{Action: 5, Type: "Normal", Reason: "SuccessfulDelete", Message: "Deleted pod: c"},
	}, r.Events)
	s.DaemonSet.Status = p.Status
	require.False(t, daemonset.FinishPlan(s, p, daemonset.Report{Outcomes: done("x", "y", "z", "", "", "", "")}, t0, daemonset.Options{}).WriteStatus)
}

// After pods that failed the status is written, and what nobody will see is not expected.
func TestFinishPodsFailed(t *testing.T) {
	p := podPlan()
	outcomes := append(done("x"), boom, kplan.Outcome{}, done("")[0], boom, kplan.Outcome{Answer: kplan.NotFound}, kplan.Outcome{})
	r := daemonset.FinishPlan(cluster(1), p, daemonset.Report{Outcomes: outcomes, Expectations: p.Expect(expect.Expectations{}, t0)}, t0, daemonset.Options{})
	require.ErrorIs(t, r.Err, errBoom)
	require.Len(t, r.Errs, 2)
	require.EqualError(t, r.Errs[1], "unable to delete pods: boom")
	require.True(t, r.WriteStatus)
	require.Equal(t, int64(1), r.Expectations.Creations)
	require.Equal(t, []string{"a"}, r.Expectations.Pending)
	require.Zero(t, r.RecheckAt)
	require.Equal(t, p.Backoff, r.Backoff)
	require.Equal(t, []kplan.Event{
		{Action: -1, Reason: "Found"},
		{Action: 0, Type: "Normal", Reason: "SuccessfulCreate", Message: "Created pod: x"},
		{Action: 1, Type: "Warning", Reason: "FailedCreate", Message: "Error creating: boom"},
		{Action: 3, Type: "Normal", Reason: "SuccessfulDelete", Message: "Deleted pod: a"},
		{Action: 4, Type: "Warning", Reason: "FailedDelete", Message: "Error deleting: boom"},
	}, r.Events)
}

// A namespace that goes is no failure; upstream waits for its pods all the same.
func TestFinishNamespaceTerminating(t *testing.T) {
	p := daemonset.Plan{Actions: daemonset.Actions{daemonset.CreatePod{Node: "n1"}}}
	for repair, want := range map[quirk.Set]int64{0: 1, quirk.TerminatingNamespaceRaisesExpectations: 0} {
		report := daemonset.Report{Outcomes: []kplan.Outcome{{Answer: kplan.NamespaceTerminating}}, Expectations: p.Expect(expect.Expectations{}, t0)}
		r := daemonset.FinishPlan(cluster(1), p, report, t0, daemonset.Options{Repair: repair})
		require.NoError(t, r.Err)
		require.Empty(t, r.Events)
		require.Equal(t, want, r.Expectations.Creations)
	}
}

// After an action about a revision, or a claim, that failed nothing of the plan counts.
func TestFinishStopped(t *testing.T) {
	for _, a := range []daemonset.Action{
		daemonset.AdoptPod{Object: object("a")}, daemonset.ReleasePod{Object: object("a")}, daemonset.AdoptRevision{Object: object("a")},
		daemonset.CreateRevision{Name: "a"}, daemonset.UpdateRevision{Object: object("a")}, daemonset.RelabelPod{Object: object("a")},
		daemonset.DeleteRevision{Object: object("a"), Reason: reason.Duplicate},
	} {
		p, s := podPlan(), cluster(1)
		p.Actions = append(daemonset.Actions{a}, p.Actions...)
		report := daemonset.Report{Outcomes: []kplan.Outcome{boom}, Expectations: p.Expect(expect.Expectations{}, t0)}
		r := daemonset.FinishPlan(s, p, report, t0, daemonset.Options{})
		require.ErrorIs(t, r.Err, errBoom, "%T", a)
		require.False(t, r.WriteStatus, "%T", a)
		require.Empty(t, r.Events, "%T", a)
		require.Empty(t, r.Backoff, "%T", a)
		require.True(t, r.Expectations.Fulfilled(), "%T", a)
		require.Nil(t, r.Again, "%T", a)
	}
	p := daemonset.Plan{Actions: daemonset.Actions{daemonset.AdoptPod{Object: object("a")}}}
	r := daemonset.FinishPlan(cluster(1), p, daemonset.Report{LiveCheck: errBoom, Outcomes: make([]kplan.Outcome, 1)}, t0, daemonset.Options{})
	require.EqualError(t, r.Err, "can't adopt Pod a (a-uid): boom")
}

// A history that could not be cut is an error, and the status is written.
func TestFinishHistory(t *testing.T) {
	p := podPlan()
	r := daemonset.FinishPlan(cluster(1), p, daemonset.Report{Outcomes: append(done("x", "y", "z", "", "", ""), boom)}, t0, daemonset.Options{})
	require.ErrorIs(t, r.Err, errBoom)
	require.True(t, r.WriteStatus)
}

func TestFinishCollision(t *testing.T) {
	s := cluster(1)
	s.DaemonSet.Status.NumberReady = 5
	p := daemonset.Plan{Actions: daemonset.Actions{daemonset.CreateRevision{Name: "a"}}, Status: daemonset.Status{NumberReady: 7}}
	r := daemonset.FinishPlan(s, p, daemonset.Report{Outcomes: []kplan.Outcome{{Answer: kplan.AlreadyExists}}, Collisions: ptr.To(int32(2))}, t0, daemonset.Options{})
	require.Error(t, r.Err)
	require.True(t, r.WriteStatus)
	require.Equal(t, []any{int32(5), ptr.To(int32(2))}, []any{r.Status.NumberReady, r.Status.CollisionCount})
}

// While writes are not seen, the pass is repeated when they are given up.
func TestFinishUnseen(t *testing.T) {
	s := with(cluster(1), func(s *daemonset.Snapshot) { s.Unseen = true })
	report := daemonset.Report{Expectations: expect.Creations(1, t0)}
	at := daemonset.FinishPlan(s, daemonset.Plan{}, report, t0, daemonset.Options{}).RecheckAt
	require.Equal(t, t0.Add(expect.Timeout+1), at)
	sooner := daemonset.Plan{RecheckAt: t0.Add(time.Second)}
	require.Equal(t, sooner.RecheckAt, daemonset.FinishPlan(s, sooner, report, t0, daemonset.Options{}).RecheckAt)
}

// What is gone before it can be adopted is left out of the next plan, and what was done
// until then is in it.
func TestFinishOrphanGone(t *testing.T) {
	s := cluster(1, pod("gone", "n1", "v1"), pod("own", "n1", "v1"), pod("other", "n1", "v1"), pod("free", "n1", "v1"))
	for i := range s.Pods {
		s.Pods[i].ControllerUID = ""
	}
	s.Revisions = []revision.ControllerRevision{{Name: "rev", UID: "rev-uid", Revision: 1}, {Name: "dup", UID: "dup-uid"}}
	of := func(i int) daemonset.Object { return daemonset.Object{Name: s.Pods[i].Name, UID: s.Pods[i].UID} }
	p := daemonset.Plan{Status: daemonset.Status{NumberReady: 7}, Actions: daemonset.Actions{
		daemonset.AdoptRevision{Object: object("rev")}, daemonset.RelabelPod{Object: of(1), To: "h"},
		daemonset.DeleteRevision{Object: object("dup"), Reason: reason.Duplicate},
		daemonset.UpdateRevision{Object: object("rev"), To: 3, Hash: "h"}, daemonset.CreateRevision{Name: "new"},
		daemonset.AdoptPod{Object: of(0)}, daemonset.AdoptPod{Object: of(2)}, daemonset.ReleasePod{Object: of(3)},
		daemonset.DeletePod{Object: of(1)},
	}}
	outcomes := done("", "", "", "", "new", "", "", "")
	outcomes[5] = kplan.Outcome{Answer: kplan.NotFound}
	outcomes[3].ResourceVersion, outcomes[4].UID, outcomes[6].ResourceVersion = "8", "new-uid", "9"
	report := daemonset.Report{Outcomes: outcomes, Expectations: p.Expect(expect.Expectations{}, t0)}
	r := daemonset.FinishPlan(s, p, report, t0, daemonset.Options{})
	require.ErrorIs(t, r.Err, kplan.ErrGone)
	require.False(t, r.WriteStatus)
	require.True(t, r.Expectations.Fulfilled(), "nothing was deleted")
	require.Len(t, r.Again.Pods, 2)
	own, other := r.Again.Pods[0], r.Again.Pods[1]
	require.Equal(t, []string{"own", "h", "other", s.DaemonSet.UID, "9"}, []string{own.Name, own.Labels[daemonset.LabelHash], other.Name, other.ControllerUID, other.ResourceVersion})
	require.Len(t, r.Again.Revisions, 2)
	rev, fresh := r.Again.Revisions[0], r.Again.Revisions[1]
	require.Equal(t, []any{"rev", int64(3), "h", s.DaemonSet.UID, "8"}, []any{rev.Name, rev.Revision, rev.Labels[daemonset.LabelHash], rev.ControllerUID, rev.ResourceVersion})
	require.Equal(t, []string{"new", "new-uid", s.DaemonSet.UID}, []string{fresh.Name, fresh.UID, fresh.ControllerUID})
	require.Len(t, s.Pods, 4)
	require.Equal(t, int64(1), s.Revisions[0].Revision)

	outcomes[6] = boom
	r = daemonset.FinishPlan(s, p, report, t0, daemonset.Options{})
	require.ErrorIs(t, r.Err, errBoom)
	require.Nil(t, r.Again)
}

// Pods of an old revision name it; others take the present template.
func TestCreatePodNamesRevision(t *testing.T) {
	require.Equal(t, "ns/p", func() string {
		s := with(cluster(1, pod("p", "n1", "v1", failed)), func(s *daemonset.Snapshot) { s.DaemonSet.Namespace = "ns" })
		for _, e := range mustPlan(t, s, daemonset.Options{}).Events {
			return e.Message[len("Found failed daemon pod ") : len("Found failed daemon pod ")+4]
		}
		return ""
	}())
	for _, a := range mustPlan(t, cluster(1), daemonset.Options{KeepUserTolerations: true}).Actions {
		if a, ok := a.(daemonset.CreatePod); ok {
			require.True(t, a.KeepTolerations)
			require.Empty(t, a.Revision)
		}
	}
}

// An unfinished is a plan of which one action was not carried out.
type unfinished struct {
	Snapshot daemonset.Snapshot `json:"snapshot"`
	Failed   int                `json:"failed"`
	Answer   kplan.ServerAnswer `json:"answer"`
}

// A finished is what can be compared of a result.
type finished struct {
	Status      daemonset.Status  `json:"status"`
	WriteStatus bool              `json:"writeStatus,omitzero"`
	Events      []kplan.Event     `json:"events,omitempty"`
	Backoff     daemonset.Backoff `json:"backoff"`
	Err         string            `json:"err,omitzero"`
}

func FuzzFinish(f *testing.F) {
	purity.Fuzz(f, kplan.ErrInvalid, func(c unfinished) (finished, error) {
		p, err := daemonset.Reconcile(c.Snapshot, t0, daemonset.Options{})
		if err != nil {
			return finished{}, err
		}
		report := daemonset.Report{Outcomes: make([]kplan.Outcome, len(p.Actions))}
		for i := range report.Outcomes {
			if report.Outcomes[i].Answer = kplan.Done; i == c.Failed {
				report.Outcomes[i].Answer = c.Answer
			}
		}
		r := daemonset.FinishPlan(c.Snapshot, p, report, t0, daemonset.Options{})
		if r.Again != nil && len(r.Again.Pods)+len(r.Again.Revisions) > len(c.Snapshot.Pods)+len(c.Snapshot.Revisions) {
			panic("there is more than before")
		}
		done := finished{r.Status, r.WriteStatus, r.Events, r.Backoff, ""}
		if r.Err != nil {
			done.Err = r.Err.Error()
		}
		return done, nil
	}, unfinished{cluster(3), 0, kplan.Failed}, unfinished{cluster(2, olds(2)...), 0, kplan.NotFound})
}
