// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/replicaset/expect"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// limited is a Deployment with absolute limits.
func limited(replicas, surge, unavailable int32) deploy.Deployment {
	d := web(replicas)
	d.MaxSurge, d.MaxUnavailable = rollout.Int(surge), rollout.Int(unavailable)
	return d
}

// midway is a rollout that may lose 5 old pods of 10 next, and begun one that creates 3
// new ones.
func midway() deploy.Snapshot { return snapshot(limited(10, 3, 2), set(1, 10), set(2, 3)) }
func begun() deploy.Snapshot  { return snapshot(limited(10, 3, 2), set(1, 10)) }

// outgrown is 10 pods of two templates, with 20 desired.
func outgrown() deploy.Snapshot {
	return snapshot(limited(20, 0, 1), sized(set(1, 6), 10, 10), sized(set(2, 4), 10, 10))
}

// doubled is outgrown with so many pods that rounding does not count.
func doubled() deploy.Snapshot {
	return snapshot(limited(200, 0, 1), sized(set(1, 60), 100, 100), sized(set(2, 40), 100, 100))
}

// scaled changes the scalings of a plan.
func scaled(change func(*deploy.ScaleReplicaSet)) func(*deploy.Plan) {
	return func(p *deploy.Plan) {
		for i, a := range p.Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok {
				change(&a)
				p.Actions[i] = a
			}
		}
	}
}

func made(change func(*deploy.CreateReplicaSet)) func(*deploy.Plan) {
	return func(p *deploy.Plan) {
		for i, a := range p.Actions {
			if a, ok := a.(deploy.CreateReplicaSet); ok {
				change(&a)
				p.Actions[i] = a
			}
		}
	}
}

func also(actions ...deploy.Action) func(*deploy.Plan) {
	return func(p *deploy.Plan) { p.Actions = append(p.Actions, actions...) }
}

func idle(p *deploy.Plan) { p.Actions, p.Holds = nil, nil }

var corrected = deploy.Options{Repair: quirk.All}

func deploymentPlants() []plant {
	plan := func(name, bug string, s deploy.Snapshot, o deploy.Options, change func(*deploy.Plan)) plant {
		return inPlan(name, bug, deploy.Reconcile, s, o, change)
	}
	paused := midway()
	paused.Deployment.Paused = true
	recreate := snapshot(web(3), counted(set(1, 0), 1, 0))
	recreate.Deployment.Strategy = deploy.Recreate
	sick := snapshot(limited(10, 3, 2), set(1, 5), counted(set(2, 5), 5, 3), set(3, 3))
	sick.Deployment.Template = revision.Template{ID: "v3", Hash: "v3"}
	back := snapshot(web(3), set(1, 0), set(2, 3))
	back.Deployment.Annotations = map[string]string{revision.AnnotationRollback: "1"}
	leaving := begun()
	leaving.ReplicaSets[0].Status.TerminatingReplicas = ptr.To(int32(2))
	return []plant{
		plan("surge bound", "one pod more than the surge", begun(), deploy.Options{}, made(func(a *deploy.CreateReplicaSet) { a.Replicas++ })),
		plan("availability bound", "one pod fewer than must be available", midway(), deploy.Options{}, scaled(func(a *deploy.ScaleReplicaSet) { a.To-- })),
		plan("rounding of limits", "surge rounded down", snapshot(web(10), set(1, 10)), deploy.Options{}, func(p *deploy.Plan) { p.Budget.Surge-- }),
		plan("limits never both zero", "no fence at 0 and 0", snapshot(limited(10, 0, 0), set(1, 10)), deploy.Options{}, func(p *deploy.Plan) { p.Budget.Unavailable = 0 }),
		plan("proportional scaling", "a remainder is lost", outgrown(), corrected, scaled(func(a *deploy.ScaleReplicaSet) { a.To-- })),
		plan("scaled to zero", "a pod is kept", snapshot(limited(0, 1, 0), sized(set(1, 3), 5, 6), sized(set(2, 2), 5, 6)), deploy.Options{}, scaled(func(a *deploy.ScaleReplicaSet) { a.To = 1 })),
		plan("paused Deployment", "a new template starts while paused", paused, deploy.Options{}, also(deploy.CreateReplicaSet{Name: "web-v3", Replicas: 1})),
		plan("Recreate waits for old pods", "new pods do not wait for old ones", recreate, deploy.Options{}, also(deploy.CreateReplicaSet{Name: "web-v2", Replicas: 3})),
		plan("one new ReplicaSet", "the youngest with the template is new", snapshot(limited(4, 1, 1), set(1, 2), counted(set(2, 2), 1, 1)), deploy.Options{}, func(p *deploy.Plan) { p.Status.UpdatedReplicas = 2 }),
		plan("one active ReplicaSet in the end", "done while old pods are left", midway(), deploy.Options{}, idle),
		plan("unhealthy old pods first", "available pods go before others", sick, deploy.Options{}, func(p *deploy.Plan) {
			p.Actions = slices.DeleteFunc(p.Actions, func(a deploy.Action) bool { s, ok := a.(deploy.ScaleReplicaSet); return ok && s.Name == "web-v2" })
		}),
		plan("no stuck rollout", "a step is forgotten", midway(), deploy.Options{}, idle),
		plan("progress deadline", "the deadline is taken for minutes", midway(), deploy.Options{}, func(p *deploy.Plan) {
			p.Status.Conditions = []kplan.Condition{{Type: deploy.ConditionProgressing, Status: "False", Reason: "ProgressDeadlineExceeded"}}
		}),
		plan("revisions grow", "the number of revisions instead of the highest", snapshot(limited(3, 1, 0), set(5, 3)), deploy.Options{}, made(func(a *deploy.CreateReplicaSet) { a.Revision = 2 })),
		plan("history limit", "the limit counts what has pods", old(3), deploy.Options{}, also(deploy.DeleteReplicaSet{Name: "web-v3", UID: "v3"})),
		collision(),
		plan("rollback template", "the latest template instead of the one asked for", back, deploy.Options{}, func(p *deploy.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(deploy.RollBackDeployment); ok {
					a.Template = revision.Template{ID: "v2", Hash: "v2"}
					p.Actions[i] = a
				}
			}
		}),
		plan("Deployment status recount", "pods of the new template count twice", midway(), deploy.Options{}, func(p *deploy.Plan) { p.Status.AvailableReplicas += 3 }),
		plan("terminating pods policy", "pods that wait to end take up no room", leaving, deploy.Options{Terminating: deploy.TerminationComplete}, made(func(a *deploy.CreateReplicaSet) { a.Replicas = 3 })),
		plan("desired-replicas recorded", "the former replicas are recorded", outgrown(), corrected, scaled(func(a *deploy.ScaleReplicaSet) { a.Set[revision.AnnotationDesired] = "10" })),
		inPlanner("interrupted scaling", "shares of what is there by now", deploy.Reconcile, doubled(), corrected, func(plan deploymentFunc) deploymentFunc {
			return func(s deploy.Snapshot, now time.Time, _ deploy.Options) (deploy.Plan, error) {
				return plan(s, now, deploy.Options{})
			}
		}),
		plan("sizes within int32", "a size wraps around", midway(), deploy.Options{}, scaled(func(a *deploy.ScaleReplicaSet) { a.To = -2147483648 })),
	}
}

type deploymentFunc = func(deploy.Snapshot, time.Time, deploy.Options) (deploy.Plan, error)

// old is a Deployment that is done, with n empty old sets, of which one may stay.
func old(n int) deploy.Snapshot {
	d := limited(3, 1, 0)
	d.Template = revision.Template{ID: "v9", Hash: "v9"}
	d.RevisionHistoryLimit = ptr.To(int32(1))
	d.Status = deploy.Status{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 3}
	sets := []replicaset.ReplicaSet{set(9, 3)}
	for i := range n {
		sets = append(sets, set(i+1, 0))
	}
	return snapshot(d, sets...)
}

func collision() plant {
	s := begun()
	foreign := set(7, 1)
	foreign.Name, foreign.ControllerUID = "web-v2", "other"
	s.ReplicaSets = append(s.ReplicaSets, foreign)
	create := deploy.CreateReplicaSet{Name: "web-v2"}
	p, err := deploy.NewPass(s, t0, deploy.Options{})
	if err != nil {
		panic(err)
	}
	p.Plan = deploy.Plan{Actions: deploy.Actions{create}}
	after := p.Finish(deploy.Report{Outcomes: []kplan.Outcome{{Answer: kplan.AlreadyExists}}})
	c := invariant.Collision{Pass: invariant.DeploymentPass{Snapshot: s, Now: t0}, Create: create, After: after}
	return inCase("hash collision", "the count stays, and so does the name", c, func(c *invariant.Collision) { c.After.Status.CollisionCount = nil })
}

// odd is an unknown action.
type odd struct{ deploy.Action }

func universalPlants() []plant {
	wrap := func(name, bug string, change func(s deploy.Snapshot, now time.Time, p *deploy.Plan)) plant {
		return inPlanner(name, bug, deploy.Reconcile, midway(), deploy.Options{}, func(plan deploymentFunc) deploymentFunc {
			return func(s deploy.Snapshot, now time.Time, o deploy.Options) (deploy.Plan, error) {
				p, err := plan(s, now, o)
				change(s, now, &p)
				return p, err
			}
		})
	}
	var calls atomic.Int32
	growing := func(sizes ...int32) invariant.DeploymentTrace {
		t := invariant.DeploymentTrace{Fair: true}
		for _, n := range sizes {
			t.Passes = append(t.Passes, invariant.DeploymentPass{Snapshot: snapshot(web(5), set(2, n)), Now: t0})
		}
		return t
	}
	three := replicaset.Snapshot{ReplicaSet: replicas(3)}
	for i := range 3 {
		p := podorder.Pod{Name: string(rune('a' + i)), UID: string(rune('a' + i)), ControllerUID: "web-uid", Phase: podorder.Running, Labels: map[string]string{"app": "web"}}
		three.Pods = append(three.Pods, p)
	}
	few := three
	few.Pods = few.Pods[:1]
	return []plant{
		wrap("determinism", "calls are counted", func(_ deploy.Snapshot, _ time.Time, p *deploy.Plan) { p.Status.Replicas = calls.Add(1) }),
		wrap("input untouched", "a map of the snapshot is handed out", func(s deploy.Snapshot, _ time.Time, p *deploy.Plan) {
			if len(s.ReplicaSets) > 0 {
				p.Actions = append(p.Actions, deploy.AnnotateDeployment{Set: s.ReplicaSets[0].Annotations})
			}
		}),
		wrap("order independence", "the first of the list is the oldest", func(s deploy.Snapshot, _ time.Time, p *deploy.Plan) {
			if len(s.ReplicaSets) > 0 {
				p.Events = append(p.Events, kplan.Event{Message: s.ReplicaSets[0].Name})
			}
		}),
		wrap("no panic", "an index out of range", func(s deploy.Snapshot, _ time.Time, p *deploy.Plan) {
			p.Status.Replicas = *s.ReplicaSets[len(s.ReplicaSets)].Replicas
		}),
		wrap("actions take effect", "an annotation is written whether it is there or not", func(s deploy.Snapshot, _ time.Time, p *deploy.Plan) {
			rs := s.ReplicaSets[0]
			p.Actions = append(p.Actions, deploy.AnnotateReplicaSet{Name: rs.Name, UID: rs.UID, Set: map[string]string{revision.AnnotationRevision: rs.Annotations[revision.AnnotationRevision]}})
		}),
		wrap("convergence", "a write for every pass", func(s deploy.Snapshot, now time.Time, p *deploy.Plan) {
			p.Actions = append(p.Actions, deploy.AnnotateDeployment{Set: map[string]string{"seen": now.String()}})
		}),
		inCase("no repeated state", "a size goes up and down", growing(3, 4, 5), func(t *invariant.DeploymentTrace) { *t = growing(3, 4, 3) }),
		inPlan("own objects only", "no UID as a precondition", deploy.Reconcile, midway(), deploy.Options{}, scaled(func(a *deploy.ScaleReplicaSet) { a.UID = "" })),
		wrap("bounds after every prefix", "it shrinks to nothing and grows back", func(s deploy.Snapshot, _ time.Time, p *deploy.Plan) {
			for _, rs := range s.ReplicaSets {
				if n := *rs.Replicas; rs.Name == "web-v1" && n > 0 {
					p.Actions = append(deploy.Actions{deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: n, To: 0}, deploy.ScaleReplicaSet{Name: rs.Name, UID: rs.UID, From: 0, To: n}}, p.Actions...)
				}
			}
		}),
		inPlanner("bounds after every part", "a pod is replaced by one plan", replicaset.Reconcile, three, replicaset.Options{}, func(plan replicaSetFunc) replicaSetFunc {
			return func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				p, err := plan(s, now, o)
				if len(s.Pods) == 3 {
					p.Actions = append(p.Actions, replicaset.DeletePod{Name: s.Pods[0].Name, UID: s.Pods[0].UID}, replicaset.CreatePods{Count: 1})
				}
				return p, err
			}
		}),
		inPlanner("bounds from stale views", "expectations are not read", replicaset.Reconcile, few, replicaset.Options{}, func(plan replicaSetFunc) replicaSetFunc {
			return func(s replicaset.Snapshot, now time.Time, o replicaset.Options) (replicaset.Plan, error) {
				s.Expectations = expect.Expectations{}
				return plan(s, now, o)
			}
		}),
		inPlan("everything explained", "a hold without numbers", deploy.Reconcile, midway(), deploy.Options{}, func(p *deploy.Plan) {
			p.Holds = append(p.Holds, kplan.Hold{Name: "web-v1", Reason: reason.MinAvailable})
		}),
		inPlan("everything explained", "an action without a reason", deploy.Reconcile, midway(), deploy.Options{}, scaled(func(a *deploy.ScaleReplicaSet) { a.Reason = "" })),
		inPlan("JSON round trip", "an action that JSON does not know", deploy.Reconcile, midway(), deploy.Options{}, func(p *deploy.Plan) { p.Actions[0] = odd{p.Actions[0]} }),
		wrap("time shift", "the time of day decides", func(_ deploy.Snapshot, now time.Time, p *deploy.Plan) { p.Status.Replicas = int32(now.Unix() % 1000) }),
	}
}
