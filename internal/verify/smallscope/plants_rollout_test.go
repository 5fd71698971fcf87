// SPDX-License-Identifier: Apache-2.0

package smallscope_test

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/internal/verify/smallscope"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// plantedRollout explores a Rollout of two pods in two steps, with changed plans.
func plantedRollout(property, bug string, plan func(kruise.Snapshot, *kruise.Plan) error, batch func(*batchrelease.Plan), options ...func(*smallscope.Rollouts)) plant {
	r := smallscope.Rollouts{Options: kruise.Options{Repair: quirk.All}, Steps: inSteps(false, 50, 100), Surge: 1, Replicas: []int8{2}, Templates: 2, Changes: 1}
	for _, set := range options {
		set(&r)
	}
	r.Plan = func(s kruise.Snapshot, now time.Time, o kruise.Options) (kruise.Plan, error) {
		p, err := kruise.Reconcile(s, now, o)
		if plan != nil {
			err = errors.Join(err, plan(s, &p))
		}
		return p, err
	}
	r.Batch = func(s batchrelease.Snapshot, now time.Time, o batchrelease.Options) (batchrelease.Plan, error) {
		p, err := batchrelease.Reconcile(s, now, o)
		if batch != nil {
			batch(&p)
		}
		return p, err
	}
	return plant{property, bug, func(until string) smallscope.Report { return smallscope.Explore(&r, until) }}
}

// rewritten changes the strategy that a batch writes to the Deployment.
func rewritten(old, text string) func(*batchrelease.Plan) {
	return func(p *batchrelease.Plan) {
		for _, a := range p.Actions {
			if a, ok := a.(batchrelease.PatchWorkload); ok {
				if s := a.Patch.Annotations[partition.AnnotationStrategy]; s != nil {
					*s = strings.Replace(*s, old, text, 1)
				}
			}
		}
	}
}

// without leaves out some actions of a plan.
func without(drop func(kruise.Action) bool) func(kruise.Snapshot, *kruise.Plan) error {
	return func(_ kruise.Snapshot, p *kruise.Plan) error {
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
		plantedRollout("approval", "it waits for nobody", func(s kruise.Snapshot, p *kruise.Plan) error {
			if read, sub := s.Rollout.Status.Sub, p.Status.Sub; read != nil && sub != nil && read.CurrentStepState == kruise.StatePaused && sub.CurrentStepState == kruise.StatePaused {
				sub.CurrentStepState = kruise.StateReady
			}
			return nil
		}, nil),
		plantedRollout("over", "it does not close", func(s kruise.Snapshot, p *kruise.Plan) error {
			if sub := s.Rollout.Status.Sub; sub != nil && sub.FinalisingStep == kruise.FinalResume {
				p.Status.Phase = kruise.PhaseHealthy
			}
			return nil
		}, nil),
		plantedRollout("traffic", "it pins a revision that is not there", func(_ kruise.Snapshot, p *kruise.Plan) error {
			for i, a := range p.Actions {
				if a, ok := a.(kruise.SelectPods); ok && a.Value != "" {
					a.Value = "x"
					p.Actions[i] = a
				}
			}
			return nil
		}, nil, led),
		plantedRollout("goal", "it never begins", without(func(a kruise.Action) bool { _, ok := a.(kruise.CreateBatchRelease); return ok }), nil),
		plantedRollout("goal", "it leaves the BatchRelease", without(func(a kruise.Action) bool { _, ok := a.(kruise.DeleteBatchRelease); return ok }), nil),
		plantedRollout("goal", "stale controllers take back what admission has done", nil, func(p *batchrelease.Plan) {
			for i, a := range p.Actions {
				if a, ok := a.(batchrelease.PatchWorkload); ok && a.Reason == reason.GiveBack {
					a.Patch.Paused = nil
					p.Actions[i] = a
				}
			}
		}, func(r *smallscope.Rollouts) { r.Blind = true }),
		plantedRollout("plan", "it fails", func(s kruise.Snapshot, _ *kruise.Plan) error {
			if s.BatchRelease != nil {
				return errors.New("one is too many")
			}
			return nil
		}, nil),
	}
}
