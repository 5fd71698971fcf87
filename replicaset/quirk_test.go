package replicaset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector"
)

// A passed is all that comes of a pass: the plan, what follows from the report, or the
// error instead of both.
type passed struct {
	Plan   replicaset.Plan
	Result replicaset.Result
	Err    string
	Failed string
}

// pass plans for s and ends the pass with the report.
func pass(s replicaset.Snapshot, r replicaset.Report, opts replicaset.Options) passed {
	p, err := replicaset.Reconcile(s, t0, opts)
	if err != nil {
		return passed{Err: err.Error()}
	}
	r.Expectations = p.Expect(s, t0)
	o := passed{Plan: p, Result: replicaset.Finish(s, p, r, t0, opts)}
	o.Failed = fmt.Sprint(o.Result.Errs)
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
	rs.Status.Conditions = []replicaset.Condition{{Type: replicaset.ConditionReplicaFailure, Status: selector.ConditionTrue, Message: "old"}}
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
			replicaset.Snapshot{ReplicaSet: web(1, failing)}, replicaset.Report{Creates: []selector.Outcome{failed(errQuota)}},
			message, "old", "exceeded quota",
		},
		"WaitingRemovesFailure": {
			replicaset.Snapshot{ReplicaSet: web(3, failing), Expectations: replicaset.ExpectCreations(1, t0)}, replicaset.Report{},
			message, "", "old",
		},
		"TerminatingNamespaceRaisesExpectations": {
			replicaset.Snapshot{ReplicaSet: web(1)}, replicaset.Report{Creates: []selector.Outcome{{Answer: selector.NamespaceTerminating}}},
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
			replicaset.Report{Claims: []selector.Outcome{failed(errOther)}},
			func(p passed) string { return fmt.Sprint(p.Result.WriteStatus, p.Failed) }, "false[other]", "true[other]",
		},
	}
}

// TestQuirks: each row of the table has an input, by default it shows, its own repair
// alone mends it, and the repairs of all others leave it.
func TestQuirks(t *testing.T) {
	cases := showcases()
	for i, q := range replicaset.QuirkTable() {
		t.Run(q.Name, func(t *testing.T) {
			c, ok := cases[q.Name]
			require.True(t, ok, "the quirk has no input that shows it")
			for _, text := range []string{q.Upstream, q.Source, q.Input, q.Repair} {
				require.NotEmpty(t, text)
			}
			own := replicaset.Quirks(1) << i
			require.Equal(t, q.Name, own.String())
			for repair, want := range map[replicaset.Quirks]string{
				0: c.kept, own: c.repaired, replicaset.RepairAll: c.repaired, replicaset.RepairAll &^ own: c.kept,
			} {
				require.Equal(t, want, c.asks(pass(c.s, c.report, replicaset.Options{Repair: repair})), "%s: %v", c.s.ReplicaSet.Name, repair)
			}
		})
	}
	require.Len(t, cases, len(replicaset.QuirkTable()))
}

// TestQuirkNames: the set goes through text and JSON, and has a bit for each row.
func TestQuirkNames(t *testing.T) {
	var names []string
	for _, q := range replicaset.QuirkTable() {
		names = append(names, q.Name)
	}
	all, err := replicaset.ParseQuirks(names...)
	require.NoError(t, err)
	require.Equal(t, replicaset.RepairAll, all)
	require.Equal(t, strings.Join(names, ","), all.String())
	require.True(t, all.Has(replicaset.WaitingRemovesFailure|replicaset.FailedClaimHidesStatus))
	require.False(t, replicaset.WaitingRemovesFailure.Has(replicaset.WaitingRemovesFailure|replicaset.FailedClaimHidesStatus))
	_, err = replicaset.ParseQuirks("Unknown")
	require.ErrorIs(t, err, replicaset.ErrInvalid)
	_, err = replicaset.Reconcile(replicaset.Snapshot{ReplicaSet: web(1)}, t0, replicaset.Options{Repair: replicaset.RepairAll + 1})
	require.EqualError(t, err, `Options.Repair: "64": must not go beyond RepairAll`)
}

// reports draws what became of a plan: anything may have failed or be missing.
func reports(t *rapid.T, s replicaset.Snapshot) (r replicaset.Report) {
	p, err := replicaset.Reconcile(s, t0, replicaset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	some := func(n int, name string) (list []selector.Outcome) {
		for range rapid.IntRange(max(0, n-1), n).Draw(t, name) {
			o := selector.Outcome{Answer: rapid.SampledFrom([]selector.ServerAnswer{
				selector.Done, selector.Done, selector.Done, selector.Failed, selector.NotFound, selector.Invalid, selector.Changed, selector.NamespaceTerminating,
			}).Draw(t, name)}
			if o.Answer == selector.Failed {
				o.Err = errors.New(rapid.SampledFrom([]string{"old", "new"}).Draw(t, name))
			}
			list = append(list, o)
		}
		return list
	}
	claims, deletes := 0, 0
	for _, a := range p.Actions {
		switch a := a.(type) {
		case replicaset.AdoptPod, replicaset.ReleasePod:
			claims++
		case replicaset.DeletePod:
			deletes++
		case replicaset.CreatePods:
			r.Creates = some(int(min(a.Count, 8)), "create")
		}
	}
	r.Claims, r.Deletes = some(claims, "claim"), some(deletes, "delete")
	return r
}

// shows says when a quirk can show, from the snapshot and the report alone.
func shows(name string, s replicaset.Snapshot, r replicaset.Report) bool {
	refused := func(o selector.Outcome) bool { return o.Answer != selector.Done }
	told := slices.ContainsFunc(s.ReplicaSet.Status.Conditions, func(c replicaset.Condition) bool { return c.Type == "ReplicaFailure" })
	bad := s.ReplicaSet.Selector != nil && slices.ContainsFunc(s.ReplicaSet.Selector.MatchExpressions, func(e selector.Expression) bool { return e.Operator == "Near" })
	waits := s.Expectations.Creations > 0 && !t0.After(s.Expectations.At.Add(5*time.Minute))
	switch name {
	case "FailureConditionNotRefreshed":
		missing := len(r.Creates) == 0 || len(r.Deletes) == 0 // what has no outcome was not executed
		return told && !bad && (missing || slices.ContainsFunc(r.Creates, refused) || slices.ContainsFunc(r.Deletes, refused))
	case "WaitingRemovesFailure":
		return told && waits && !bad
	case "TerminatingNamespaceRaisesExpectations":
		return slices.ContainsFunc(r.Creates, func(o selector.Outcome) bool { return o.Answer == selector.NamespaceTerminating })
	case "UnusableSelectorIgnored":
		return bad
	case "RecheckWithoutReadyTime":
		return !bad && s.ReplicaSet.MinReadySeconds > 0 && slices.ContainsFunc(s.Pods, func(p podorder.Pod) bool {
			return counts(s, p) && p.Ready && p.ReadySince.IsZero()
		})
	case "FailedClaimHidesStatus":
		return !bad && (slices.ContainsFunc(r.Claims, refused) || slices.ContainsFunc(s.Pods, func(p podorder.Pod) bool {
			return p.ControllerUID == "" // it may be adopted, and the outcome may be missing
		}) || slices.ContainsFunc(s.Pods, func(p podorder.Pod) bool { return p.ControllerUID == "web-uid" && !counts(s, p) }))
	}
	return false
}

// TestPropertySingleQuirk: where a quirk does not show, its repair changes nothing.
func TestPropertySingleQuirk(t *testing.T) {
	changed := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		s, opts := anything(t), options(t)
		if rapid.IntRange(0, 9).Draw(t, "bad selector") == 0 {
			near(&s.ReplicaSet)
		}
		r := reports(t, s)
		opts.Repair = 0
		want := pass(s, r, opts)
		for i, q := range replicaset.QuirkTable() {
			opts.Repair = replicaset.Quirks(1) << i
			diff := cmp.Diff(want, pass(s, r, opts))
			if diff != "" && !shows(q.Name, s, r) {
				t.Fatalf("%s does not show, and its repair changes:\n%s", q.Name, diff)
			}
			if diff != "" {
				changed[q.Name]++
			}
		}
	})
	for _, q := range replicaset.QuirkTable() {
		require.NotZero(t, changed[q.Name], q.Name)
	}
}
