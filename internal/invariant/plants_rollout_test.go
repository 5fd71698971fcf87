package invariant_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/internal/invariant"
	"github.com/kplan-go/kplan/rollout"
)

var demo = rollout.WorkloadRef{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}

func step(replicas rollout.IntOrPercent, seconds int32) rollout.Step {
	s := rollout.Step{Replicas: replicas}
	if seconds >= 0 {
		s.Pause.Duration = &seconds
	}
	return s
}

// standing is a release of v2 that stands in the first of its steps.
func standing(state rollout.StepState, steps ...rollout.Step) rollout.Snapshot {
	r := rollout.Rollout{Name: "web", UID: "r", WorkloadRef: demo, Canary: &rollout.Strategy{Steps: steps}, Finalizers: []string{rollout.FinalizerRollout}}
	return stands(r, state)
}

func stands(r rollout.Rollout, state rollout.StepState) rollout.Snapshot {
	r.Annotations = map[string]string{rollout.AnnotationHash: rollout.StrategyHash(r)}
	n := len(r.Canary.Steps)
	r.Status = rollout.RolloutStatus{
		Phase: rollout.PhaseProgressing,
		Conditions: []rollout.Condition{{Type: rollout.ConditionProgressing, Status: "True", Reason: rollout.ProgressInRolling, Message: "m",
			LastUpdateTime: t0.Add(-time.Minute), LastTransitionTime: t0.Add(-time.Minute)}},
		Sub: &rollout.StepStatus{
			Revision: "v2", StableRevision: "v1", PodTemplateHash: "v2", RolloutHash: rollout.StrategyHash(r), CurrentStepIndex: 1,
			NextStepIndex: rollout.NextStep(int32(n), 1), CurrentStepState: state, LastUpdateTime: t0.Add(-time.Minute),
		},
		CurrentStepIndex: 1, CurrentStepState: state,
	}
	return rollout.Snapshot{Rollout: r, Workload: &rollout.WorkloadState{
		WorkloadRef: demo, UID: "d", Consistent: true, Generation: 1, Replicas: 6, InProgress: true, StableRevision: "v1", CanaryRevision: "v2",
		PodTemplateHash: "v2", RevisionLabelKey: rollout.LabelPodTemplateHash, Labels: map[string]string{rollout.LabelWorkloadType: "deployment"},
	}}
}

// led is a release with traffic that is about to be led to new pods.
func led(state rollout.StepState) rollout.Snapshot {
	route := "route"
	first := step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	r := rollout.Rollout{Name: "web", UID: "r", WorkloadRef: demo, Finalizers: []string{rollout.FinalizerRollout}, Canary: &rollout.Strategy{
		Steps: []rollout.Step{first, step(rollout.Percent(100), 0)}, TrafficRoutings: []rollout.TrafficRouting{{Service: "web", Gateway: &rollout.GatewayRef{HTTPRouteName: &route}}},
	}}
	s := stands(r, state)
	s.Traffic = rollout.Traffic{
		Stable: &rollout.Service{Name: "web", Selector: map[string]string{rollout.LabelPodTemplateHash: "v1"}},
		Canary: &rollout.Service{Name: "web-canary", Selector: map[string]string{rollout.LabelPodTemplateHash: "v2"}},
		Route:  &rollout.Route{Name: route, Rules: []rollout.RouteRule{{BackendRefs: []rollout.BackendRef{{Kind: "Service", Name: "web"}}}}},
	}
	return s
}

func weighted(weight int32) rollout.SetRoute {
	return rollout.SetRoute{Name: "route", Reason: rollout.ReasonRouteTraffic, Rules: []rollout.RouteRule{{BackendRefs: []rollout.BackendRef{
		{Kind: "Service", Name: "web", Weight: new(100 - weight)}, {Kind: "Service", Name: "web-canary", Weight: &weight}}}}}
}

// view is a moment of a release of v2 in place of v1, 6 pods, a partition of some
// percent.
func view(template string, percent, fresh, old int32) invariant.ReleaseView {
	strategy, err := json.Marshal(rollout.DeploymentStrategy{RollingStyle: "Partition", Partition: rollout.Percent(percent),
		RollingUpdate: &rollout.RollingUpdate{MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(1)}})
	if err != nil {
		panic(err)
	}
	v := invariant.ReleaseView{At: t0, Rollout: led(rollout.StatePaused).Rollout, New: fresh, Old: old, NewReady: fresh, Available: fresh + old}
	v.Release = &rollout.BatchRelease{Name: "web", UID: "b"}
	v.Workload = rollout.Workload{WorkloadRef: demo, UID: "d", Replicas: new(int32(6)), Paused: true,
		Annotations: map[string]string{rollout.AnnotationControlInfo: "x", rollout.AnnotationStrategy: string(strategy)}}
	v.Workload.Template.ID, v.Workload.Template.Hash = template, template
	return v
}

// over is a moment after a release.
func over(template string, fresh, old int32) invariant.ReleaseView {
	v := view(template, 0, fresh, old)
	v.Release, v.Workload.Paused, v.Workload.Annotations = nil, false, nil
	v.Rollout.Status.Phase = rollout.PhaseHealthy
	return v
}

func release(views ...invariant.ReleaseView) invariant.Release {
	return invariant.Release{Views: views, Fair: true, Options: rollout.Options{Repair: rollout.RepairAll}}
}

func rolloutPlants() []plant {
	plan := func(name, bug string, s rollout.Snapshot, change func(*rollout.Plan)) plant {
		return inPlan(name, bug, rollout.Reconcile, s, rollout.Options{}, change)
	}
	stepTo := func(index int32, state rollout.StepState) func(*rollout.Plan) {
		return func(p *rollout.Plan) { p.Status.Sub.CurrentStepIndex, p.Status.Sub.CurrentStepState = index, state }
	}
	batches := invariant.Partitioning{Replicas: 6, Rescaled: 11, Batches: []rollout.IntOrPercent{rollout.Percent(20), rollout.Percent(50), rollout.Percent(100)}}
	part := func(name, bug string, limit func(rollout.IntOrPercent, int32) int32) plant {
		return inCase(name, bug, batches, func(c *invariant.Partitioning) { c.Limit = limit })
	}
	of := func(good, bad invariant.Release) (invariant.Release, func(*invariant.Release)) {
		return good, func(r *invariant.Release) { *r = bad }
	}
	releases := func(name, bug string, good, bad invariant.Release) plant {
		g, change := of(good, bad)
		return inCase(name, bug, g, change)
	}
	other := standing(rollout.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0))
	other.Workload.CanaryRevision, other.Workload.PodTemplateHash = "v3", "v3"
	early := view("v2", 20, 0, 6)
	early.Traffic.Route = &rollout.Route{Rules: weighted(20).Rules}
	late := view("v2", 20, 2, 5)
	late.Traffic.Route = early.Traffic.Route
	frozen := over("v2", 6, 0)
	frozen.Workload.Paused = true
	skipped := view("v3", 20, 2, 5)
	skipped.Rollout.Status.Sub = &rollout.StepStatus{Revision: "v3", CurrentStepIndex: 2}
	begins := view("v3", 20, 2, 5)
	begins.Rollout.Status.Sub = &rollout.StepStatus{Revision: "v3", CurrentStepIndex: 1}
	return []plant{
		part("batches grow", "batches are counted from the end", func(v rollout.IntOrPercent, n int32) int32 { return n - rollout.PartitionLimit(v, n) }),
		releases("batches grow", "a partition is lowered", release(view("v2", 20, 2, 4), view("v2", 50, 3, 3)), release(view("v2", 50, 3, 3), view("v2", 20, 3, 3))),
		inCase("percentage leaves an old pod", "99% is rounded up to all", invariant.Partitioning{Replicas: 6, Batches: []rollout.IntOrPercent{rollout.Percent(99)}},
			func(c *invariant.Partitioning) {
				c.Limit = func(v rollout.IntOrPercent, n int32) int32 { return v.OfUp(n) }
			}),
		releases("step bounds", "the surge is taken twice", release(view("v2", 20, 2, 5)), release(view("v2", 20, 2, 6))),
		part("fraction after scaling", "the number of the first size is kept", func(v rollout.IntOrPercent, _ int32) int32 { return rollout.PartitionLimit(v, 6) }),
		plan("timed pause", "a pause of two minutes ends after one", standing(rollout.StatePaused, step(rollout.Percent(20), 120), step(rollout.Percent(100), 0)), stepTo(1, rollout.StateReady)),
		rollsBack(),
		releases("abandoned release", "a release that is given up leaves pods", release(view("v1", 0, 6, 0), view("v2", 20, 2, 4), over("v1", 6, 0)), release(view("v1", 0, 6, 0), view("v2", 20, 2, 4), over("v1", 4, 2))),
		plan("steps in order", "a step is skipped", standing(rollout.StateReady, step(rollout.Percent(20), 0), step(rollout.Percent(50), 0), step(rollout.Percent(100), 0)), stepTo(3, rollout.StateBeforeUpgrade)),
		plan("new template restarts", "the next step begins with another template", other, func(p *rollout.Plan) {
			p.Status.Sub = &rollout.StepStatus{CurrentStepIndex: 2, CurrentStepState: rollout.StateBeforeUpgrade}
		}),
		releases("new template restarts", "another template starts in the middle", release(view("v2", 20, 2, 5), begins), release(view("v2", 20, 2, 5), skipped)),
		plan("traffic follows ready pods", "traffic before pods", led(rollout.StateUpgrade), func(p *rollout.Plan) { p.Actions = append(p.Actions, weighted(20)) }),
		releases("traffic follows ready pods", "traffic without a ready pod", release(late), release(early)),
		plan("manual pause", "nobody is asked", standing(rollout.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0)), stepTo(1, rollout.StateReady)),
		releases("end of a release", "it is over while the workload is paused", release(view("v2", 100, 6, 0), over("v2", 6, 0)), release(view("v2", 100, 6, 0), frozen)),
	}
}

// rollsBack is a batch of a rollback: 50% of the 4 pods that are left to update.
func rollsBack() plant {
	clones := rollout.WorkloadRef{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
	s := rollout.BatchSnapshot{Release: rollout.BatchRelease{
		Name: "web", UID: "b", WorkloadRef: clones, Annotations: map[string]string{rollout.AnnotationRollbackInBatch: "true"}, Finalizers: []string{rollout.FinalizerBatchRelease},
		ReleasePlan: rollout.ReleasePlan{Batches: []rollout.Batch{{CanaryReplicas: rollout.Percent(50)}, {CanaryReplicas: rollout.Percent(100)}}, BatchPartition: new(int32(0)), RolloutID: "2"},
	}}
	for i := range 6 {
		hash := "v2"
		if i < 2 {
			hash = "v1"
		}
		s.Pods = append(s.Pods, rollout.Pod{Name: fmt.Sprint("p", i), UID: fmt.Sprint("p", i), Ready: true, Labels: map[string]string{rollout.LabelPodTemplateHash: hash}})
	}
	br := s.Release
	br.Status = rollout.BatchStatus{Current: rollout.CurrentBatch{NoNeedUpdateReplicas: new(int32(2))}}
	w := rollout.Workload{WorkloadRef: clones, UID: "d", Replicas: new(int32(6)), UpdateRevision: "v1"}
	context := rollout.NewBatchContext(br, w, nil, 0)
	pass := invariant.BatchPass{Snapshot: s, Now: t0, Plan: rollout.BatchPlan{Context: &context}}
	return inCase("rollback in batches", "the batch is of all pods", pass, func(c *invariant.BatchPass) {
		wrong := context
		wrong.Desired = 3
		c.Plan.Context = &wrong
	})
}
