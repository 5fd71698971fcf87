// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/revision"
)

type plant = properties.Plant[deploy.Snapshot, deploy.Options, deploy.Plan]

// inPlan plants a bug into the plans of a planner.
func inPlan(name, bug string, change func(s *deploy.Snapshot, p *deploy.Plan)) plant {
	return plant{Name: name, Bug: bug, Wrap: func(plan Planner) Planner {
		return func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
			p, err := plan(s, now, o)
			if err == nil {
				change(&s, &p)
			}
			return p, err
		}
	}}
}

// inScalings plants one into what scales.
func inScalings(name, bug string, change func(s *deploy.Snapshot, a *deploy.ScaleReplicaSet)) plant {
	return inPlan(name, bug, func(s *deploy.Snapshot, p *deploy.Plan) {
		for i, a := range p.Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok {
				change(s, &a)
				p.Actions[i] = a
			}
		}
	})
}

// inCreations plants one into what creates.
func inCreations(name, bug string, change func(s *deploy.Snapshot, a *deploy.CreateReplicaSet)) plant {
	return inPlan(name, bug, func(s *deploy.Snapshot, p *deploy.Plan) {
		for i, a := range p.Actions {
			if a, ok := a.(deploy.CreateReplicaSet); ok {
				change(s, &a)
				p.Actions[i] = a
			}
		}
	})
}

// blind plants one into what a planner sees.
func blind(name, bug string, change func(s *deploy.Snapshot, now *time.Time, o *deploy.Options)) plant {
	return plant{Name: name, Bug: bug, Wrap: func(plan Planner) Planner {
		return func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
			change(&s, &now, &o)
			return plan(s, now, o)
		}
	}}
}

// with looks for a bug on snapshots that are made for it, with all repairs.
func with(p plant, snapshots *rapid.Generator[deploy.Snapshot]) plant {
	p.On = settings{Snapshots: snapshots, Options: rapid.Just(deploy.Options{Repair: deploy.RepairAll})}
	return p
}

// terminating looks for a bug under the policy that pods which wait to end take up room.
func terminating(p plant) plant {
	p.On = settings{Options: rapid.Just(deploy.Options{Terminating: deploy.TerminationComplete})}
	return p
}

func without(actions deploy.Actions, gone func(deploy.ScaleReplicaSet) bool) deploy.Actions {
	return slices.DeleteFunc(actions, func(a deploy.Action) bool { s, ok := a.(deploy.ScaleReplicaSet); return ok && gone(s) })
}

// unknown is an action that nobody knows.
type unknown struct{ deploy.Action }

var calls atomic.Int32

func universal() []plant {
	return []plant{
		{Name: properties.Accepted, Bug: "more than five replicas are an error", Wrap: func(plan Planner) Planner {
			return func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
				if s.Deployment.Replicas != nil && *s.Deployment.Replicas > 5 {
					return deploy.Plan{}, errors.New("too many")
				}
				return plan(s, now, o)
			}
		}},
		inPlan("determinism", "calls are counted", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Status.Replicas = calls.Add(1) }),
		inPlan("input untouched", "a map of the snapshot is handed out", func(s *deploy.Snapshot, p *deploy.Plan) {
			if len(s.ReplicaSets) > 0 {
				p.Actions = append(p.Actions, deploy.AnnotateDeployment{Set: s.ReplicaSets[0].Annotations})
			}
		}),
		inPlan("order independence", "the first of the list is the oldest", func(s *deploy.Snapshot, p *deploy.Plan) {
			if len(s.ReplicaSets) > 0 {
				p.Events = append(p.Events, kplan.Event{Message: s.ReplicaSets[0].Name})
			}
		}),
		inPlan("no panic", "an index out of range", func(s *deploy.Snapshot, p *deploy.Plan) { p.Status.Replicas = *s.ReplicaSets[0].Replicas }),
		inPlan("actions take effect", "an annotation is written even if it is unchanged", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				p.Actions = append(p.Actions, deploy.AnnotateReplicaSet{Name: rs.Name, UID: rs.UID, Set: maps.Clone(rs.Annotations)})
			}
		}),
		blind("convergence", "it waits for a status that is never written", func(s *deploy.Snapshot, _ *time.Time, _ *deploy.Options) {
			for i := range s.ReplicaSets { // the last scaling is forgotten and made again
				s.ReplicaSets[i].Annotations = map[string]string{revision.AnnotationRevision: "1", revision.AnnotationDesired: "99"}
			}
		}),
		inPlan("no repeated state", "a size goes down and up again", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if n := size(&rs); len(p.Actions) == 0 && n > 1 && rs.Template == s.Deployment.Template {
					p.Actions = deploy.Actions{deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n, To: n - 1}}
				}
			}
		}),
		inScalings("own objects only", "no UID as a precondition", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) { a.UID = "" }),
		inPlan("bounds after every prefix", "it scales down to 0 and up again", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if n := size(&rs); n > 0 && rs.ControllerUID == s.Deployment.UID {
					p.Actions = append(deploy.Actions{
						deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n, To: 0}, deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: 0, To: n},
					}, p.Actions...)
				}
			}
		}),
		inPlan("bounds after every part", "scale-ups come before scale-downs", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if n := size(&rs); n > 0 && n < 1000 && rs.ControllerUID == s.Deployment.UID {
					p.Actions = append(deploy.Actions{
						deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n, To: n + 50}, deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n + 50, To: n},
					}, p.Actions...)
				}
			}
		}),
		inCreations("bounds from stale views", "the surge is used twice", func(_ *deploy.Snapshot, a *deploy.CreateReplicaSet) { a.Replicas = min(2*a.Replicas, 1000) }),
		inPlan("everything explained", "a hold without numbers", func(s *deploy.Snapshot, p *deploy.Plan) {
			p.Holds = append(p.Holds, kplan.Hold[deploy.Reason]{Name: "web-v1", Reason: deploy.ReasonMinAvailable})
		}),
		inScalings("everything explained", "an action without a reason", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) { a.Reason = "" }),
		inPlan("JSON round trip", "an action that JSON does not know", func(_ *deploy.Snapshot, p *deploy.Plan) {
			if len(p.Actions) > 0 {
				p.Actions[0] = unknown{p.Actions[0]}
			}
		}),
		{Name: "time shift", Bug: "the time of day decides", Wrap: func(plan Planner) Planner {
			return func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
				p, err := plan(s, now, o)
				p.Status.Replicas = int32(now.Unix() % 1000)
				return p, err
			}
		}},
	}
}

func sizes() []plant {
	return []plant{
		inCreations("surge bound", "one pod more than the surge", func(_ *deploy.Snapshot, a *deploy.CreateReplicaSet) { a.Replicas = min(a.Replicas, 1000) + 1 }),
		inScalings("availability bound", "one pod fewer than must be available", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if a.To < a.From && a.To > 0 {
				a.To--
			}
		}),
		inPlan("rounding of limits", "surge rounded down", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Budget.Surge-- }),
		inPlan("limits never both zero", "limits of 0 and 0 stay", func(_ *deploy.Snapshot, p *deploy.Plan) {
			if p.Budget.Surge == 0 && p.Budget.Unavailable == 1 {
				p.Budget.Unavailable = 0
			}
		}),
		inScalings("proportional scaling", "a remainder is lost", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if a.Reason == deploy.ReasonScaling && a.To > 0 {
				a.To--
			}
		}),
		inScalings("scaled to zero", "a pod is kept", func(s *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if n := s.Deployment.Replicas; n != nil && *n == 0 {
				a.To = 1
			}
		}),
		blind("paused Deployment", "the pause is not read", func(s *deploy.Snapshot, _ *time.Time, _ *deploy.Options) { s.Deployment.Paused = false }),
		blind("Recreate waits for old pods", "the strategy is not read", func(s *deploy.Snapshot, _ *time.Time, _ *deploy.Options) {
			if s.Deployment.Strategy == deploy.Recreate {
				s.Deployment.Strategy = deploy.RollingUpdate
			}
		}),
		inPlan("one new ReplicaSet", "a pod of an old template counts as new", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Status.UpdatedReplicas++ }),
		inPlan("one active ReplicaSet in the end", "done while old pods are left", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Actions, p.Holds = nil, nil }),
		inPlan("unhealthy old pods first", "available pods go before others", func(_ *deploy.Snapshot, p *deploy.Plan) {
			p.Actions = without(p.Actions, func(a deploy.ScaleReplicaSet) bool { return a.Unhealthy > 0 })
		}),
		inPlan("no stuck rollout", "a step is forgotten", func(_ *deploy.Snapshot, p *deploy.Plan) {
			p.Actions = without(p.Actions, func(deploy.ScaleReplicaSet) bool { return true })
		}),
		terminating(blind("terminating pods policy", "terminating pods do not count", func(_ *deploy.Snapshot, _ *time.Time, o *deploy.Options) { o.Terminating = "" })),
		inScalings("sizes within int32", "a size wraps around", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) { a.To = math.MinInt32 }),
		with(blind("interrupted scaling", "shares of the present sizes", func(_ *deploy.Snapshot, _ *time.Time, o *deploy.Options) { o.Repair = 0 }), Scaling()),
		with(blind("fraction after scaling", "the partition is not read", func(s *deploy.Snapshot, _ *time.Time, o *deploy.Options) { o.Repair = 0 }), Partitioned()),
	}
}

func records() []plant {
	return []plant{
		inPlan("progress deadline", "the deadline is read as minutes", func(_ *deploy.Snapshot, p *deploy.Plan) {
			p.Status.Conditions = []kplan.Condition{{Type: deploy.ConditionProgressing, Status: "False", Reason: "ProgressDeadlineExceeded"}}
		}),
		inCreations("revisions grow", "the number of ReplicaSets instead of the highest revision", func(s *deploy.Snapshot, a *deploy.CreateReplicaSet) {
			a.Revision, a.Annotations = int64(len(s.ReplicaSets)), maps.Clone(a.Annotations)
			a.Annotations[revision.AnnotationRevision] = strconv.Itoa(len(s.ReplicaSets))
		}),
		inScalings("template hash", "it rolls out to another ReplicaSet", func(s *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			for _, rs := range s.ReplicaSets {
				if a.Reason == deploy.ReasonRolloutUp && rs.Template != s.Deployment.Template {
					a.Name, a.UID, a.From = rs.Name, rs.UID, size(&rs)
				}
			}
		}),
		inPlan("history limit", "the limit counts ReplicaSets with pods", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if size(&rs) > 0 && rs.Template != s.Deployment.Template {
					p.Actions = append(p.Actions, deploy.DeleteReplicaSet{Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion})
				}
			}
		}),
		inPlan("hash collision", "a collision counts twice", func(s *deploy.Snapshot, p *deploy.Plan) {
			n := int32(2)
			if before := s.Deployment.Status.CollisionCount; before != nil {
				n += *before
			}
			p.Status.CollisionCount = &n
		}),
		inPlan("rollback template", "the latest template instead of the requested one", func(s *deploy.Snapshot, p *deploy.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(deploy.RollBackDeployment); ok {
					a.Template = s.Deployment.Template
					p.Actions[i] = a
				}
			}
		}),
		inPlan("Deployment status recount", "available pods count twice", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Status.AvailableReplicas *= 2 }),
		inScalings("desired-replicas recorded", "the former size is recorded", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if _, ok := a.Set[revision.AnnotationDesired]; ok {
				a.Set = maps.Clone(a.Set)
				a.Set[revision.AnnotationDesired] = "77"
			}
		}),
	}
}

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { room.FindPlants(t, slices.Concat(universal(), sizes(), records())) }

// The machine, and the checks of traces and changes find bugs, too.
func TestPlantsElsewhere(t *testing.T) {
	for _, p := range slices.Concat(universal(), sizes(), records()) {
		if slices.Contains([]string{"surge bound", "availability bound", "revisions grow", "history limit", "convergence"}, p.Name) {
			t.Run("machine "+p.Name, func(t *testing.T) {
				if properties.Cases(t, Machine(p.Wrap(deploy.Reconcile), Only(p.Name)), 300) == 0 {
					t.Fatal("not found in 300 cases")
				}
			})
		}
		if slices.Contains([]string{"no repeated state", "everything explained"}, p.Name) {
			t.Run("trace "+p.Name, func(t *testing.T) {
				if properties.Cases(t, room.Loops(p.Wrap(deploy.Reconcile), settings{Only: []string{p.Name}}), 300) == 0 {
					t.Fatal("not found in 300 cases")
				}
			})
		}
		if slices.Contains(derived, p.Name) {
			t.Run("change "+p.Name, func(t *testing.T) {
				if properties.Cases(t, changes(p.Wrap(deploy.Reconcile), p.Name), 3000) == 0 {
					t.Fatal("not found in 3000 cases")
				}
			})
		}
	}
}

// changes looks at what is made of a Deployment by a planner's plans.
func changes(plan Planner, name string) func(*rapid.T) {
	return func(t *rapid.T) {
		s, o := Snapshots(0).Draw(t, "snapshot"), Options().Draw(t, "options")
		p, err := plan(s, Now(), o)
		if err != nil {
			return
		}
		if after, err := p.Actions.Apply(s, Now()); err == nil {
			CheckChange(t, Change{Before: s, After: after, Now: Now(), Options: o}, Only(name))
		}
	}
}

// Our own planner passes as a loop, too.
func TestLoops(t *testing.T) { rapid.Check(t, room.Loops(deploy.Reconcile, settings{})) }

// Only the machine shows a planner what it sees when its cache lags behind its own writes: one
// that lets the API server name its ReplicaSets, as generateName does, creates another one. It
// misses no bound before, even when a plan is carried out twice.
func TestStaleViews(t *testing.T) {
	calls := 0
	generated := func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
		p, err := deploy.Reconcile(s, now, o)
		calls++
		for i, a := range p.Actions {
			if a, ok := a.(deploy.CreateReplicaSet); ok {
				a.Name += "-" + strconv.Itoa(calls)
				p.Actions[i] = a
			}
		}
		return p, err
	}
	if n := properties.Cases(t, Property(generated, Only("bounds after every part", "bounds from stale views", "surge bound", "availability bound")), 500); n != 0 {
		t.Errorf("found in case %d without a stale view", n)
	}
	n := properties.Cases(t, Machine(generated, Only("bounds after every prefix", "bounds from stale views")), 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
	t.Logf("found in case %d", n)
}
