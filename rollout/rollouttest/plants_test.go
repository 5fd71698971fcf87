// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

type (
	kruisePlant = properties.Plant[kruise.Snapshot, kruise.Options, kruise.Plan]
	batchPlant  = properties.Plant[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]
	argoPlant   = properties.Plant[argo.Snapshot, argo.Options, argo.Plan]
)

// inPlan plants a bug into the plans of a planner.
func inPlan[S, O, P any](name, bug string, change func(s *S, p *P)) properties.Plant[S, O, P] {
	return properties.Plant[S, O, P]{Name: name, Bug: bug, Wrap: func(plan properties.Planner[S, O, P]) properties.Planner[S, O, P] {
		return func(s S, now time.Time, o O) (P, error) {
			p, err := plan(s, now, o)
			if err == nil {
				change(&s, &p)
			}
			return p, err
		}
	}}
}

// early plants one into the clock of a planner.
func early[S, O, P any](name, bug string, by time.Duration) properties.Plant[S, O, P] {
	return properties.Plant[S, O, P]{Name: name, Bug: bug, Wrap: func(plan properties.Planner[S, O, P]) properties.Planner[S, O, P] {
		return func(s S, now time.Time, o O) (P, error) { return plan(s, now.Add(by), o) }
	}}
}

// refuses refuses what is drawn often.
func refuses[S, O, P any](bug string, often func(*S) bool) properties.Plant[S, O, P] {
	return properties.Plant[S, O, P]{Name: properties.Accepted, Bug: bug, Wrap: func(plan properties.Planner[S, O, P]) properties.Planner[S, O, P] {
		return func(s S, now time.Time, o O) (none P, err error) {
			if often(&s) {
				return none, errors.New("too many")
			}
			return plan(s, now, o)
		}
	}}
}

// hour plants the time of day into a message.
func hour[S, O, P any](message func(*P) *string) properties.Plant[S, O, P] {
	return properties.Plant[S, O, P]{Name: "time shift", Bug: "the time of day decides", Wrap: func(plan properties.Planner[S, O, P]) properties.Planner[S, O, P] {
		return func(s S, now time.Time, o O) (P, error) {
			p, err := plan(s, now, o)
			*message(&p) = fmt.Sprint(now.Hour())
			return p, err
		}
	}}
}

var calls atomic.Int32

// universal are bugs that any planner can have, with a message of its status.
func universal[S, O, P any](message func(*P) *string, index func(*S) string) []properties.Plant[S, O, P] {
	return []properties.Plant[S, O, P]{
		inPlan[S, O]("determinism", "calls are counted", func(_ *S, p *P) { *message(p) = fmt.Sprint(calls.Add(1)) }),
		inPlan[S, O]("no panic", "a field that may be missing is read", func(s *S, p *P) { *message(p) = index(s) }),
		hour[S, O](message),
	}
}

type unknownKruise struct{ kruise.Action }
type unknownBatch struct{ batchrelease.Action }
type unknownArgo struct{ argo.Action }

func kruisePlants() []kruisePlant {
	in := inPlan[kruise.Snapshot, kruise.Options, kruise.Plan]
	return append(universal[kruise.Snapshot, kruise.Options](func(p *kruise.Plan) *string { return &p.Status.Message }, func(s *kruise.Snapshot) string { return s.Workload.StableRevision }),
		refuses[kruise.Snapshot, kruise.Options, kruise.Plan]("more than two steps are an error", func(s *kruise.Snapshot) bool { return len(s.Rollout.Strategy().Steps) > 2 }),
		in("input untouched", "the conditions are handed out", func(s *kruise.Snapshot, p *kruise.Plan) { p.Status.Conditions = s.Rollout.Status.Conditions }),
		in("own objects only", "no UID as a precondition", func(_ *kruise.Snapshot, p *kruise.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(kruise.PatchWorkload); ok {
					a.UID = ""
					p.Actions[i] = a
				}
			}
		}),
		in("everything explained", "a hold without a reason", func(_ *kruise.Snapshot, p *kruise.Plan) {
			for i := range p.Holds {
				p.Holds[i].Reason = ""
			}
		}),
		in("JSON round trip", "an action that JSON does not know", func(_ *kruise.Snapshot, p *kruise.Plan) { p.Actions = append(p.Actions, unknownKruise{}) }),
		early[kruise.Snapshot, kruise.Options, kruise.Plan]("timed pause", "the clock is a minute ahead", time.Minute),
		in("manual pause", "the step does not wait", func(s *kruise.Snapshot, p *kruise.Plan) {
			if sub := p.Status.Sub; sub != nil && sub.CurrentStepState == kruise.StatePaused {
				sub.CurrentStepState = kruise.StateReady
			}
		}),
		in("steps in order", "a step is skipped", func(s *kruise.Snapshot, p *kruise.Plan) {
			if was, sub := s.Rollout.Status.Sub, p.Status.Sub; was != nil && sub != nil && sub.CurrentStepIndex > was.CurrentStepIndex {
				sub.CurrentStepIndex++
			}
		}),
		in("new template restarts", "another template goes on", func(s *kruise.Snapshot, p *kruise.Plan) {
			if was := s.Rollout.Status.Sub; was != nil && s.Workload != nil && s.Workload.CanaryRevision != was.Revision {
				p.Status.Sub = &kruise.StepStatus{CurrentStepIndex: was.CurrentStepIndex + 1, CurrentStepState: kruise.StateBeforeUpgrade}
			}
		}),
		in("traffic follows ready pods", "all traffic in every step", func(_ *kruise.Snapshot, p *kruise.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(kruise.SetRoute); ok && a.Reason == kruise.ReasonRouteTraffic {
					all := int32(100)
					for k := range a.Rules {
						for r := range a.Rules[k].BackendRefs {
							a.Rules[k].BackendRefs[r].Weight = &all
						}
					}
					p.Actions[i] = a
				}
			}
		}),
	)
}

func batchPlants() []batchPlant {
	in := inPlan[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]
	rollsBack := in("rollback in batches", "the batch is a fraction of all pods", func(_ *batchrelease.Snapshot, p *batchrelease.Plan) {
		if p.Context != nil && p.Context.NoNeedUpdate != nil {
			p.Context.Desired = p.Context.Batch.OfUp(p.Context.Replicas)
		}
	})
	rollsBack.On.Snapshots = RollingBack()
	return append(universal[batchrelease.Snapshot, batchrelease.Options](func(p *batchrelease.Plan) *string { return &p.Status.Message }, func(s *batchrelease.Snapshot) string { return s.Workload.UpdateRevision }),
		refuses[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]("more than two batches are an error", func(s *batchrelease.Snapshot) bool { return len(s.Release.ReleasePlan.Batches) > 2 }),
		in("input untouched", "a map of the workload is handed out", func(s *batchrelease.Snapshot, p *batchrelease.Plan) {
			if s.Workload != nil {
				patch := workload.Patch{Annotations: map[string]*string{}}
				patch.Annotations["a"] = &s.Workload.UpdateRevision
				p.Actions = append(p.Actions, batchrelease.PatchWorkload{UID: s.Workload.UID, Patch: patch})
			}
		}),
		in("own objects only", "no UID as a precondition", func(_ *batchrelease.Snapshot, p *batchrelease.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(batchrelease.PatchWorkload); ok {
					a.UID = ""
					p.Actions[i] = a
				}
			}
		}),
		in("everything explained", "a hold without a reason", func(_ *batchrelease.Snapshot, p *batchrelease.Plan) {
			for i := range p.Holds {
				p.Holds[i].Reason = ""
			}
		}),
		in("JSON round trip", "an action that JSON does not know", func(_ *batchrelease.Snapshot, p *batchrelease.Plan) { p.Actions = append(p.Actions, unknownBatch{}) }),
		rollsBack,
	)
}

func argoPlants() []argoPlant {
	in := inPlan[argo.Snapshot, argo.Options, argo.Plan]
	scaled := func(name, bug string, change func(s *argo.Snapshot, a *argo.ScaleReplicaSet)) argoPlant {
		return in(name, bug, func(s *argo.Snapshot, p *argo.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(argo.ScaleReplicaSet); ok {
					change(s, &a)
					p.Actions[i] = a
				}
			}
		})
	}
	return append(universal[argo.Snapshot, argo.Options](func(p *argo.Plan) *string { return &p.Status.Message }, func(s *argo.Snapshot) string { return s.Sets[0].Name }),
		refuses[argo.Snapshot, argo.Options, argo.Plan]("more than five replicas are an error", func(s *argo.Snapshot) bool { return s.Rollout.Replicas != nil && *s.Rollout.Replicas > 5 }),
		in("input untouched", "the step of the status is handed out", func(s *argo.Snapshot, p *argo.Plan) { p.Status.CurrentStepIndex = s.Rollout.Status.CurrentStepIndex }),
		in("order independence", "the first of the list is the oldest", func(s *argo.Snapshot, p *argo.Plan) {
			if len(s.Sets) > 0 {
				p.Status.Message = s.Sets[0].Name
			}
		}),
		in("actions take effect", "a deadline is written even if it is unchanged", func(s *argo.Snapshot, p *argo.Plan) {
			for _, rs := range s.Sets {
				p.Actions = append(p.Actions, argo.DelayReplicaSet{Name: rs.Name, Hash: rs.Hash, Until: rs.ScaleDownAt})
			}
		}),
		in("convergence", "a size goes down and up again", func(s *argo.Snapshot, p *argo.Plan) {
			for _, rs := range s.Sets {
				if n := rs.Replicas; n > 1 && len(p.Actions) == 0 {
					p.Actions = argo.Actions{argo.ScaleReplicaSet{Name: rs.Name, Hash: rs.Hash, From: n, To: n - 1}, argo.ScaleReplicaSet{Name: rs.Name, Hash: rs.Hash, From: n - 1, To: n}}
				}
			}
		}),
		scaled("own objects only", "a ReplicaSet of another owner", func(_ *argo.Snapshot, a *argo.ScaleReplicaSet) { a.Hash = "other" }),
		in("bounds after every prefix", "scale-ups come before scale-downs", func(s *argo.Snapshot, p *argo.Plan) {
			for _, rs := range s.Sets {
				if n := rs.Replicas; n > 0 && n < 1000 {
					p.Actions = append(argo.Actions{
						argo.ScaleReplicaSet{Name: rs.Name, Hash: rs.Hash, From: n, To: n + 50}, argo.ScaleReplicaSet{Name: rs.Name, Hash: rs.Hash, From: n + 50, To: n},
					}, p.Actions...)
				}
			}
		}),
		in("bounds from stale views", "the surge is used twice", func(_ *argo.Snapshot, p *argo.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(argo.CreateReplicaSet); ok {
					a.Replicas += 10
					p.Actions[i] = a
				}
			}
		}),
		in("everything explained", "a hold without a reason", func(_ *argo.Snapshot, p *argo.Plan) {
			for i := range p.Holds {
				p.Holds[i].Reason = ""
			}
		}),
		in("JSON round trip", "an action that JSON does not know", func(_ *argo.Snapshot, p *argo.Plan) { p.Actions = append(p.Actions, unknownArgo{}) }),
		scaled("surge bound", "three pods more than the surge", func(_ *argo.Snapshot, a *argo.ScaleReplicaSet) {
			if a.To > a.From {
				a.To += 3
			}
		}),
		early[argo.Snapshot, argo.Options, argo.Plan]("timed pause", "the clock is an hour ahead", time.Hour),
		argoPlant{Name: "manual pause", Bug: "the step does not wait", Wrap: func(plan ArgoPlanner) ArgoPlanner {
			return func(s argo.Snapshot, now time.Time, o argo.Options) (argo.Plan, error) {
				s.Rollout.Status.PauseConditions, s.Rollout.Status.ControllerPause = nil, true
				return plan(s, now, o)
			}
		}},
		in("steps in order", "a step is skipped", func(s *argo.Snapshot, p *argo.Plan) {
			if was, next := s.Rollout.Status.CurrentStepIndex, p.Status.CurrentStepIndex; was != nil && next != nil && *next > *was {
				further := *next + 1
				p.Status.CurrentStepIndex = &further
			}
		}),
		in("new template restarts", "another template goes on", func(s *argo.Snapshot, p *argo.Plan) {
			if index := int32(1); p.Status.CurrentStepIndex != nil && s.Rollout.TemplateHash != s.Rollout.Status.CurrentPodHash {
				p.Status.CurrentStepIndex = &index
			}
		}),
		in("traffic follows ready pods", "all requests at once", func(_ *argo.Snapshot, p *argo.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(argo.SetWeight); ok {
					a.Canary.Weight, a.Stable.Weight = 100, 0
					p.Actions[i] = a
				}
			}
		}),
		in("end of a release", "a new template is stable immediately", func(_ *argo.Snapshot, p *argo.Plan) { p.Status.StableRS = p.Status.CurrentPodHash }),
	)
}

// Each check finds a planted bug, alone, within 2,000 cases, for each planner that it is for.
func TestPlants(t *testing.T) {
	bugs := map[string][]string{}
	for _, found := range []map[string]string{
		kruiseRoom.Found(t, kruisePlants()), batchRoom.Found(t, batchPlants()), argoRoom.Found(t, argoPlants()), releases.Found(t, releasePlants()),
	} {
		for name, bug := range found {
			if !slices.Contains(bugs[name], bug) {
				bugs[name] = append(bugs[name], bug)
			}
		}
	}
	all := map[string]string{}
	for name, list := range bugs {
		all[name] = strings.Join(list, "; ")
	}
	properties.Compare(t, rows(), all)
}

// The machine finds bugs, too, and CheckChange those that need no plan.
func TestPlantsElsewhere(t *testing.T) {
	found := func(name string, property func(*rapid.T)) {
		t.Run(name, func(t *testing.T) {
			if properties.Cases(t, property, 2000) == 0 {
				t.Fatal("not found in 2000 cases")
			}
		})
	}
	for _, p := range kruisePlants() {
		if slices.Contains([]string{"timed pause", "steps in order"}, p.Name) {
			found("machine of kruise: "+p.Name, Machine(p.Wrap(kruise.Reconcile), Only(p.Name)))
		}
	}
	for _, p := range batchPlants() {
		if p.Name == "own objects only" {
			found("machine of batchrelease: "+p.Name, Machine(p.Wrap(batchrelease.Reconcile), Only(p.Name)))
		}
	}
	for _, p := range argoPlants() {
		if slices.Contains([]string{"surge bound", "bounds after every prefix", "convergence", "end of a release"}, p.Name) {
			found("machine of argo: "+p.Name, Machine(p.Wrap(argo.Reconcile), Only(p.Name)))
		}
		if slices.Contains(argoRoom.Derived, p.Name) {
			found("change of argo: "+p.Name, changes(p.Wrap(argo.Reconcile), p.Name))
		}
	}
}

// changes looks at what is made of a Rollout of Argo by a planner's plans.
func changes(plan ArgoPlanner, name string) func(*rapid.T) {
	return func(t *rapid.T) {
		s, o := Snapshots[argo.Snapshot](0).Draw(t, "snapshot"), Options[argo.Options]().Draw(t, "options")
		p, err := plan(s, Now(), o)
		if err != nil {
			return
		}
		after, err := p.Actions.Apply(s, Now())
		if err == nil {
			after.Rollout.Status = p.Status
			if i := slices.IndexFunc(p.Actions, func(a argo.Action) bool { _, ok := a.(argo.SetWeight); return ok }); i >= 0 {
				led := p.Actions[i].(argo.SetWeight)
				after.Rollout.Status.Weights = &argo.TrafficWeights{Canary: led.Canary, Stable: led.Stable}
			}
			CheckChange(t, Change{Before: s, After: after, Now: Now(), Options: o}, Only(name))
		}
	}
}
