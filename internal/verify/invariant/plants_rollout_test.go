// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

var demo = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo"}

func step(replicas rollout.IntOrPercent, seconds int32) kruise.Step {
	s := kruise.Step{Replicas: replicas}
	if seconds >= 0 {
		s.Pause.Duration = &seconds
	}
	return s
}

// inStep is a release of v2 in the first of its steps.
func inStep(state kruise.StepState, steps ...kruise.Step) kruise.Snapshot {
	r := kruise.Rollout{Name: "web", UID: "r", WorkloadRef: demo, Canary: &kruise.Strategy{Steps: steps}, Finalizers: []string{workload.FinalizerRollout}}
	return stands(r, state)
}

func stands(r kruise.Rollout, state kruise.StepState) kruise.Snapshot {
	r.Annotations = map[string]string{workload.AnnotationHash: kruise.StrategyHash(r)}
	n := len(r.Canary.Steps)
	r.Status = kruise.Status{
		Phase: kruise.PhaseProgressing,
		Conditions: []kplan.Condition{{Type: workload.ConditionProgressing, Status: "True", Reason: kruise.ProgressInRolling, Message: "m",
			LastUpdateTime: t0.Add(-time.Minute), LastTransitionTime: t0.Add(-time.Minute)}},
		Sub: &kruise.StepStatus{
			Revision: "v2", StableRevision: "v1", PodTemplateHash: "v2", RolloutHash: kruise.StrategyHash(r), CurrentStepIndex: 1,
			NextStepIndex: kruise.NextStep(int32(n), 1), CurrentStepState: state, LastUpdateTime: t0.Add(-time.Minute),
		},
		CurrentStepIndex: 1, CurrentStepState: state,
	}
	return kruise.Snapshot{Rollout: r, Workload: &workload.State{
		Ref: demo, UID: "d", Consistent: true, Generation: 1, Replicas: 6, InProgress: true, StableRevision: "v1", CanaryRevision: "v2",
		PodTemplateHash: "v2", RevisionLabelKey: workload.LabelPodTemplateHash, Labels: map[string]string{workload.LabelWorkloadType: "deployment"},
	}}
}

// led is a release with traffic that is about to be led to new pods.
func led(state kruise.StepState) kruise.Snapshot {
	route := "route"
	first := step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	r := kruise.Rollout{Name: "web", UID: "r", WorkloadRef: demo, Finalizers: []string{workload.FinalizerRollout}, Canary: &kruise.Strategy{
		Steps: []kruise.Step{first, step(rollout.Percent(100), 0)}, TrafficRoutings: []traffic.Routing{{Service: "web", Gateway: &traffic.GatewayRef{HTTPRouteName: &route}}},
	}}
	s := stands(r, state)
	s.Traffic = traffic.Objects{
		Stable: &traffic.Service{Name: "web", Selector: map[string]string{workload.LabelPodTemplateHash: "v1"}},
		Canary: &traffic.Service{Name: "web-canary", Selector: map[string]string{workload.LabelPodTemplateHash: "v2"}},
		Route:  &traffic.Route{Name: route, Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "web"}}}}},
	}
	return s
}

// closes is a blue-green release with traffic that is about to be closed.
func closes(reason string, at kruise.FinalisingStep) kruise.Snapshot {
	s := led(kruise.StateUpgrade)
	s.Rollout.BlueGreen, s.Rollout.Canary = s.Rollout.Canary, nil
	s.Rollout.Status.Conditions[0].Reason = reason
	s.Rollout.Status.Sub.FinalisingStep = at
	return s
}

// TestClosesWithNew closes at a step that a rollback does not have by itself, as well.
func TestClosesWithNew(t *testing.T) {
	for _, s := range []kruise.Snapshot{closes(kruise.ProgressFinalising, ""), closes(kruise.ProgressCancelling, kruise.FinalRouteToNew)} {
		plan, err := kruise.Reconcile(s, t0, kruise.Options{})
		require.NoError(t, err)
		require.Contains(t, plan.Actions, kruise.Action(weighted(100)))
		p := invariant.RolloutPass{Snapshot: s, Now: t0, Plan: plan}
		require.Empty(t, invariant.Check("traffic follows ready pods", &p))
	}
}

func weighted(weight int32) kruise.SetRoute {
	return kruise.SetRoute{Name: "route", Reason: reason.RouteTraffic, Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{
		{Kind: "Service", Name: "web", Weight: ptr.To(100 - weight)}, {Kind: "Service", Name: "web-canary", Weight: &weight}}}}}
}

// view is a moment of a release from v1 to v2, with 6 pods and a partition of some percent.
func view(template string, percent, fresh, old int32) invariant.ReleaseView {
	strategy, err := json.Marshal(partition.Strategy{RollingStyle: "Partition", Partition: rollout.Percent(percent),
		RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(1)}})
	if err != nil {
		panic(err)
	}
	v := invariant.ReleaseView{At: t0, Rollout: led(kruise.StatePaused).Rollout, New: fresh, Old: old, NewReady: fresh, Available: fresh + old}
	v.Release = &batchrelease.Release{Name: "web", UID: "b"}
	v.Workload = workload.Workload{Ref: demo, UID: "d", Replicas: ptr.To(int32(6)), Paused: true,
		Annotations: map[string]string{partition.AnnotationControlInfo: "x", partition.AnnotationStrategy: string(strategy)}}
	v.Workload.Template.ID, v.Workload.Template.Hash = template, template
	return v
}

// over is a moment after a release.
func over(template string, fresh, old int32) invariant.ReleaseView {
	v := view(template, 0, fresh, old)
	v.Release, v.Workload.Paused, v.Workload.Annotations = nil, false, nil
	v.Rollout.Status.Phase = kruise.PhaseHealthy
	return v
}

func release(views ...invariant.ReleaseView) invariant.Release {
	return invariant.Release{Views: views, Fair: true, Options: kruise.Options{Repair: quirk.All}}
}

func rolloutPlants() []plant {
	plan := func(name, bug string, s kruise.Snapshot, change func(*kruise.Plan)) plant {
		return inPlan(name, bug, kruise.Reconcile, s, kruise.Options{}, change)
	}
	stepTo := func(index int32, state kruise.StepState) func(*kruise.Plan) {
		return func(p *kruise.Plan) { p.Status.Sub.CurrentStepIndex, p.Status.Sub.CurrentStepState = index, state }
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
	other := inStep(kruise.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0))
	other.Workload.CanaryRevision, other.Workload.PodTemplateHash = "v3", "v3"
	early := view("v2", 20, 0, 6)
	early.Traffic.Route = &traffic.Route{Rules: weighted(20).Rules}
	late := view("v2", 20, 2, 5)
	late.Traffic.Route = early.Traffic.Route
	frozen := over("v2", 6, 0)
	frozen.Workload.Paused = true
	skipped := view("v3", 20, 2, 5)
	skipped.Rollout.Status.Sub = &kruise.StepStatus{Revision: "v3", CurrentStepIndex: 2}
	begins := view("v3", 20, 2, 5)
	begins.Rollout.Status.Sub = &kruise.StepStatus{Revision: "v3", CurrentStepIndex: 1}
	return []plant{
		part("batches grow", "batches are counted from the end", func(v rollout.IntOrPercent, n int32) int32 { return n - partition.Limit(v, n) }),
		releases("batches grow", "a partition is lowered", release(view("v2", 20, 2, 4), view("v2", 50, 3, 3)), release(view("v2", 50, 3, 3), view("v2", 20, 3, 3))),
		inCase("percentage leaves an old pod", "99% is rounded up to all", invariant.Partitioning{Replicas: 6, Batches: []rollout.IntOrPercent{rollout.Percent(99)}},
			func(c *invariant.Partitioning) {
				c.Limit = func(v rollout.IntOrPercent, n int32) int32 { return v.OfUp(n) }
			}),
		releases("step bounds", "the surge is taken twice", release(view("v2", 20, 2, 5)), release(view("v2", 20, 2, 6))),
		part("fraction after scaling", "the number of the first size is kept", func(v rollout.IntOrPercent, _ int32) int32 { return partition.Limit(v, 6) }),
		plan("timed pause", "a pause of two minutes ends after one", inStep(kruise.StatePaused, step(rollout.Percent(20), 120), step(rollout.Percent(100), 0)), stepTo(1, kruise.StateReady)),
		rollsBack(),
		releases("abandoned release", "a release that is given up leaves pods", release(view("v1", 0, 6, 0), view("v2", 20, 2, 4), over("v1", 6, 0)), release(view("v1", 0, 6, 0), view("v2", 20, 2, 4), over("v1", 4, 2))),
		plan("steps in order", "a step is skipped", inStep(kruise.StateReady, step(rollout.Percent(20), 0), step(rollout.Percent(50), 0), step(rollout.Percent(100), 0)), stepTo(3, kruise.StateBeforeUpgrade)),
		plan("new template restarts", "the next step begins with another template", other, func(p *kruise.Plan) {
			p.Status.Sub = &kruise.StepStatus{CurrentStepIndex: 2, CurrentStepState: kruise.StateBeforeUpgrade}
		}),
		releases("new template restarts", "another template starts in the middle", release(view("v2", 20, 2, 5), begins), release(view("v2", 20, 2, 5), skipped)),
		plan("traffic follows ready pods", "traffic before pods", led(kruise.StateUpgrade), func(p *kruise.Plan) { p.Actions = append(p.Actions, weighted(20)) }),
		plan("traffic follows ready pods", "traffic to what is rolled back", closes(kruise.ProgressCancelling, ""), func(p *kruise.Plan) { p.Actions = append(p.Actions, weighted(100)) }),
		releases("traffic follows ready pods", "traffic without a ready pod", release(late), release(early)),
		plan("manual pause", "nobody is asked", inStep(kruise.StatePaused, step(rollout.Percent(20), -1), step(rollout.Percent(100), 0)), stepTo(1, kruise.StateReady)),
		releases("end of a release", "it is over while the workload is paused", release(view("v2", 100, 6, 0), over("v2", 6, 0)), release(view("v2", 100, 6, 0), frozen)),
	}
}

// rollsBack is a batch of a rollback: 50% of the 4 pods that are left to update.
func rollsBack() plant {
	clones := workload.Ref{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "demo"}
	s := batchrelease.Snapshot{Release: batchrelease.Release{
		Name: "web", UID: "b", WorkloadRef: clones, Annotations: map[string]string{workload.AnnotationRollbackInBatch: "true"}, Finalizers: []string{workload.FinalizerBatchRelease},
		ReleasePlan: batchrelease.ReleasePlan{Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(50)}, {CanaryReplicas: rollout.Percent(100)}}, BatchPartition: ptr.To(int32(0)), RolloutID: "2"},
	}}
	for i := range 6 {
		hash := "v2"
		if i < 2 {
			hash = "v1"
		}
		s.Pods = append(s.Pods, workload.Pod{Name: fmt.Sprint("p", i), UID: fmt.Sprint("p", i), Ready: true, Labels: map[string]string{workload.LabelPodTemplateHash: hash}})
	}
	br := s.Release
	br.Status = batchrelease.Status{Current: batchrelease.CurrentBatch{NoNeedUpdateReplicas: ptr.To(int32(2))}}
	w := workload.Workload{Ref: clones, UID: "d", Replicas: ptr.To(int32(6)), UpdateRevision: "v1"}
	context := batchrelease.NewContext(br, w, nil, 0)
	pass := invariant.BatchPass{Snapshot: s, Now: t0, Plan: batchrelease.Plan{Context: &context}}
	return inCase("rollback in batches", "the batch is of all pods", pass, func(c *invariant.BatchPass) {
		wrong := context
		wrong.Desired = 3
		c.Plan.Context = &wrong
	})
}
