// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/verify/total"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/quirk"
	"github.com/kplan-go/kplan/selector"
)

// A passed is all that comes of a pass: the plan, what follows from the report, or the
// error instead of both.
type passed struct {
	Plan   replicaset.Plan
	Result replicaset.Result
	Err    string // of Reconcile
	First  string // error of the pass
	Failed string // all of them
}

// pass plans for s and ends the pass with the report.
func pass(s replicaset.Snapshot, r replicaset.Report, opts replicaset.Options) passed {
	p, err := replicaset.Reconcile(s, t0, opts)
	if err != nil {
		return passed{Err: err.Error()}
	}
	r.Expectations = p.Expect(s.Expectations, t0)
	o := passed{Plan: p, Result: replicaset.FinishPlan(s, p, r, t0, opts)}
	o.First, o.Failed = fmt.Sprint(o.Result.Err), fmt.Sprint(o.Result.Errs)
	o.Result.Err, o.Result.Errs = nil, nil
	return o
}

// A showcase is the smallest input that shows a quirk, and what differs.
type showcase struct {
	s              replicaset.Snapshot
	report         replicaset.Report
	asks           func(passed) string
	kept, repaired string
}

func failing(rs *replicaset.ReplicaSet) {
	rs.Status.Conditions = []kplan.Condition{{Type: replicaset.ConditionReplicaFailure, Status: kplan.ConditionTrue, Message: "old"}}
}

func near(rs *replicaset.ReplicaSet) {
	rs.Selector = &selector.LabelSelector{MatchExpressions: []selector.Expression{{Key: "app", Operator: "Near", Values: []string{"web"}}}}
}

func timeless(p *podorder.Pod) { p.ReadySince = time.Time{} }

func showcases() map[string]showcase {
	message := func(p passed) string {
		c, _ := replicaset.GetCondition(p.Result.Status.Conditions, replicaset.ConditionReplicaFailure)
		return c.Message
	}
	return map[string]showcase{
		"FailureConditionNotRefreshed": {
			replicaset.Snapshot{ReplicaSet: web(1, failing)}, replicaset.Report{Creates: []kplan.Outcome{failed(errQuota)}},
			message, "old", "exceeded quota",
		},
		"WaitingRemovesFailure": {
			replicaset.Snapshot{ReplicaSet: web(3, failing), Expectations: expect.Creations(1, t0)}, replicaset.Report{},
			message, "", "old",
		},
		"TerminatingNamespaceRaisesExpectations": {
			replicaset.Snapshot{ReplicaSet: web(1)}, replicaset.Report{Creates: []kplan.Outcome{{Answer: kplan.NamespaceTerminating}}},
			func(p passed) string { return fmt.Sprint(p.Result.Expectations.Creations, " ", p.Failed) }, "1 []", "0 []",
		},
		"UnusableSelectorIgnored": {
			replicaset.Snapshot{ReplicaSet: web(3, near)}, replicaset.Report{},
			func(p passed) string { path, _, _ := strings.Cut(p.Err, ":"); return path }, "", "ReplicaSet.Selector",
		},
		"RecheckWithoutReadyTime": {
			replicaset.Snapshot{ReplicaSet: web(1, minReady(10)), Pods: []podorder.Pod{pod("a", timeless)}}, replicaset.Report{},
			func(p passed) string {
				return fmt.Sprint(p.Plan.RecheckAt.Equal(t0.Add(10*time.Second)), p.Plan.RecheckAt.IsZero())
			},
			"true false", "false true",
		},
		"FailedClaimHidesStatus": {
			replicaset.Snapshot{ReplicaSet: web(1, selecting), Pods: []podorder.Pod{pod("a", labelled("web"), orphan)}},
			replicaset.Report{Claims: []kplan.Outcome{failed(errOther)}},
			func(p passed) string { return fmt.Sprint(p.Result.WriteStatus, p.Failed) }, "false[other]", "true[other]",
		},
	}
}

// TestQuirks: each row of the table has an input that shows it: see [total.Quirks].
func TestQuirks(t *testing.T) {
	cases := map[string]total.Showcase[quirk.Set]{}
	for name, c := range showcases() {
		cases[name] = total.Showcase[quirk.Set]{Kept: c.kept, Repaired: c.repaired, Answer: func(_ *testing.T, repair quirk.Set) string {
			return c.asks(pass(c.s, c.report, replicaset.Options{Repair: repair}))
		}}
	}
	total.Quirks(t, quirk.Table(), quirk.All, cases)
}

// TestQuirkNames: the set goes through text and JSON, and has a bit for each row.
func TestQuirkNames(t *testing.T) {
	var names []string
	for _, q := range quirk.Table() {
		names = append(names, q.Name)
	}
	all, err := quirk.Parse(names...)
	require.NoError(t, err)
	require.Equal(t, quirk.All, all)
	require.Equal(t, strings.Join(names, ","), all.String())
	require.True(t, all.Has(quirk.WaitingRemovesFailure|quirk.FailedClaimHidesStatus))
	require.False(t, quirk.WaitingRemovesFailure.Has(quirk.WaitingRemovesFailure|quirk.FailedClaimHidesStatus))
	_, err = quirk.Parse("Unknown")
	require.ErrorIs(t, err, kplan.ErrInvalid)
	_, err = replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: web(1)}, t0, replicaset.Options{Repair: quirk.All + 1})
	require.EqualError(t, err, `Options.Repair: "64": must not go beyond quirk.All`)
}

// TestFailureOfAnotherPod: the API server names each pod before it refuses it. A message that differs
// in the name alone changes nothing: each change of the status starts a pass.
func TestFailureOfAnotherPod(t *testing.T) {
	long := strings.Repeat("n", 70)
	for _, c := range []struct {
		set, old, now string
		changes       bool
	}{
		{"web", `pods "web-abcde" is forbidden: exceeded quota`, `pods "web-fghij" is forbidden: exceeded quota`, false},
		{"web", `pods "web-abcde" is forbidden: exceeded quota`, `pods "web-abcde" is forbidden: no token`, true},
		{"web", `pods "web-abcde" is forbidden: used: 2`, `pods "web-fghij" is forbidden: used: 3`, true},
		{"web", `pods "api-abcde" is forbidden`, `pods "api-fghij" is forbidden`, true},
		{"web", `[web-abcde, web-bcdef]`, `[web-fghij, web-ghijk]`, false},
		{"web", `[web-abcde, web-bcdef]`, `[web-fghij]`, true},
		{"web", "web-ab", "web-cd", false},
		{"web", "of web-abcde", "for web-abcde", true},
		{long, `pods "` + long[:58] + `abcde" is forbidden`, `pods "` + long[:58] + `fghij" is forbidden`, false},
	} {
		rs := web(1, failing)
		rs.Name = c.set
		rs.Status.Conditions[0].Message, rs.Status.Conditions[0].Reason = c.old, "FailedCreate"
		p := pass(replicaset.Snapshot{ReplicaSet: rs}, replicaset.Report{Creates: []kplan.Outcome{failed(errors.New(c.now))}},
			replicaset.Options{Repair: quirk.FailureConditionNotRefreshed})
		want := c.old
		if c.changes {
			want = c.now
		}
		require.Equal(t, want, p.Result.Status.Conditions[0].Message)
	}
}
