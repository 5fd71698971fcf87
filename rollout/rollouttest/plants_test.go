// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/plantest"
	"github.com/kplan-go/kplan/rollout/workload"
)

type (
	kruisePlant = properties.Plant[kruise.Snapshot, kruise.Options, kruise.Plan]
	batchPlant  = properties.Plant[batchrelease.Snapshot, batchrelease.Options, batchrelease.Plan]
	argoPlant   = properties.Plant[argo.Snapshot, argo.Options, argo.Plan]
)

type unknownKruise struct{ kruise.Action }
type unknownBatch struct{ batchrelease.Action }
type unknownArgo struct{ argo.Action }

func kruisePlants() []kruisePlant {
	in := kruiseRoom.InPlan
	return append(kruiseRoom.Impurities(func(p *kruise.Plan, n int32) { p.Status.Message = fmt.Sprint(n) }),
		in("no panic", "a field that may be missing is read", func(s *kruise.Snapshot, p *kruise.Plan) { p.Status.Message = s.Workload.StableRevision }),
		kruiseRoom.Refusal("more than two steps are an error", func(s *kruise.Snapshot) bool { return len(s.Rollout.Strategy().Steps) > 2 }),
		in("input untouched", "the conditions are handed out", func(s *kruise.Snapshot, p *kruise.Plan) { p.Status.Conditions = s.Rollout.Status.Conditions }),
		in("own objects only", "no UID as a precondition", func(_ *kruise.Snapshot, p *kruise.Plan) {
			properties.Each(p.Actions, func(a *kruise.PatchWorkload) {
				a.UID = ""
			})
		}),
		in("everything explained", "a hold without a reason", func(_ *kruise.Snapshot, p *kruise.Plan) {
			for i := range p.Holds {
				p.Holds[i].Reason = ""
			}
		}),
		in("JSON round trip", "an action that JSON does not know", func(_ *kruise.Snapshot, p *kruise.Plan) { p.Actions = append(p.Actions, unknownKruise{}) }),
		kruiseRoom.InView("timed pause", "the clock is a minute ahead", func(_ *kruise.Snapshot, now *time.Time, _ *kruise.Options) { *now = now.Add(time.Minute) }),
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
				if a, ok := a.(kruise.SetRoute); ok && a.Reason == reason.RouteTraffic {
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
	in := batchRoom.InPlan
	rollsBack := in("rollback in batches", "the batch is a fraction of all pods", func(_ *batchrelease.Snapshot, p *batchrelease.Plan) {
		if p.Context != nil && p.Context.NoNeedUpdate != nil {
			p.Context.Desired = p.Context.Batch.OfUp(p.Context.Replicas)
		}
	})
	rollsBack.On.Snapshots = RollingBack()
	return append(batchRoom.Impurities(func(p *batchrelease.Plan, n int32) { p.Status.Message = fmt.Sprint(n) }),
		in("no panic", "a field that may be missing is read", func(s *batchrelease.Snapshot, p *batchrelease.Plan) { p.Status.Message = s.Workload.UpdateRevision }),
		batchRoom.Refusal("more than two batches are an error", func(s *batchrelease.Snapshot) bool { return len(s.Release.ReleasePlan.Batches) > 2 }),
		in("input untouched", "a map of the workload is handed out", func(s *batchrelease.Snapshot, p *batchrelease.Plan) {
			if s.Workload != nil {
				patch := workload.Patch{Annotations: map[string]*string{}}
				patch.Annotations["a"] = &s.Workload.UpdateRevision
				p.Actions = append(p.Actions, batchrelease.PatchWorkload{UID: s.Workload.UID, Patch: patch})
			}
		}),
		in("own objects only", "no UID as a precondition", func(_ *batchrelease.Snapshot, p *batchrelease.Plan) {
			properties.Each(p.Actions, func(a *batchrelease.PatchWorkload) {
				a.UID = ""
			})
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
	in := argoRoom.InPlan
	scaled := func(name, bug string, change func(s *argo.Snapshot, a *argo.ScaleReplicaSet)) argoPlant {
		return in(name, bug, func(s *argo.Snapshot, p *argo.Plan) {
			properties.Each(p.Actions, func(a *argo.ScaleReplicaSet) { change(s, a) })
		})
	}
	return append(argoRoom.Impurities(func(p *argo.Plan, n int32) { p.Status.Message = fmt.Sprint(n) }),
		in("no panic", "a field that may be missing is read", func(s *argo.Snapshot, p *argo.Plan) { p.Status.Message = s.Sets[0].Name }),
		argoRoom.Refusal("more than five replicas are an error", func(s *argo.Snapshot) bool { return s.Rollout.Replicas != nil && *s.Rollout.Replicas > 5 }),
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
			properties.Each(p.Actions, func(a *argo.CreateReplicaSet) {
				a.Replicas += 10
			})
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
		argoRoom.InView("timed pause", "the clock is an hour ahead", func(_ *argo.Snapshot, now *time.Time, _ *argo.Options) { *now = now.Add(time.Hour) }),
		argoRoom.InView("manual pause", "the step does not wait", func(s *argo.Snapshot, _ *time.Time, _ *argo.Options) {
			s.Rollout.Status.PauseConditions, s.Rollout.Status.ControllerPause = nil, true
		}),
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
			properties.Each(p.Actions, func(a *argo.SetWeight) {
				a.Canary.Weight, a.Stable.Weight = 100, 0
			})
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

// The machine finds bugs, too, and CheckTrace and CheckChange do for Argo.
func TestPlantsElsewhere(t *testing.T) {
	kruiseRoom.Elsewhere(t, kruisePlants(), []string{"timed pause", "steps in order"}, nil)
	batchRoom.Elsewhere(t, batchPlants(), []string{"own objects only"}, nil)
	led := "traffic follows ready pods" // see TestTrafficInChanges
	others := slices.DeleteFunc(argoPlants(), func(p argoPlant) bool { return p.Name == led })
	argoRoom.Elsewhere(t, others, []string{"surge bound", "bounds after every prefix", "convergence", "end of a release"},
		[]string{"surge bound", "everything explained"})
}

// CheckChange finds weights that are in the status of a Rollout, where a plan only has an action.
func TestTrafficInChanges(t *testing.T) {
	const name = "traffic follows ready pods"
	plants := argoPlants()
	plan := plants[slices.IndexFunc(plants, func(p argoPlant) bool { return p.Name == name })].Wrap(argo.Reconcile)
	n := properties.Cases(t, func(t *rapid.T) {
		s, o := Argo().Snapshots().Draw(t, "snapshot"), Argo().Options().Draw(t, "options")
		p, err := plan(s, plantest.Now(), o)
		if err != nil {
			return
		}
		after, err := p.Actions.Apply(s, plantest.Now())
		if err != nil {
			return
		}
		after.Rollout.Status = p.Status
		properties.Each(p.Actions, func(a *argo.SetWeight) {
			after.Rollout.Status.Weights = &argo.TrafficWeights{Canary: a.Canary, Stable: a.Stable}
		})
		Argo().Only(name).CheckChange(t, plantest.Change[argo.Snapshot, argo.Options]{Before: s, After: after, Now: plantest.Now(), Options: o})
	}, 2000)
	if n == 0 {
		t.Fatal("not found in 2000 cases")
	}
}
