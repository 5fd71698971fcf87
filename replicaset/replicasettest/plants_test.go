// SPDX-License-Identifier: Apache-2.0

package replicasettest

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector/claim"
)

type plant = properties.Plant[replicaset.Snapshot, replicaset.Options, replicaset.Plan]

// inPlan plants a bug into the plans of a planner.
func inPlan(name, bug string, change func(s *replicaset.Snapshot, p *replicaset.Plan)) plant {
	return plant{Name: name, Bug: bug, Wrap: func(plan Planner) Planner {
		return func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
			p, err := plan(s, now, o)
			if err == nil {
				change(&s, &p)
			}
			return p, err
		}
	}}
}

// blind plants one into what a planner sees.
func blind(name, bug string, change func(s *replicaset.Snapshot, now time.Time)) plant {
	return plant{Name: name, Bug: bug, Wrap: func(plan Planner) Planner {
		return func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
			change(&s, now)
			return plan(s, now, o)
		}
	}}
}

// more creates so many pods more than a plan does.
func more(n int32) func(*replicaset.Snapshot, *replicaset.Plan) {
	return func(_ *replicaset.Snapshot, p *replicaset.Plan) {
		for i, a := range p.Actions {
			if a, ok := a.(replicaset.CreatePods); ok {
				a.Count += n
				p.Actions[i] = a
			}
		}
	}
}

// kill deletes pods that a filter picks.
func kill(picks func(s *replicaset.Snapshot, pod *podorder.Pod) bool) func(*replicaset.Snapshot, *replicaset.Plan) {
	return func(s *replicaset.Snapshot, p *replicaset.Plan) {
		for i := range s.Pods {
			if pod := &s.Pods[i]; picks(s, pod) {
				p.Actions = append(p.Actions, replicaset.DeletePod{Name: pod.Name, UID: pod.UID, Reason: replicaset.ReasonTooMany})
			}
		}
	}
}

// unknown is an action that nobody knows.
type unknown struct{ replicaset.Action }

var calls atomic.Int32

func without(actions replicaset.Actions, gone func(replicaset.Action) bool) replicaset.Actions {
	return slices.DeleteFunc(actions, gone)
}

func isAdoption(a replicaset.Action) bool { _, ok := a.(replicaset.AdoptPod); return ok }

func own(s *replicaset.Snapshot, p *podorder.Pod) bool {
	return p.ControllerUID == s.ReplicaSet.UID && p.Active()
}

func universal() []plant {
	return []plant{
		{Name: properties.Accepted, Bug: "no selector is an error", Wrap: func(plan Planner) Planner {
			return func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				if s.ReplicaSet.Selector == nil {
					return replicaset.Plan{}, errors.New("no selector")
				}
				return plan(s, now, o)
			}
		}},
		inPlan("determinism", "calls are counted", func(_ *replicaset.Snapshot, p *replicaset.Plan) { p.Status.Replicas = calls.Add(1) }),
		inPlan("input untouched", "conditions of the snapshot are handed out", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			p.Status.Conditions = s.ReplicaSet.Status.Conditions
		}),
		inPlan("order independence", "the first of the list goes", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			if len(s.Pods) > 0 {
				p.Actions = append(p.Actions, replicaset.DeletePod{Name: s.Pods[0].Name, UID: s.Pods[0].UID})
			}
		}),
		inPlan("no panic", "an index out of range", func(s *replicaset.Snapshot, p *replicaset.Plan) { p.Status.Replicas = s.Pods[0].Restarts }),
		inPlan("actions take effect", "a pod is adopted that is its own", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			controller := true
			for i := range s.Pods {
				if pod := &s.Pods[i]; pod.DeletionTimestamp.IsZero() {
					reference := claim.OwnerReference{UID: pod.ControllerUID, Kind: pod.ControllerKind, Name: pod.ControllerName, Controller: &controller}
					p.Actions = append(replicaset.Actions{replicaset.DeletePod{Name: pod.Name, UID: pod.UID}, replicaset.AdoptPod{Name: pod.Name, UID: pod.UID, Reference: reference}}, p.Actions...)
				}
			}
		}),
		inPlan("convergence", "a pod is made for every pass", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			p.Actions = append(p.Actions, replicaset.CreatePods{Count: 1})
		}),
		inPlan("no repeated state", "too many and too few in turn", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			if len(p.Actions) == 0 {
				p.Actions = replicaset.Actions{replicaset.CreatePods{Count: 1}}
			}
		}),
		inPlan("own objects only", "no UID as a precondition", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(replicaset.DeletePod); ok {
					a.UID = "any"
					p.Actions[i] = a
				}
			}
		}),
		inPlan("bounds after every prefix", "one creation too many", more(1)),
		inPlan("bounds after every part", "a pod is replaced by one plan", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			kill(own)(s, p)
			p.Actions = append(p.Actions, replicaset.CreatePods{Count: int32(len(s.Pods))})
		}),
		blind("bounds from stale views", "expectations are not read", func(s *replicaset.Snapshot, _ time.Time) { s.Expectations = replicaset.Expectations{} }),
		inPlan("everything explained", "an action without a reason", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(replicaset.CreatePods); ok {
					a.Reason = ""
					p.Actions[i] = a
				}
			}
		}),
		inPlan("JSON round trip", "an action that JSON does not know", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			if len(p.Actions) > 0 {
				p.Actions[0] = unknown{p.Actions[0]}
			}
		}),
		{Name: "time shift", Bug: "the time of day decides", Wrap: func(plan Planner) Planner {
			return func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				p, err := plan(s, now, o)
				p.Status.Replicas = int32(now.Unix() % 1000)
				return p, err
			}
		}},
	}
}

func pods() []plant {
	return []plant{
		inPlan("exact difference", "one creation too few", more(-1)),
		inPlan("own active pods only", "pods of another are deleted", kill(func(s *replicaset.Snapshot, p *podorder.Pod) bool { return p.ControllerUID != s.ReplicaSet.UID })),
		inPlan("no surplus deletion", "all of its pods go", kill(own)),
		inPlan("adoption and release", "an orphan is left alone", func(_ *replicaset.Snapshot, p *replicaset.Plan) { p.Actions = without(p.Actions, isAdoption) }),
		inPlan("one controller per pod", "a pod is taken from another controller", func(s *replicaset.Snapshot, p *replicaset.Plan) {
			controller := true
			for i := range s.Pods {
				if pod := &s.Pods[i]; pod.ControllerUID != "" {
					p.Actions = append(p.Actions, replicaset.AdoptPod{Name: pod.Name, UID: pod.UID, Reference: claim.OwnerReference{UID: s.ReplicaSet.UID, Controller: &controller}})
				}
			}
		}),
		inPlan("finished pods do not count", "all pods count", func(s *replicaset.Snapshot, p *replicaset.Plan) { p.Status.Replicas = int32(len(s.Pods)) }),
		inPlan("ReplicaSet status recount", "a pod is ready twice", func(_ *replicaset.Snapshot, p *replicaset.Plan) { p.Status.ReadyReplicas++ }),
		blind("deleting ReplicaSet rests", "its deletion is not read", func(s *replicaset.Snapshot, _ time.Time) { s.ReplicaSet.DeletionTimestamp = time.Time{} }),
		inPlan("availability instant", "it looks again a second late", func(_ *replicaset.Snapshot, p *replicaset.Plan) {
			if !p.RecheckAt.IsZero() {
				p.RecheckAt = p.RecheckAt.Add(time.Second)
			}
		}),
		inPlan("ReplicaFailure condition", "a failure is forgotten while nothing is tried", func(_ *replicaset.Snapshot, p *replicaset.Plan) { p.Status.Conditions = nil }),
	}
}

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { room.FindPlants(t, slices.Concat(universal(), pods())) }

// The machine, and the checks of traces and changes find bugs, too.
func TestPlantsElsewhere(t *testing.T) {
	for _, p := range slices.Concat(universal(), pods()) {
		if slices.Contains([]string{"bounds after every prefix", "no surplus deletion", "exact difference", "convergence"}, p.Name) {
			t.Run("machine "+p.Name, func(t *testing.T) {
				if properties.Cases(t, Machine(p.Wrap(replicaset.Reconcile), Only(p.Name)), 300) == 0 {
					t.Fatal("not found in 300 cases")
				}
			})
		}
		if slices.Contains([]string{"no repeated state", "everything explained"}, p.Name) {
			t.Run("trace "+p.Name, func(t *testing.T) {
				if properties.Cases(t, room.Loops(p.Wrap(replicaset.Reconcile), settings{Only: []string{p.Name}}), 300) == 0 {
					t.Fatal("not found in 300 cases")
				}
			})
		}
		if slices.Contains(room.Derived, p.Name) {
			t.Run("change "+p.Name, func(t *testing.T) {
				if properties.Cases(t, changes(p.Wrap(replicaset.Reconcile), p.Name), 3000) == 0 {
					t.Fatal("not found in 3000 cases")
				}
			})
		}
	}
}

// changes looks at what is made of the pods by a planner's plans.
func changes(plan Planner, name string) func(*rapid.T) {
	return func(t *rapid.T) {
		s, o := Snapshots(0).Draw(t, "snapshot"), Options().Draw(t, "options")
		p, err := plan(s, Now(), o)
		if err != nil {
			return
		}
		after := s
		for i, a := range p.Actions { // what the API server refuses is left, or taken by force
			next, err := p.Actions[i:i+1].Apply(after, Now())
			if err == nil {
				after = next
				continue
			}
			after.Pods = slices.Clone(after.Pods)
			for k := range after.Pods {
				if a, ok := a.(replicaset.AdoptPod); ok && a.Name == after.Pods[k].Name {
					after.Pods[k].ControllerUID = a.Reference.UID
				}
			}
		}
		CheckChange(t, Change{Before: s, After: after, Now: Now(), Options: o}, Only(name))
	}
}

// Our own planner passes as a loop, too.
func TestLoops(t *testing.T) { rapid.Check(t, room.Loops(replicaset.Reconcile, settings{})) }

// Only the machine shows a planner what it sees when its cache lags behind its own writes: a
// planner that waits for more than two creations no longer than ten seconds creates them
// again, and passes all checks of what it does about one snapshot.
func TestStaleViews(t *testing.T) {
	hasty := func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
		if s.Expectations.Creations > 2 && now.Sub(s.Expectations.At) > 9*time.Second {
			s.Expectations = replicaset.Expectations{}
		}
		return replicaset.Reconcile(s, now, o)
	}
	if n := properties.Cases(t, Property(hasty), 500); n != 0 {
		t.Errorf("found in case %d without a stale view", n)
	}
	n := properties.Cases(t, Machine(hasty, Only("bounds after every prefix", "bounds from stale views")), 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
	t.Logf("found in case %d", n)
}
