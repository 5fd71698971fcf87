// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

func caughtUp(t *rapid.T) deploy.Snapshot { return random.Deployment(random.Rapid(t), random.CaughtUp) }
func midway(t *rapid.T) deploy.Snapshot   { return random.Deployment(random.Rapid(t), random.Midway) }
func anything(t *rapid.T) deploy.Snapshot { return random.Deployment(random.Rapid(t), random.Anything) }

// anyKind draws any snapshot that the planner accepts.
func anyKind(t *rapid.T) deploy.Snapshot {
	s := random.Rapid(t)
	return random.Deployment(s, random.Kinds(s))
}

func plan(s deploy.Snapshot) (deploy.Plan, error) { return deploy.Reconcile(s, t0, deploy.Options{}) }

func mustPlan(t *rapid.T, s deploy.Snapshot) deploy.Plan {
	p, err := plan(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, property)
}

func TestPropertyPure(t *testing.T) {
	check(t, func(t *rapid.T) { purity.Check(t, anyKind(t), plan, "ReplicaSets", "Pods") })
}

// A plan comes through JSON as it is, and neither it nor what comes of it, carried out or
// not, has an empty list that is not nil.
func TestPropertyNilWhenEmpty(t *testing.T) {
	check(t, func(t *rapid.T) {
		var s deploy.Snapshot // as from a file: an object that no action touches keeps an empty map
		text, err := json.Marshal(anyKind(t))
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan(s)
		if err != nil {
			return
		}
		purity.ThroughJSON(t, p)
		r := deploy.Report{Outcomes: make([]kplan.Outcome, len(p.Actions))}
		answers := []kplan.ServerAnswer{kplan.Done, kplan.Done, kplan.Done, kplan.Done, kplan.NotFound, kplan.Failed, kplan.AlreadyExists}
		for i := range r.Outcomes {
			r.Outcomes[i].Answer = rapid.SampledFrom(answers).Draw(t, "answer")
		}
		next, err := p.Apply(s, t0)
		if err != nil {
			next = s
		}
		result := deploy.FinishPlan(s, p, r, t0, deploy.Options{})
		result.Err, result.Errs = nil, nil
		purity.NilWhenEmpty(t, next, result)
	})
}

func FuzzReconcile(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		s := random.Bytes(data)
		purity.Check(t, random.Deployment(s, random.Kinds(s)), plan, "ReplicaSets", "Pods")
	})
}

// wanted and available sum up a snapshot, where each ReplicaSet removes pods that
// are not available first.
func wanted(s deploy.Snapshot) (sum int64) {
	for _, rs := range s.ReplicaSets {
		sum += int64(*rs.Replicas)
	}
	return sum
}

func available(s deploy.Snapshot) (sum int64) {
	for _, rs := range s.ReplicaSets {
		sum += int64(min(*rs.Replicas, rs.Status.AvailableReplicas))
	}
	return sum
}

// TestPropertyBounds: after any prefix of a plan no more pods are wanted than the surge
// allows, or than before, and as many are available as must be, or as before.
func TestPropertyBounds(t *testing.T) {
	check(t, func(t *rapid.T) { keeps(t, caughtUp(t), deploy.Options{}, "surge bound", "availability bound") })
}

// TestPropertyOnce: each ReplicaSet is scaled at most once in a plan, and never to
// the size that it has.
func TestPropertyOnce(t *testing.T) {
	check(t, func(t *rapid.T) {
		seen := map[string]bool{}
		for _, a := range mustPlan(t, anything(t)).Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok {
				if seen[a.Name] || a.From == a.To {
					t.Fatalf("again or for nothing: %v", a)
				}
				seen[a.Name] = true
			}
		}
	})
}

// TestPropertyConvergence: if pods become available, a rollout ends within a number
// of passes that depends on its size, and a finished rollout plans nothing.
func TestPropertyConvergence(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := purity.Clone(caughtUp(t))
		replicas, passes := *s.Deployment.Replicas, 0
		bound := int(2*(int64(replicas)+wanted(s))) + 10
		for ; ; passes++ {
			p := mustPlan(t, s)
			stored := s.Deployment.Status
			s.Deployment.Status = p.Status
			if p.Empty() && cmp.Equal(stored, p.Status) && deploy.Complete(stored, replicas, s.Deployment.Generation) {
				break
			}
			if passes > bound {
				t.Fatalf("not complete after %d passes: %v", passes, p)
			}
			for _, a := range p.Actions {
				if err := apply(&s, a); err != nil {
					t.Fatal(err)
				}
			}
			settle(&s)
		}
		if p := mustPlan(t, s); !p.Empty() || len(p.Holds) > 0 && p.Holds[0].Reason != reason.HistoryNotEmpty {
			t.Fatalf("finished, but: %v", p)
		}
		for _, rs := range s.ReplicaSets {
			if want := int32(0); rs.Template.Same(s.Deployment.Template) == (*rs.Replicas == want) && replicas > 0 {
				t.Fatalf("finished, but %s has %d pods", rs.Name, *rs.Replicas)
			}
		}
	})
}

// TestPropertyExplained: a rollout that is not complete and plans nothing has a hold.
func TestPropertyExplained(t *testing.T) {
	check(t, func(t *rapid.T) { keeps(t, anyKind(t), deploy.Options{}, "everything explained", "no stuck rollout") })
}

// waiting carries plans out until nothing is left but to wait, while no pod becomes
// ready, and returns what a later pass sees and when it is due. Few snapshots are
// like that when they are drawn.
func waiting(t *rapid.T, s deploy.Snapshot) (deploy.Snapshot, deploy.Plan, bool) {
	p := mustPlan(t, s)
	for range 5 {
		next, err := p.Apply(s, t0)
		if err != nil {
			return s, p, false
		}
		s, p = next, mustPlan(t, next)
		if p.Empty() {
			break
		}
	}
	s.Deployment.Status = p.Status
	return s, p, p.Empty() && p.RecheckAt.After(t0)
}

// TestPropertyRecheck: if a plan has no actions, the plans for the same snapshot
// have none either until RecheckAt, and the same status.
func TestPropertyRecheck(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, p, ok := waiting(t, anyKind(t))
		if !ok {
			return
		}
		last := int64(p.RecheckAt.Sub(t0)) - 1
		for _, later := range []int64{last, rapid.Int64Range(0, last).Draw(t, "later")} {
			between := t0.Add(time.Duration(later))
			q, err := deploy.Reconcile(s, between, deploy.Options{})
			if err != nil || !q.Empty() {
				t.Fatalf("at %v, before %v: %v %v", between, p.RecheckAt, q, err)
			}
			if diff := cmp.Diff(p.Status, q.Status); diff != "" {
				t.Fatalf("at %v, before %v: %s", between, p.RecheckAt, diff)
			}
		}
	})
}

// TestPropertyRecheckChanges: at RecheckAt the plan does change.
func TestPropertyRecheckChanges(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, p, ok := waiting(t, midway(t))
		if !ok {
			return
		}
		q, err := deploy.Reconcile(s, p.RecheckAt, deploy.Options{})
		if err != nil || cmp.Equal(p.Status, q.Status) {
			t.Fatalf("nothing new at %v: %v %v", p.RecheckAt, q, err)
		}
	})
}

// TestPropertyOthersLeftOut: pods of ReplicaSets that are another's, or of no ReplicaSet, can
// be left out of the snapshot.
func TestPropertyOthersLeftOut(t *testing.T) {
	for range 20 { // it takes several things at once
		check(t, func(t *rapid.T) {
			s := anything(t)
			d := &s.Deployment
			d.Strategy, d.Paused, d.DeletionTimestamp, d.Annotations = deploy.Recreate, false, time.Time{}, nil // old pods are looked at
			want := mustPlan(t, s)
			s.Pods = slices.DeleteFunc(slices.Clone(s.Pods), func(p podorder.Pod) bool {
				return !slices.ContainsFunc(s.ReplicaSets, func(rs replicaset.ReplicaSet) bool {
					return rs.UID == p.ControllerUID && (rs.ControllerUID == "" || rs.ControllerUID == s.Deployment.UID)
				})
			})
			if diff := cmp.Diff(want, mustPlan(t, s)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestPropertyRoundTrip(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anything(t)
		p := mustPlan(t, s)
		roundTrip(t, s)
		roundTrip(t, p)
	})
}

func roundTrip[V any](t *rapid.T, v V) {
	var back V
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if diff := cmp.Diff(v, back, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Fatalf("%v:\n%s\n%s", err, text, diff)
	}
}

// TestPropertyClockShift: moving now and all times by the same amount moves only
// the times of the plan.
func TestPropertyClockShift(t *testing.T) {
	check(t, func(t *rapid.T) {
		planner := invariant.DeploymentPlanner{Snapshot: anyKind(t), Now: t0, Plan: deploy.Reconcile}
		if found := invariant.Check("time shift", &planner); len(found) > 0 {
			t.Fatal(found)
		}
	})
}

// TestPropertyStatusSettles: a plan that does nothing but wait for the deadline of a rollout is the
// plan behind the write of its status too, unless the rollout was complete by the status before.
func TestPropertyStatusSettles(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anyKind(t), anyOptions(t)
		p, err := deploy.Reconcile(s, t0, opts)
		if d := &s.Deployment; err != nil || len(p.Actions) > 0 || p.RecheckAt.IsZero() || d.Replicas == nil || deploy.Complete(d.Status, *d.Replicas, d.Generation) {
			return
		}
		s.Deployment.Status = p.Status
		again, err := deploy.Reconcile(s, t0, opts)
		if diff := cmp.Diff(p, again); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}
