// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

var errBoom = errors.New("boom")

// created finishes a plan that creates, and nothing else.
func created(s deploy.Snapshot, a deploy.CreateReplicaSet, o kplan.Outcome) deploy.Result {
	p := deploy.Plan{Actions: deploy.Actions{a}, Status: s.Deployment.Status}
	return deploy.FinishPlan(s, p, deploy.Report{Outcomes: []kplan.Outcome{o}}, t0, deploy.Options{})
}

// outcomes are those of a plan of which the first n actions were carried out, and the next
// one answered.
func outcomes(n int, next ...kplan.Outcome) deploy.Report {
	var r deploy.Report
	for range n {
		r.Outcomes = append(r.Outcomes, kplan.Outcome{Answer: kplan.Done})
	}
	r.Outcomes = append(r.Outcomes, next...)
	return r
}

var boom = kplan.Outcome{Answer: kplan.Failed, Err: errBoom}

func TestFinishNameTaken(t *testing.T) {
	foreign := set(2, 1, controlled("other"))
	other := set(7, 1, func(rs *replicaset.ReplicaSet) { rs.Name = "web-v2" })
	duplicate := set(2, 1)
	collided := func(n int32) func(*deploy.Deployment) {
		return func(d *deploy.Deployment) { d.Status.CollisionCount = &n }
	}
	for _, c := range []struct {
		why        string
		d          deploy.Deployment
		sets       []replicaset.ReplicaSet
		answer     kplan.ServerAnswer
		revision   string
		collisions *int32
		retry      bool
	}{
		{"it worked: the plan supposed so", web(3), nil, kplan.Done, "", nil, false},
		{"the namespace goes", web(3), nil, kplan.NamespaceTerminating, "", nil, false},
		{"taken, by whom is not known yet", web(3), nil, kplan.AlreadyExists, "", nil, true},
		{"taken by a stranger", web(3), []replicaset.ReplicaSet{foreign}, kplan.AlreadyExists, "", ptr.To(int32(1)), true},
		{"taken by another template", web(3, collided(4)), []replicaset.ReplicaSet{other}, kplan.AlreadyExists, "", ptr.To(int32(5)), true},
		{"the count ends", web(3, collided(math.MaxInt32)), []replicaset.ReplicaSet{other}, kplan.AlreadyExists, "", ptr.To(int32(math.MaxInt32)), true},
		{"it is the one", web(3), []replicaset.ReplicaSet{duplicate}, kplan.AlreadyExists, "3", nil, true},
	} {
		s := deploy.Snapshot{Deployment: c.d, ReplicaSets: c.sets}
		r := created(s, deploy.CreateReplicaSet{Name: "web-v2", Revision: 3}, kplan.Outcome{Answer: c.answer})
		requireEqual(t, c.why, c.revision, r.Annotations[revision.AnnotationRevision])
		requireEqual(t, c.why, c.collisions, r.Status.CollisionCount)
		requireEqual(t, c.why, c.retry, r.Err != nil)
		require.Empty(t, r.Events, c.why)
	}
}

// A name that the cache shows as taken may be free by now. Then the ReplicaSet is created,
// and what upstream writes and says of that at once is so here: there is no other pass that
// would make up for the event and the condition.
func TestFinishNameFree(t *testing.T) {
	s := snapshot(web(3, deadline(60), limits(0, 1)), set(1, 3), set(7, 3, func(rs *replicaset.ReplicaSet) { rs.Name = "web-v2" }, controlled("other")))
	s.Deployment.Template.ID, s.Deployment.Template.Hash = "v2", "v2"
	p := reconcile(t, s)
	require.Equal(t, []string{"web-v2 NameTaken 0/0"}, holds(p))
	p.Actions[0] = deploy.CreateReplicaSet{Name: "web-v2", Replicas: 1, Revision: 2}
	r := deploy.FinishPlan(s, p, outcomes(1), t0, deploy.Options{})
	require.NoError(t, r.Err)
	require.Equal(t, []kplan.Event{{Action: 0, Type: "Normal", Reason: "ScalingReplicaSet", Message: "Scaled up replica set web-v2 from 0 to 1"}}, r.Events)
	require.Equal(t, "2", r.Annotations[revision.AnnotationRevision])
	require.True(t, r.WriteStatus)
	require.Equal(t, s.Deployment.Status.ObservedGeneration, r.Status.ObservedGeneration, "the numbers are left to the next pass")
	require.Len(t, r.Status.Conditions, 1)
	require.Equal(t, `Created new replica set "web-v2"`, r.Status.Conditions[0].Message)
	require.Equal(t, t0.Add(time.Minute+1), r.RecheckAt, "the deadline of the new ReplicaSet")

	p.Actions[0] = deploy.CreateReplicaSet{Name: "web-v2", Revision: 2}
	r = deploy.FinishPlan(s, p, outcomes(1), t0, deploy.Options{})
	require.Empty(t, r.Events, "one of no size")
	r = deploy.FinishPlan(s, p, outcomes(0, kplan.Outcome{Answer: kplan.AlreadyExists}), t0, deploy.Options{})
	require.Error(t, r.Err)
	require.Empty(t, r.Annotations[revision.AnnotationRevision])
}

func TestFinishNotCreated(t *testing.T) {
	text := `Failed to create new replica set "foo-686d984dd": boom`
	create := deploy.CreateReplicaSet{Name: "foo-686d984dd"}
	r := created(snapshot(web(3, deadline(60))), create, boom)
	require.ErrorIs(t, r.Err, errBoom)
	require.True(t, r.WriteStatus)
	c := condition(r.Status, deploy.ConditionProgressing)
	require.Equal(t, []string{"False", "ReplicaSetCreateError", text}, []string{string(c.Status), c.Reason, c.Message})
	requireEqual(t, "the event", []kplan.Event{{Action: 0, Type: "Warning", Reason: "ReplicaSetCreateError", Message: text}}, r.Events)
	require.Equal(t, []kplan.Hold{{Name: "foo-686d984dd", Reason: reason.CreateFailed}}, r.Holds)
	produce(deploy.Plan{Holds: r.Holds})

	r = created(snapshot(web(3)), create, boom)
	require.Empty(t, r.Status.Conditions, "without a deadline there is no condition")
	require.Len(t, r.Events, 1)
}

// The status is written although an old ReplicaSet cannot be shrunk, as upstream does: only
// so it is ever seen that the deadline has passed. Other scalings end the pass without it.
func TestFinishScalingRefused(t *testing.T) {
	s := snapshot(web(4, limits(1, 1), deadline(60)), set(1, 4, counts(4, 4)), set(2, 1, counts(1, 1)))
	p := reconcile(t, s)
	shrink := -1
	for i, a := range p.Actions {
		if a, ok := a.(deploy.ScaleReplicaSet); ok && a.Name == "web-v1" {
			shrink = i
		}
	}
	require.GreaterOrEqual(t, shrink, 0, p)
	r := deploy.FinishPlan(s, p, outcomes(shrink, boom), t0, deploy.Options{})
	require.ErrorIs(t, r.Err, errBoom)
	require.True(t, r.WriteStatus)
	requireEqual(t, "the status of the plan", p.Status, r.Status)
	require.Empty(t, r.Events, "nothing was scaled")
	require.Equal(t, p.RecheckAt, r.RecheckAt, "the deadline, which may be later than the last retry")
	require.NotZero(t, r.RecheckAt)

	s = snapshot(web(4, limits(1, 1), deadline(60)), set(1, 4, counts(4, 4)), set(2, 0))
	p = reconcile(t, s)
	grow := len(p.Actions) - 1
	require.Equal(t, "web-v2", p.Actions[grow].(deploy.ScaleReplicaSet).Name)
	r = deploy.FinishPlan(s, p, outcomes(grow, boom), t0, deploy.Options{})
	require.ErrorIs(t, r.Err, errBoom)
	require.NotEqual(t, p.Status.Replicas, r.Status.Replicas)
	require.Equal(t, s.Deployment.Status.Replicas, r.Status.Replicas, "the counts stay as they were")
}

// With the sizes after the plan counted, those that were not written do not count.
func TestFinishRecounts(t *testing.T) {
	opts := deploy.Options{Repair: quirk.All}
	s := snapshot(web(4, limits(1, 1)), set(1, 4, counts(4, 3)), set(2, 1, counts(1, 1)))
	p, err := deploy.Reconcile(s, t0, opts)
	require.NoError(t, err)
	require.Equal(t, "web-v1", p.Actions[len(p.Actions)-1].(deploy.ScaleReplicaSet).Name)
	r := deploy.FinishPlan(s, p, outcomes(len(p.Actions)-1, boom), t0, opts)
	require.Equal(t, []int32{0, 1}, []int32{p.Status.UnavailableReplicas, r.Status.UnavailableReplicas})
}

// An orphan counts with its own size, even if somebody else's ReplicaSet is said to have its UID.
func TestFinishRecountsAdopted(t *testing.T) {
	opts := deploy.Options{Repair: quirk.All}
	orphan, foreign := set(1, 4, counts(4, 3), labelled("web"), controlled("")), set(3, 2, counts(2, 2), labelled("web"), controlled("other"))
	foreign.UID = orphan.UID
	newest := set(2, 1, counts(1, 1), labelled("web"))
	for _, sets := range [][]replicaset.ReplicaSet{{orphan, foreign, newest}, {foreign, orphan, newest}} {
		s := snapshot(web(4, limits(1, 1), selects(map[string]string{"app": "web"})), sets...)
		p, err := deploy.Reconcile(s, t0, opts)
		require.NoError(t, err)
		r := deploy.FinishPlan(s, p, outcomes(len(p.Actions)-1, boom), t0, opts)
		require.Equal(t, int32(1), r.Status.UnavailableReplicas, p)
	}
}

// An orphan that is gone is left out of the next plan, which is made at once; nobody else
// is shrunk because of it.
func TestFinishOrphanGone(t *testing.T) {
	gone, stays := set(1, 4, counts(4, 4), labelled("web"), controlled("")), set(3, 0, labelled("web"), controlled(""))
	s := snapshot(web(4, selects(map[string]string{"app": "web"})), gone, set(2, 4, counts(4, 4), labelled("web")), stays)
	p := reconcile(t, s)
	report := deploy.Report{}
	for _, a := range p.Actions {
		o := kplan.Outcome{}
		if a, ok := a.(deploy.AdoptReplicaSet); ok {
			if o = (kplan.Outcome{Answer: kplan.Done, ResourceVersion: "77"}); a.Name == gone.Name {
				o = kplan.Outcome{Answer: kplan.NotFound}
			}
		}
		report.Outcomes = append(report.Outcomes, o)
	}
	r := deploy.FinishPlan(s, p, report, t0, deploy.Options{})
	require.ErrorIs(t, r.Err, kplan.ErrGone)
	require.False(t, r.WriteStatus)
	require.NotNil(t, r.Again)
	require.Len(t, r.Again.ReplicaSets, 2)
	require.Len(t, s.ReplicaSets, 3)
	adopted := r.Again.ReplicaSets[1]
	require.Equal(t, []string{"Deployment", "web", "web-uid", "77"}, []string{adopted.ControllerKind, adopted.ControllerName, adopted.ControllerUID, adopted.ResourceVersion})
	for _, a := range reconcile(t, *r.Again).Actions {
		require.NotContains(t, a.String(), "Adopted")
	}

	report.Outcomes[0], report.Outcomes[1] = kplan.Outcome{Answer: kplan.NotFound}, boom
	r = deploy.FinishPlan(s, p, report, t0, deploy.Options{})
	require.ErrorIs(t, r.Err, errBoom)
	require.Nil(t, r.Again, "a failed claim ends the pass")
	require.False(t, r.WriteStatus)

	report.LiveCheck = errBoom
	require.ErrorContains(t, deploy.FinishPlan(s, p, report, t0, deploy.Options{}).Err, "can't adopt ReplicaSet web-v1")
}

// A ReplicaSet that is released stays in the next snapshot without a controller, unless it is gone:
// its name is taken for the new one.
func TestFinishOrphanGoneAfterRelease(t *testing.T) {
	gone, released := set(1, 4, counts(4, 4), labelled("web"), controlled("")), set(3, 2, labelled("other"))
	s := snapshot(web(4, selects(map[string]string{"app": "web"}), template("v3")), gone, set(2, 4, counts(4, 4), labelled("web")), released)
	s.Deployment.Template.ID, s.ReplicaSets[2].Template.ID = "v4", "v0"
	p := reconcile(t, s)
	for _, c := range []struct {
		answer kplan.ServerAnswer
		want   []string
	}{
		{kplan.Done, []string{"web-v3 NameTaken 0/0"}},
		{kplan.Invalid, []string{"web-v3 NameTaken 0/0"}},
		{kplan.NotFound, nil},
	} {
		report := deploy.Report{}
		for _, a := range p.Actions {
			o := kplan.Outcome{}
			switch a.(type) {
			case deploy.AdoptReplicaSet:
				o.Answer = kplan.NotFound
			case deploy.ReleaseReplicaSet:
				o = kplan.Outcome{Answer: c.answer, ResourceVersion: "78"}
			}
			report.Outcomes = append(report.Outcomes, o)
		}
		r := deploy.FinishPlan(s, p, report, t0, deploy.Options{})
		require.NotNil(t, r.Again)
		next := reconcile(t, *r.Again)
		require.Equal(t, c.want != nil, len(r.Again.ReplicaSets) == 2, c.answer)
		if c.want == nil {
			require.NotContains(t, next.String(), "NameTaken")
			continue
		}
		orphan := r.Again.ReplicaSets[1]
		require.Equal(t, []string{"web-v3", "", "", "", "78"}, []string{orphan.Name, orphan.ControllerKind, orphan.ControllerName, orphan.ControllerUID, orphan.ResourceVersion})
		require.Equal(t, c.want, holds(next), c.answer)
		require.Len(t, next.Actions, 1, "it is neither adopted nor released again")
		require.Equal(t, "web-uid", s.ReplicaSets[2].ControllerUID)
	}
}

// What was set before a failure is written: the revision, and that the ReplicaSet is there.
func TestFinishLater(t *testing.T) {
	s := snapshot(web(3, deadline(60), limits(1, 0)), set(1, 3, counts(3, 3)))
	p := reconcile(t, s)
	p.Actions = append(p.Actions, deploy.DeleteReplicaSet{Name: "web-v1"})
	r := deploy.FinishPlan(s, p, outcomes(len(p.Actions)-1, boom), t0, deploy.Options{})
	require.Equal(t, "NewReplicaSetCreated", condition(r.Status, deploy.ConditionProgressing).Reason)
	require.NotEmpty(t, r.Annotations[revision.AnnotationRevision])
	require.True(t, r.WriteStatus)
	require.Len(t, r.Events, 1, "that it was scaled up")
	require.Empty(t, s.Deployment.Annotations[revision.AnnotationRevision])

	r = deploy.FinishPlan(s, p, outcomes(len(p.Actions)-1, kplan.Outcome{Answer: kplan.NotFound}), t0, deploy.Options{})
	require.NoError(t, r.Err, "it was to go")
	requireEqual(t, "the status", p.Status, r.Status)
	require.Equal(t, p.RecheckAt, r.RecheckAt)
	require.Equal(t, p.Events, r.Events)
}

// The status goes over what a rollback has left, and keeps its annotations.
func TestFinishRollback(t *testing.T) {
	s := snapshot(web(3, func(d *deploy.Deployment) {
		d.Annotations = map[string]string{revision.AnnotationRollback: "1", "a": "b"}
		d.ResourceVersion = "9"
	}), set(1, 0), set(2, 3))
	p := deploy.Plan{
		Actions: deploy.Actions{deploy.RollBackDeployment{Name: "web-v1", Annotations: map[string]string{"x": "y"}}},
		Status:  s.Deployment.Status, Events: []kplan.Event{{Action: 0, Reason: "done"}},
	}
	r := deploy.FinishPlan(s, p, outcomes(0, kplan.Outcome{Answer: kplan.Done, ResourceVersion: "10"}), t0, deploy.Options{})
	require.Equal(t, "10", r.ResourceVersion)
	require.Equal(t, map[string]string{"x": "y"}, r.Annotations)
	require.False(t, r.WriteStatus, "they are there already")
	require.Len(t, r.Events, 1)

	p.Actions = deploy.Actions{deploy.ClearRollback{}}
	p.Events = []kplan.Event{{Action: -1, Reason: "not found"}, {Action: 0, Reason: "cleared"}}
	r = deploy.FinishPlan(s, p, outcomes(0, boom), t0, deploy.Options{})
	require.Equal(t, []kplan.Event{{Action: -1, Reason: "not found"}}, r.Events)
	require.Equal(t, "9", r.ResourceVersion)
	r = deploy.FinishPlan(s, p, outcomes(1), t0, deploy.Options{})
	require.Equal(t, map[string]string{"a": "b"}, r.Annotations)
	require.False(t, r.WriteStatus)
}

// Each event of a plan names the action that it tells of.
func TestPropertyEventsNameActions(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anything(t)
		p, err := deploy.Reconcile(s, t0, deploy.Options{PausePoints: rapid.Bool().Draw(t, "points")})
		if err != nil {
			return
		}
		for _, e := range p.Events {
			if e.Action == -1 {
				continue
			}
			switch a := p.Actions[e.Action].(type) {
			case deploy.ScaleReplicaSet, deploy.CreateReplicaSet:
				if e.Reason != "ScalingReplicaSet" {
					t.Fatalf("%v: %v", a, e)
				}
			case deploy.PauseDeployment:
				if e.Reason != "PausePointReached" {
					t.Fatalf("%v: %v", a, e)
				}
			case deploy.RollBackDeployment:
				if e.Type != "Normal" {
					t.Fatalf("%v: %v", a, e)
				}
			default:
				t.Fatalf("%v: %v", a, e)
			}
		}
	})
}

// TestPropertyFinishPure: what follows a plan is as pure as the plan.
func TestPropertyFinishPure(t *testing.T) {
	check(t, func(t *rapid.T) {
		c := unfinished{
			Failed: rapid.IntRange(0, 4).Draw(t, "failed"),
			Answer: rapid.SampledFrom([]kplan.ServerAnswer{kplan.Done, kplan.AlreadyExists, kplan.NamespaceTerminating, kplan.Failed}).Draw(t, "answer"),
		}
		purity.Check(t, anything(t), func(s deploy.Snapshot) (finish, error) {
			with := c
			with.Snapshot = s
			return with.finish()
		}, "ReplicaSets", "Pods")
	})
}

// The repetitions of a pass that always fails are over within three minutes.
func TestMaxRetries(t *testing.T) {
	sum := time.Duration(0)
	for failures := range deploy.MaxRetries {
		sum += replicaset.RetryDelay(1 + failures)
	}
	require.Equal(t, 5*(1<<15-1)*time.Millisecond, sum, "5 ms, doubled 14 times")
	require.Equal(t, 164*time.Second, sum.Round(time.Second))
}
