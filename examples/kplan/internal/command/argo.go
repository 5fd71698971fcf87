// SPDX-License-Identifier: Apache-2.0

package command

import (
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/rollout/argo"
)

// planArgo returns the next plan for an Argo Rollout.
func (r *repairs) planArgo(a *manifest.ArgoRollout, now time.Time) (view.ArgoPlan, error) {
	snapshot := a.At(now)
	plan, err := argo.Reconcile(snapshot, now, argo.Options{Repair: r.argoRollouts()})
	if err != nil {
		return view.ArgoPlan{}, a.Invalid(err)
	}
	return view.ArgoPlan{Namespace: a.Object.Namespace, Snapshot: snapshot, Now: now, Plan: plan, Policies: r.flags(argo.QuirkTable()), Unapplied: manifest.IsManifest(a.Object.UID)}, nil
}

func (p *repairs) explainArgo(r *manifest.ArgoRollout, now time.Time) (view.ArgoExplanation, error) {
	plan, err := p.planArgo(r, now)
	if err != nil {
		return view.ArgoExplanation{}, err
	}
	e := view.ArgoExplanation{ArgoPlan: plan}
	names := map[string]string{}
	for _, rs := range r.ReplicaSets {
		names[string(rs.UID)] = rs.Name
	}
	e.Idle = idlePods(r.Pods, names, now)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "the Rollout is looked at again"})
	}
	return e, nil
}

// scaleNotes returns notes about the size of a Rollout that its autoscaler wants.
func scaleNotes(a *manifest.ArgoRollout) []string { return noted(a.Placed(), a.Scaled.Notes) }
