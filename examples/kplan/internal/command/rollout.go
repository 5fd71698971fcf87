// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
)

// rolloutOptions returns the options of the Rollout planner.
func (p *repairs) rolloutOptions() kruise.Options { return kruise.Options{Repair: p.rollouts()} }

// A Rollout is a Rollout of OpenKruise with its BatchRelease.
type Rollout struct{ *manifest.Rollout }

// Plan returns the next plan.
func (r Rollout) Plan(p *policies, now time.Time) (document, []string, error) {
	plan, err := r.plan(p, now)
	return plan, nil, err
}

// Versions returns nothing: the workload of the Rollout has the pods.
func (r Rollout) Versions(*earlier) (before, after pods) { return before, after }

func (r Rollout) plan(p *policies, now time.Time) (view.RolloutPlan, error) {
	options := p.rolloutOptions()
	plan, err := kruise.Reconcile(r.Snapshot, now, options)
	if err != nil {
		return view.RolloutPlan{}, r.Invalid(err)
	}
	v := view.RolloutPlan{
		Namespace: r.Namespace, Snapshot: r.Snapshot, Replicas: replicasOf(&r.Workload), Now: now, Plan: plan, Policies: p.flags(workload.QuirkTable()),
		Repaired: options.Repair, Leaving: r.Leaving(),
	}
	if r.Batch != nil {
		batch, err := batchrelease.Reconcile(*r.Batch, now, batchrelease.Options{Repair: options.Repair})
		if err != nil {
			return v, r.Invalid(err)
		}
		v.Batch, v.Before = &batch, r.Batch.Release.Status
	}
	v.Preview, err = preview.Of(preview.Input{
		Rollout: r.Snapshot.Rollout, Replicas: v.Replicas, Limits: limitsOf(&r.Workload),
	}, options)
	if err != nil {
		return v, r.Invalid(err)
	}
	return v, nil
}

func replicasOf(w *workload.Workload) int32 {
	if w.Replicas == nil {
		return 1
	}
	return *w.Replicas
}

// limitsOf returns the limits of the rolling update of a workload. A Deployment that is updated
// by partition has them in an annotation.
func limitsOf(w *workload.Workload) *partition.RollingUpdate {
	if s, err := partition.ParseStrategy(w.Annotations[partition.AnnotationStrategy]); err == nil && s.RollingUpdate != nil {
		return s.RollingUpdate
	}
	return w.RollingUpdate
}

// Explain returns the explanation of the next plan.
func (r Rollout) Explain(p *policies, now time.Time) (document, []string, error) {
	plan, err := r.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	e := view.RolloutExplanation{RolloutPlan: plan}
	e.Idle = idlePods(r.Pods, nil, now)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "the Rollout is looked at again"})
	}
	if b := plan.Batch; b != nil && !b.RecheckAt.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: b.RecheckAt, What: "the BatchRelease is looked at again"})
	}
	return e, nil, nil
}
