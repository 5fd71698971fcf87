// SPDX-License-Identifier: Apache-2.0

package replicaset_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/replicaset/reason"
	"github.com/kplan-go/kplan/selector"
)

// anything draws any snapshot that the planner accepts.
func anything(t *rapid.T) replicaset.Snapshot {
	s := random.Rapid(t)
	return random.ReplicaSet(s, random.Kinds(s))
}

func options(t *rapid.T) replicaset.Options { return random.ReplicaSetOptions(random.Rapid(t)) }

func mustPlan(t *rapid.T, s replicaset.Snapshot, opts replicaset.Options) replicaset.Plan {
	p, err := replicaset.Reconcile(s, t0, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPropertyPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { pure(t, random.Rapid(t)) })
}

// A plan comes through JSON as it is, and neither it nor what comes of it, carried out or
// not, has an empty list that is not nil.
func TestPropertyNilWhenEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := anything(t), options(t)
		p, err := replicaset.Reconcile(s, t0, o)
		if err != nil {
			return
		}
		purity.ThroughJSON(t, p)
		answers := []kplan.ServerAnswer{kplan.Done, kplan.Done, kplan.Done, kplan.NotFound, kplan.Failed}
		outcomes := func(n int) (list []kplan.Outcome) {
			for range n {
				list = append(list, kplan.Outcome{Answer: rapid.SampledFrom(answers).Draw(t, "answer")})
			}
			return list
		}
		n := len(p.Actions)
		result := replicaset.FinishPlan(s, p, replicaset.Report{Claims: outcomes(n), Creates: outcomes(n), Deletes: outcomes(n), Expectations: s.Expectations}, t0, o)
		result.Err, result.Errs = nil, nil
		next, err := p.Apply(s, t0)
		if err != nil {
			next = s
		}
		purity.NilWhenEmpty(t, next, result)
	})
}

func FuzzReconcile(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { pure(t, random.Bytes(data)) })
}

func pure(t purity.T, s random.Source) {
	opts := random.ReplicaSetOptions(s)
	purity.Check(t, random.ReplicaSet(s, random.Kinds(s)), func(s replicaset.Snapshot) (replicaset.Plan, error) {
		return replicaset.Reconcile(s, t0, opts)
	}, "Pods", "Siblings")
}

// keeps checks named invariants of the plan for a snapshot.
func keeps(t *rapid.T, s replicaset.Snapshot, opts replicaset.Options, names ...string) {
	p := mustPlan(t, s, opts)
	pass := invariant.ReplicaSetPass{Snapshot: s, Now: t0, Options: opts, Plan: p}
	for _, name := range names {
		if !slices.ContainsFunc(invariant.All(), func(i invariant.Invariant) bool { return i.Name == name }) {
			t.Fatalf("no invariant is called %q", name)
		}
		if found := invariant.Check(name, &pass); len(found) > 0 {
			t.Fatalf("%s: %v\n%v", name, found, p)
		}
	}
}

// TestPropertyDifference: a plan creates or deletes, never both, exactly the difference up
// to the burst, and only active pods of the ReplicaSet; claims come first.
func TestPropertyDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, opts := anything(t), options(t)
		keeps(t, s, opts, "exact difference", "own active pods only", "no surplus deletion", "deleting ReplicaSet rests")
		changed := false
		for _, a := range mustPlan(t, s, opts).Actions {
			switch a.(type) {
			case replicaset.CreatePods, replicaset.DeletePod:
				changed = true
			default:
				if changed {
					t.Fatal("claims come first")
				}
			}
		}
	})
}

// TestPropertyFixedPoint: after executing a plan of no more than the burst, the
// next plan has no actions.
func TestPropertyFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		s.ReplicaSet.Replicas, s.Expectations = ptr.To(rapid.Int32Range(0, 12).Draw(t, "replicas")), expect.Expectations{}
		s.ReplicaSet.TemplateLabels = map[string]string{"app": "web"} // which all selectors here match, as the API wants it
		s, err := mustPlan(t, s, replicaset.Options{}).Apply(s, t0)
		if err != nil {
			t.Fatal(err)
		}
		if p := mustPlan(t, s, replicaset.Options{}); len(p.Actions) > 0 {
			t.Fatalf("not done: %v", p)
		}
	})
}

// TestPropertyCounts: the status is a recount, and RecheckAt the instant at which the next
// pod becomes available.
func TestPropertyCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keeps(t, anything(t), replicaset.Options{}, "finished pods do not count", "ReplicaSet status recount", "availability instant")
	})
}

func TestPropertyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := mustPlan(t, anything(t), options(t))
		var back replicaset.Plan
		text, err := json.Marshal(p)
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		if diff := cmp.Diff(p, back); err != nil || diff != "" {
			t.Fatalf("%v:\n%s\n%s", err, text, diff)
		}
	})
}

// TestPropertyNothingBeforeRecheck: if a plan has no actions, the plans for the same
// snapshot have none either until RecheckAt, and with no RecheckAt never.
func TestPropertyNothingBeforeRecheck(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, opts := anything(t), options(t)
		p := mustPlan(t, s, opts)
		if len(p.Actions) > 0 {
			return
		}
		later := t0.Add(rapid.SampledFrom([]time.Duration{1, time.Second, time.Minute, time.Hour}).Draw(t, "later"))
		if !p.RecheckAt.IsZero() && !later.Before(p.RecheckAt) {
			later = p.RecheckAt.Add(-1)
		}
		again, err := replicaset.Reconcile(s, later, opts)
		if err != nil || len(again.Actions) > 0 {
			t.Fatalf("%v, %v", again, err)
		}
	})
}

// TestPropertyFinish: after a pass in which all went well, the expectations are met
// as soon as each pod was seen, in any order and any number of times, and no error is
// left; and the status is not written twice.
func TestPropertyFinish(t *testing.T) { rapid.Check(t, finished) }

func FuzzFinish(f *testing.F) { f.Fuzz(rapid.MakeFuzz(finished)) }

func finished(t *rapid.T) {
	s, opts := anything(t), options(t)
	s.Expectations = expect.Expectations{}
	s.ReplicaSet.Replicas = ptr.To(rapid.Int32Range(0, 12).Draw(t, "replicas"))
	p := mustPlan(t, s, opts)
	r := replicaset.Report{Expectations: p.Expect(s.Expectations, t0)}
	var names []string
	created := int32(0)
	for _, a := range p.Actions {
		switch a := a.(type) {
		case replicaset.CreatePods:
			created = a.Count
			for range a.Count {
				r.Creates = append(r.Creates, kplan.Outcome{Answer: kplan.Done})
			}
		case replicaset.DeletePod:
			names = append(names, a.Name, a.Name)
			r.Deletes = append(r.Deletes, kplan.Outcome{Answer: kplan.Done})
		default:
			r.Claims = append(r.Claims, kplan.Outcome{Answer: kplan.Done})
		}
	}
	if slices.Contains(p.Holds, kplan.Hold{Reason: reason.BadSelector}) {
		return // nothing is written
	}
	done := replicaset.FinishPlan(s, p, r, t0, opts)
	if done.Err != nil || !done.RecheckAt.Equal(p.RecheckAt) {
		t.Fatalf("%+v", done)
	}
	e := done.Expectations
	if e.Fulfilled() != (created == 0 && len(names) == 0) {
		t.Fatalf("%+v", e)
	}
	for range created {
		e = e.CreationObserved()
	}
	for _, name := range rapid.Permutation(names).Draw(t, "seen") {
		e = e.DeletionObserved(name)
	}
	if !e.Fulfilled() || len(e.Pending) > 0 {
		t.Fatalf("left: %+v", e)
	}
	rs := s.ReplicaSet
	rs.Status = done.Status
	if replicaset.NeedsWrite(rs, done.Status) {
		t.Fatal("written twice")
	}
}

// TestPropertyOthersLeftOut: what the ReplicaSet does not control, and neither it nor a
// sibling with its controller selects, can be left out of the snapshot. Without a selector it
// is what they control.
func TestPropertyOthersLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // it takes several things at once
			s, opts := anything(t), options(t)
			rs := web(1) // most pods go
			rs.ControllerUID = "deployment"
			s.ReplicaSet, s.Expectations = rs, expect.Expectations{}
			want := mustPlan(t, s, opts)
			s.Pods = slices.DeleteFunc(slices.Clone(s.Pods), func(p podorder.Pod) bool {
				return p.ControllerUID != rs.UID && !slices.ContainsFunc(append(s.Siblings, rs), func(of replicaset.ReplicaSet) bool {
					selects, err := selector.FromLabelSelector(of.Selector)
					return err == nil && of.ControllerUID == rs.ControllerUID && (selects.Matches(p.Labels) || of.Selector == nil && p.ControllerUID == of.UID)
				})
			})
			if diff := cmp.Diff(want, mustPlan(t, s, opts)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
