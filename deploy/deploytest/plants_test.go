// SPDX-License-Identifier: Apache-2.0

package deploytest

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/revision"
)

type plant = properties.Plant[deploy.Snapshot, deploy.Options, deploy.Plan]

// inScalings plants a bug into the actions that scale.
func inScalings(name, bug string, change func(s *deploy.Snapshot, a *deploy.ScaleReplicaSet)) plant {
	return room.InPlan(name, bug, func(s *deploy.Snapshot, p *deploy.Plan) {
		properties.Each(p.Actions, func(a *deploy.ScaleReplicaSet) { change(s, a) })
	})
}

// inCreations plants a bug into the actions that create.
func inCreations(name, bug string, change func(s *deploy.Snapshot, a *deploy.CreateReplicaSet)) plant {
	return room.InPlan(name, bug, func(s *deploy.Snapshot, p *deploy.Plan) {
		properties.Each(p.Actions, func(a *deploy.CreateReplicaSet) { change(s, a) })
	})
}

// with looks for a bug on snapshots that are made for it, with all repairs.
func with(p plant, snapshots *rapid.Generator[deploy.Snapshot]) plant {
	p.On = properties.Settings[deploy.Snapshot, deploy.Options]{Snapshots: snapshots, Options: rapid.Just(deploy.Options{Repair: quirk.All})}
	return p
}

// terminating looks for a bug under the policy that pods which wait to end take up room.
func terminating(p plant) plant {
	p.On = properties.Settings[deploy.Snapshot, deploy.Options]{Options: rapid.Just(deploy.Options{Terminating: deploy.TerminationComplete})}
	return p
}

// unknown is an action that nobody knows.
type unknown struct{ deploy.Action }

func universal() []plant {
	return append([]plant{
		room.Refusal("more than five replicas are an error", func(s *deploy.Snapshot) bool { return s.Deployment.Replicas != nil && *s.Deployment.Replicas > 5 }),
		room.InPlan("input untouched", "a map of the snapshot is handed out", func(s *deploy.Snapshot, p *deploy.Plan) {
			if len(s.ReplicaSets) > 0 {
				p.Actions = append(p.Actions, deploy.AnnotateDeployment{Set: s.ReplicaSets[0].Annotations})
			}
		}),
		room.InPlan("order independence", "the first of the list is the oldest", func(s *deploy.Snapshot, p *deploy.Plan) {
			if len(s.ReplicaSets) > 0 {
				p.Events = append(p.Events, kplan.Event{Message: s.ReplicaSets[0].Name})
			}
		}),
		room.InPlan("no panic", "an index out of range", func(s *deploy.Snapshot, p *deploy.Plan) { p.Status.Replicas = *s.ReplicaSets[0].Replicas }),
		room.InPlan("actions take effect", "an annotation is written even if it is unchanged", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				p.Actions = append(p.Actions, deploy.AnnotateReplicaSet{Name: rs.Name, UID: rs.UID, Set: maps.Clone(rs.Annotations)})
			}
		}),
		room.InView("convergence", "it waits for a status that is never written", func(s *deploy.Snapshot, _ *time.Time, _ *deploy.Options) {
			for i := range s.ReplicaSets { // the last scaling is forgotten and made again
				s.ReplicaSets[i].Annotations = map[string]string{revision.AnnotationRevision: "1", revision.AnnotationDesired: "99"}
			}
		}),
		room.InPlan("no repeated state", "a size goes down and up again", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if n := size(&rs); len(p.Actions) == 0 && n > 1 && rs.Template == s.Deployment.Template {
					p.Actions = deploy.Actions{deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n, To: n - 1}}
				}
			}
		}),
		inScalings("own objects only", "no UID as a precondition", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) { a.UID = "" }),
		room.InPlan("bounds after every prefix", "it scales down to 0 and up again", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if n := size(&rs); n > 0 && rs.ControllerUID == s.Deployment.UID {
					p.Actions = append(deploy.Actions{
						deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n, To: 0}, deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: 0, To: n},
					}, p.Actions...)
				}
			}
		}),
		room.InPlan("bounds after every part", "scale-ups come before scale-downs", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if n := size(&rs); n > 0 && n < 1000 && rs.ControllerUID == s.Deployment.UID {
					p.Actions = append(deploy.Actions{
						deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n, To: n + 50}, deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n + 50, To: n},
					}, p.Actions...)
				}
			}
		}),
		inCreations("bounds from stale views", "the surge is used twice", func(_ *deploy.Snapshot, a *deploy.CreateReplicaSet) { a.Replicas = min(2*a.Replicas, 1000) }),
		room.InPlan("everything explained", "a hold without numbers", func(s *deploy.Snapshot, p *deploy.Plan) {
			p.Holds = append(p.Holds, kplan.Hold{Name: "web-v1", Reason: reason.MinAvailable})
		}),
		inScalings("everything explained", "an action without a reason", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) { a.Reason = "" }),
		room.InPlan("JSON round trip", "an action that JSON does not know", func(_ *deploy.Snapshot, p *deploy.Plan) {
			if len(p.Actions) > 0 {
				p.Actions[0] = unknown{p.Actions[0]}
			}
		}),
	}, room.Impurities(func(p *deploy.Plan, n int32) { p.Status.Replicas = n })...)
}

func sizes() []plant {
	return []plant{
		inCreations("surge bound", "one pod more than the surge", func(_ *deploy.Snapshot, a *deploy.CreateReplicaSet) { a.Replicas = min(a.Replicas, 1000) + 1 }),
		inScalings("availability bound", "one pod fewer than must be available", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if a.To < a.From && a.To > 0 {
				a.To--
			}
		}),
		room.InPlan("rounding of limits", "surge rounded down", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Budget.Surge-- }),
		room.InPlan("limits never both zero", "limits of 0 and 0 stay", func(_ *deploy.Snapshot, p *deploy.Plan) {
			if p.Budget.Surge == 0 && p.Budget.Unavailable == 1 {
				p.Budget.Unavailable = 0
			}
		}),
		inScalings("proportional scaling", "a remainder is lost", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if a.Reason == reason.Scaling && a.To > 0 {
				a.To--
			}
		}),
		inScalings("scaled to zero", "a pod is kept", func(s *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if n := s.Deployment.Replicas; n != nil && *n == 0 {
				a.To = 1
			}
		}),
		room.InView("paused Deployment", "the pause is not read", func(s *deploy.Snapshot, _ *time.Time, _ *deploy.Options) { s.Deployment.Paused = false }),
		room.InView("Recreate waits for old pods", "the strategy is not read", func(s *deploy.Snapshot, _ *time.Time, _ *deploy.Options) {
			if s.Deployment.Strategy == deploy.Recreate {
				s.Deployment.Strategy = deploy.RollingUpdate
			}
		}),
		room.InPlan("one new ReplicaSet", "a pod of an old template counts as new", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Status.UpdatedReplicas++ }),
		room.InPlan("one active ReplicaSet in the end", "done while old pods are left", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Actions, p.Holds = nil, nil }),
		room.InPlan("unhealthy old pods first", "available pods go before others", func(_ *deploy.Snapshot, p *deploy.Plan) {
			p.Actions = properties.Without(p.Actions, func(a deploy.ScaleReplicaSet) bool { return a.Unhealthy > 0 })
		}),
		room.InPlan("no stuck rollout", "a step is forgotten", func(_ *deploy.Snapshot, p *deploy.Plan) {
			p.Actions = properties.Without(p.Actions, func(deploy.ScaleReplicaSet) bool { return true })
		}),
		terminating(room.InView("terminating pods policy", "terminating pods do not count", func(_ *deploy.Snapshot, _ *time.Time, o *deploy.Options) { o.Terminating = "" })),
		inScalings("sizes within int32", "a size wraps around", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) { a.To = math.MinInt32 }),
		with(room.InView("interrupted scaling", "shares of the present sizes", func(_ *deploy.Snapshot, _ *time.Time, o *deploy.Options) { o.Repair = 0 }), Scaling()),
		with(room.InView("fraction after scaling", "the partition is not read", func(s *deploy.Snapshot, _ *time.Time, o *deploy.Options) { o.Repair = 0 }), Partitioned()),
	}
}

func records() []plant {
	return []plant{
		room.InPlan("progress deadline", "the deadline is read as minutes", func(_ *deploy.Snapshot, p *deploy.Plan) {
			p.Status.Conditions = []kplan.Condition{{Type: deploy.ConditionProgressing, Status: "False", Reason: "ProgressDeadlineExceeded"}}
		}),
		inCreations("revisions grow", "the number of ReplicaSets instead of the highest revision", func(s *deploy.Snapshot, a *deploy.CreateReplicaSet) {
			a.Revision, a.Annotations = int64(len(s.ReplicaSets)), maps.Clone(a.Annotations)
			a.Annotations[revision.AnnotationRevision] = strconv.Itoa(len(s.ReplicaSets))
		}),
		inScalings("template hash", "it rolls out to another ReplicaSet", func(s *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			for _, rs := range s.ReplicaSets {
				if a.Reason == reason.RolloutUp && rs.Template != s.Deployment.Template {
					a.Name, a.UID, a.From = rs.Name, rs.UID, size(&rs)
				}
			}
		}),
		room.InPlan("history limit", "the limit counts ReplicaSets with pods", func(s *deploy.Snapshot, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if size(&rs) > 0 && rs.Template != s.Deployment.Template {
					p.Actions = append(p.Actions, deploy.DeleteReplicaSet{Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion})
				}
			}
		}),
		room.InPlan("hash collision", "a collision counts twice", func(s *deploy.Snapshot, p *deploy.Plan) {
			n := int32(2)
			if before := s.Deployment.Status.CollisionCount; before != nil {
				n += *before
			}
			p.Status.CollisionCount = &n
		}),
		room.InPlan("rollback template", "the latest template instead of the requested one", func(s *deploy.Snapshot, p *deploy.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(deploy.RollBackDeployment); ok {
					a.Template = s.Deployment.Template
					p.Actions[i] = a
				}
			}
		}),
		room.InPlan("Deployment status recount", "available pods count twice", func(_ *deploy.Snapshot, p *deploy.Plan) { p.Status.AvailableReplicas *= 2 }),
		inScalings("desired-replicas recorded", "the former size is recorded", func(_ *deploy.Snapshot, a *deploy.ScaleReplicaSet) {
			if _, ok := a.Set[revision.AnnotationDesired]; ok {
				a.Set = maps.Clone(a.Set)
				a.Set[revision.AnnotationDesired] = "77"
			}
		}),
	}
}

func plants() []plant { return slices.Concat(universal(), sizes(), records()) }

// Each check finds a planted bug, alone, within 2,000 cases.
func TestPlants(t *testing.T) { room.FindPlants(t, plants()) }

// The machine, and the checks of traces and changes find bugs, too.
func TestPlantsElsewhere(t *testing.T) {
	room.Elsewhere(t, plants(), []string{"surge bound", "availability bound", "revisions grow", "history limit", "convergence"},
		[]string{"no repeated state", "everything explained"})
}

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
	if n := properties.Cases(t, Kit().Only("bounds after every part", "bounds from stale views", "surge bound", "availability bound").Property(generated), 500); n != 0 {
		t.Errorf("found in case %d without a stale view", n)
	}
	n := properties.Cases(t, Kit().Only("bounds after every prefix", "bounds from stale views").Machine(generated), 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
	t.Logf("found in case %d", n)
}
