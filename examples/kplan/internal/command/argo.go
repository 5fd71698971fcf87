// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/rollout/argo"
)

// Argo is a Rollout of Argo.
type Argo struct{ *manifest.ArgoRollout }

// Plan returns the next plan.
func (a Argo) Plan(p *policies, now time.Time) (document, []string, error) {
	plan, err := a.plan(p, now)
	return plan, noted(a.Placed(), a.Scaled.Notes), err
}

func (a Argo) plan(p *policies, now time.Time) (view.ArgoPlan, error) {
	snapshot := a.At(now)
	plan, err := argo.Reconcile(snapshot, now, argo.Options{Repair: p.argoRollouts()})
	if err != nil {
		return view.ArgoPlan{}, a.Invalid(err)
	}
	return view.ArgoPlan{Namespace: a.Object.Namespace, Snapshot: snapshot, Now: now, Plan: plan, Policies: p.flags(argo.QuirkTable()), Unapplied: manifest.IsManifest(a.Object.UID)}, nil
}

// Explain returns the explanation of the next plan.
func (a Argo) Explain(p *policies, now time.Time) (document, []string, error) {
	plan, err := a.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	e := view.ArgoExplanation{ArgoPlan: plan}
	names := map[string]string{}
	for _, rs := range a.ReplicaSets {
		names[string(rs.UID)] = rs.Name
	}
	e.Idle = idlePods(a.Pods, names, now)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "the Rollout is looked at again"})
	}
	return e, noted(a.Placed(), a.Scaled.Notes), nil
}

// Versions returns the pods before and after the change.
func (a Argo) Versions(from *earlier) (before, after pods) {
	if old := from.argo[a.Key()]; old != nil {
		before = pods{&old.Object.Spec.Template, old.Object.Spec.Replicas}
	}
	return before, pods{&a.Object.Spec.Template, a.Object.Spec.Replicas}
}
