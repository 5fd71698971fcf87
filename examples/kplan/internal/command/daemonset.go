// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// A DaemonSet is a DaemonSet of Kubernetes or OpenKruise.
type DaemonSet struct{ *manifest.DaemonSet }

// Plan returns the next plan.
func (d DaemonSet) Plan(p *policies, now time.Time) (document, []string, error) {
	plan, err := d.plan(p, now)
	return plan, nil, err
}

func (d DaemonSet) plan(p *policies, now time.Time) (view.DaemonPlan, error) {
	assumed := d.AssumeNodes(nil)
	s, err := d.Snapshot()
	if err != nil {
		return view.DaemonPlan{}, err
	}
	options := daemonset.Options{Dialect: d.Dialect(), Repair: p.daemonSets()}
	plan, err := daemonset.Reconcile(s, now, options)
	if err != nil {
		return view.DaemonPlan{}, d.Invalid(err)
	}
	nodes, err := daemonset.Explain(s, now, options)
	if err != nil {
		return view.DaemonPlan{}, d.Invalid(err)
	}
	return view.DaemonPlan{
		Namespace: d.Object.Namespace, Snapshot: s, Now: now, Plan: plan, Nodes: nodes, Policies: p.flags(daemonset.QuirkTable()),
		Advanced: d.Advanced != nil, Unapplied: manifest.IsManifest(d.Object.UID), Assumed: assumed,
	}, nil
}

// Explain returns the explanation of the next plan.
func (d DaemonSet) Explain(p *policies, now time.Time) (document, []string, error) {
	plan, err := d.plan(p, now)
	if err != nil {
		return nil, nil, err
	}
	e := view.DaemonExplanation{DaemonPlan: plan, Report: daemonReport(d.Object)}
	e.Idle = idlePods(d.Controlled(), nil, now)
	e.Caveats = daemonCaveats(d.DaemonSet, &plan)
	for _, f := range d.Failures() {
		e.Refused = append(e.Refused, refused(f, now))
	}
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "a pod becomes available, or a delay ends"})
	}
	return e, nil, nil
}

// Versions returns the pods before and after the change.
func (d DaemonSet) Versions(from *earlier) (before, after pods) {
	if old := from.daemonSets[d.Key()]; old != nil {
		before.template = &old.Object.Spec.Template
	}
	return before, pods{template: &d.Object.Spec.Template}
}

// daemonReport returns the current output of kubectl rollout status.
func daemonReport(ds *appsv1.DaemonSet) view.Report {
	s, wanted := &ds.Status, ds.Status.DesiredNumberScheduled
	wait := fmt.Sprintf("Waiting for daemon set %q rollout to finish: ", ds.Name)
	switch {
	case ds.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType:
		return view.Report{Err: "rollout status is only available for RollingUpdate strategy type"}
	case ds.Generation > s.ObservedGeneration:
		return view.Report{Text: "Waiting for daemon set spec update to be observed..."}
	case s.UpdatedNumberScheduled < wanted:
		return view.Report{Text: wait + fmt.Sprintf("%d out of %d new pods have been updated...", s.UpdatedNumberScheduled, wanted)}
	case s.NumberAvailable < wanted:
		return view.Report{Text: wait + fmt.Sprintf("%d of %d updated pods are available...", s.NumberAvailable, wanted)}
	}
	return view.Report{Text: fmt.Sprintf("daemon set %q successfully rolled out", ds.Name), Done: true}
}
