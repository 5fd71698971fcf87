package smallscope_test

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/smallscope"
	"github.com/kplan-go/kplan/rollout"
)

// plantedRollout is a Rollout of two pods in two steps, whose plans are changed.
func plantedRollout(property, bug string, plan func(rollout.Snapshot, *rollout.Plan) error, batch func(*rollout.BatchPlan), options ...func(*smallscope.Rollouts)) plant {
	r := smallscope.Rollouts{Options: rollout.Options{Repair: rollout.RepairAll}, Steps: inSteps(false, 50, 100), Surge: 1, Replicas: []int8{2}, Templates: 2, Changes: 1}
	for _, set := range options {
		set(&r)
	}
	r.Plan = func(s rollout.Snapshot, now time.Time, o rollout.Options) (rollout.Plan, error) {
		p, err := rollout.Reconcile(s, now, o)
		if plan != nil {
			err = errors.Join(err, plan(s, &p))
		}
		return p, err
	}
	r.Batch = func(s rollout.BatchSnapshot, now time.Time, o rollout.BatchOptions) (rollout.BatchPlan, error) {
		p, err := rollout.ReconcileBatch(s, now, o)
		if batch != nil {
			batch(&p)
		}
		return p, err
	}
	return plant{property, bug, func(until string) smallscope.Report { return smallscope.Explore(&r, until) }}
}

// rewritten changes the strategy that a batch writes to the Deployment.
func rewritten(old, text string) func(*rollout.BatchPlan) {
	return func(p *rollout.BatchPlan) {
		for _, a := range p.Actions {
			if a, ok := a.(rollout.BatchPatchWorkload); ok {
				if s := a.Patch.Annotations[rollout.AnnotationStrategy]; s != nil {
					*s = strings.Replace(*s, old, text, 1)
				}
			}
		}
	}
}

// without leaves out some actions of a plan.
func without(drop func(rollout.Action) bool) func(rollout.Snapshot, *rollout.Plan) error {
	return func(_ rollout.Snapshot, p *rollout.Plan) error {
		p.Actions = slices.DeleteFunc(p.Actions, drop)
		return nil
	}
}

func rolloutPlants() []plant {
	led := func(r *smallscope.Rollouts) { r.Led, r.Steps = true, inSteps(true, 50, 100) }
	scaled := func(r *smallscope.Rollouts) { r.Replicas, r.Changes = []int8{3, 2}, 2 }
	return []plant{
		plantedRollout("surge", "it writes another maxSurge", nil, rewritten(`"maxSurge":1`, `"maxSurge":3`),
			func(r *smallscope.Rollouts) { r.Replicas, r.Steps = []int8{3}, inSteps(false, 67, 100) }),
		plantedRollout("available", "it writes another maxUnavailable", nil, rewritten(`"maxUnavailable":0`, `"maxUnavailable":2`)),
		plantedRollout("available after sharing", "it writes another maxUnavailable", nil, rewritten(`"maxUnavailable":0`, `"maxUnavailable":3`), scaled),
		plantedRollout("step", "it releases everything at once", nil, rewritten(`"partition":"50%"`, `"partition":"100%"`)),
		plantedRollout("batch", "it lowers the partition", nil, rewritten(`"partition":"100%"`, `"partition":0`)),
		plantedRollout("approval", "it waits for nobody", func(s rollout.Snapshot, p *rollout.Plan) error {
			if read, sub := s.Rollout.Status.Sub, p.Status.Sub; read != nil && sub != nil && read.CurrentStepState == rollout.StatePaused && sub.CurrentStepState == rollout.StatePaused {
				sub.CurrentStepState = rollout.StateReady
			}
			return nil
		}, nil),
		plantedRollout("over", "it does not close", func(s rollout.Snapshot, p *rollout.Plan) error {
			if sub := s.Rollout.Status.Sub; sub != nil && sub.FinalisingStep == rollout.FinalResume {
				p.Status.Phase = rollout.PhaseHealthy
			}
			return nil
		}, nil),
		plantedRollout("traffic", "it pins a revision that is not there", func(_ rollout.Snapshot, p *rollout.Plan) error {
			for i, a := range p.Actions {
				if a, ok := a.(rollout.SelectPods); ok && a.Value != "" {
					a.Value = "x"
					p.Actions[i] = a
				}
			}
			return nil
		}, nil, led),
		plantedRollout("goal", "it never begins", without(func(a rollout.Action) bool { _, ok := a.(rollout.CreateBatchRelease); return ok }), nil),
		plantedRollout("goal", "it leaves the BatchRelease", without(func(a rollout.Action) bool { _, ok := a.(rollout.DeleteBatchRelease); return ok }), nil),
		plantedRollout("goal", "stale controllers take back what admission has done", nil, func(p *rollout.BatchPlan) {
			for i, a := range p.Actions {
				if a, ok := a.(rollout.BatchPatchWorkload); ok && a.Reason == rollout.BatchReasonGiveBack {
					a.Patch.Paused = nil
					p.Actions[i] = a
				}
			}
		}, func(r *smallscope.Rollouts) { r.Blind = true }),
		plantedRollout("plan", "it fails", func(s rollout.Snapshot, _ *rollout.Plan) error {
			if s.BatchRelease != nil {
				return errors.New("one is too many")
			}
			return nil
		}, nil),
	}
}
