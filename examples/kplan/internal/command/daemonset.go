// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// planDaemonSet returns the next plan for a DaemonSet.
func (p *repairs) planDaemonSet(d *manifest.DaemonSet, now time.Time) (view.DaemonPlan, error) {
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

func (p *repairs) explainDaemonSet(d *manifest.DaemonSet, now time.Time) (view.DaemonExplanation, error) {
	plan, err := p.planDaemonSet(d, now)
	if err != nil {
		return view.DaemonExplanation{}, err
	}
	e := view.DaemonExplanation{DaemonPlan: plan, Report: daemonReport(d.Object)}
	e.Idle = idlePods(d.Controlled(), nil, now)
	e.Caveats = daemonCaveats(d, &plan)
	for _, f := range d.Failures() {
		e.Refused = append(e.Refused, refused(f, now))
	}
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "a pod becomes available, or a delay ends"})
	}
	return e, nil
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

// ofDaemonSet returns the simulation of an update of a DaemonSet from an old one, or from its
// current pods if old is nil.
func (s *simulation) ofDaemonSet(d, old *manifest.DaemonSet) (*job, error) {
	partial, err := daemonRolledOut(old)
	if err != nil {
		return nil, err
	}
	nodes := s.assumeNodes(d, old)
	partial = append(nodes, partial...)
	if old != nil {
		if err := sameSelector(old.Object.Spec.Selector, d.Object.Spec.Selector, old.File); err != nil {
			return nil, d.Invalid(err)
		}
	}
	if len(d.Nodes) == 0 {
		return nil, d.Invalid(manifest.ErrNoNode)
	}
	j := daemonSetJob(cmp.Or(old, d), onlyWith(old, d), s.now.Time)
	j.apart = len(nodes) > 0
	var assumed []string
	j.after(func(b *world.Beginning) {
		assumed = slices.Concat(partial, nodesBarred(b), s.believed(d.Nodes, b))
		b.Broken(s.neverReady)
	})
	s.updated(j, d, &s.policies, &assumed)
	return j, nil
}

// onlyWith returns wanted if there is an old object to apply it to, otherwise nil.
func onlyWith[T any](old, wanted *T) *T {
	if old == nil {
		return nil
	}
	return wanted
}

// updated sets the function of a job that adds the assumptions to the result of an update.
func (p *pace) updated(j *job, d *manifest.DaemonSet, by *policies, assumed *[]string) {
	of := view.DaemonSets{Advanced: d.Advanced != nil, Nodes: len(d.Nodes)}
	j.telling = of
	j.tell = func(b *world.Beginning, r *world.Run, result *view.Simulation) {
		result.Policies = by.flags(daemonset.QuirkTable())
		result.Assumed = slices.Concat(d.Bites(of.Most(result), b.Running()), *assumed, p.lives(b, result))
		result.Caveats = keptImages(d, r, result)
	}
}

// nodesBarred returns notes about nodes without a pod of the DaemonSet, and the reason.
func nodesBarred(b *world.Beginning) []string {
	placer := daemonset.NewPlacer(&b.WantedDaemonSet().Template, b.DaemonSetOptions(daemonset.Options{}))
	return barred(b.Nodes, "no pod of it", func(n *cluster.Node) string { return view.Barrier(placer.Place(&n.Node)) })
}

// assumeNodes adds nodes to a DaemonSet without any, and returns the assumptions about them. It
// adds none in a comparison of manifests, where the number of nodes is unknown.
func (s *simulation) assumeNodes(d, old *manifest.DaemonSet) []string {
	if s.whole {
		return nil
	}
	return d.AssumeNodes(old)
}

// served returns the annotations of a DaemonSet that replaces an old one, as the API server sets
// them: users cannot set the template generation, and it rises with each change of the template.
// Pods with the new generation are new.
func served(old, next *daemonset.DaemonSet, dialect daemonset.Dialect) map[string]string {
	n, known := daemonset.TemplateGeneration(old.Annotations)
	if dialect != daemonset.Kubernetes || !known {
		return next.Annotations
	}
	if !bytes.Equal(old.Template.Data, next.Template.Data) {
		n++
	}
	annotations := maps.Clone(next.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[daemonset.AnnotationGeneration] = strconv.FormatInt(n, 10)
	return annotations
}
