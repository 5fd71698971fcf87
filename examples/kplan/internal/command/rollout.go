// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// rolloutOptions returns the options of the Rollout planner.
func (p *repairs) rolloutOptions() kruise.Options { return kruise.Options{Repair: p.rollouts()} }

// planRollout returns the next plan for a Rollout and its BatchRelease.
func (p *repairs) planRollout(r *manifest.Rollout, now time.Time) (view.RolloutPlan, error) {
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

func (p *repairs) explainRollout(r *manifest.Rollout, now time.Time) (view.RolloutExplanation, error) {
	plan, err := p.planRollout(r, now)
	if err != nil {
		return view.RolloutExplanation{}, err
	}
	e := view.RolloutExplanation{RolloutPlan: plan}
	e.Idle = idlePods(r.Pods, nil, now)
	if at := plan.Plan.RecheckAt; !at.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: at, What: "the Rollout is looked at again"})
	}
	if b := plan.Batch; b != nil && !b.RecheckAt.IsZero() {
		e.Instants = append(e.Instants, view.Instant{At: b.RecheckAt, What: "the BatchRelease is looked at again"})
	}
	return e, nil
}

// errNoRelease is the error of a Rollout without a release.
var errNoRelease = errors.New("there is nothing to release")

// A missing error names the workload that --from lacks, so that there is no release.
type missing struct{ kind string }

func (m *missing) Error() string {
	return "nothing is being released; --from must hold its " + m.kind + " as it is before the release"
}

// Is makes every missing error an errNoRelease.
func (m *missing) Is(target error) bool { return target == errNoRelease }

// A release is the simulation of an OpenKruise Rollout.
type release struct {
	job
	replicas int32
	budget   rollout.Budget // of updates by partition
	assumed  []string
}

// ofRelease returns the simulation of a release: the rest of a release that is under way, or a
// release from the workload in --from to the workload with the same name in the input.
func (s *simulation) ofRelease(r *manifest.Rollout, from *earlier) (*job, error) {
	if r.Deployment == nil && r.Set == nil && r.DaemonSet == nil {
		return nil, r.Invalid(manifest.ErrNoNode)
	}
	if err := checkRelease(r); err != nil {
		return nil, err
	}
	begin, found := s.before(r, from)
	switch {
	case underWay(r) && found:
		return nil, r.Invalid(&kplan.FieldError{
			Path: "status.phase", Value: string(r.Snapshot.Rollout.Status.Phase),
			Detail: "the release is under way and goes on from where it stands, not from what --from holds",
		})
	case underWay(r):
		begin = func() (*release, error) { return s.standing(r) }
	case !found:
		return nil, r.Invalid(&missing{r.Workload.Kind})
	}
	of, err := begin()
	if err != nil {
		return nil, err
	}
	s.releases(r, of)
	return &of.job, nil
}

// releases applies the flags to a release and adds its assumptions to the answer.
func (s *simulation) releases(r *manifest.Rollout, of *release) {
	believe := of.prepare
	of.of = r
	of.prepare = func(b *world.Beginning, config *sim.Config) error {
		if err := believe(b, config); err != nil {
			return err
		}
		b.Broken(s.neverReady)
		config.Rollout = s.rolloutOptions()
		s.approved(config)
		of.telling = view.Releases{Rollout: r.Snapshot.Rollout, Replicas: of.replicas, Budget: of.budget}
		return nil
	}
	of.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.flags(workload.QuirkTable())
		most := of.budget.MaxTotal()
		if r.Snapshot.Rollout.Style() != workload.Partition { // all new pods next to the old pods
			most = 2 * of.replicas
		}
		result.Assumed = slices.Concat(r.Bites(most, b.Running()), of.assumed, s.lives(b, result))
	}
}

// before returns the function that begins a release from the workload in --from. The second
// result reports whether --from has that workload.
func (s *simulation) before(r *manifest.Rollout, from *earlier) (begin func() (*release, error), found bool) {
	if r.Set != nil {
		old := from.podSets[r.Set.Key()]
		return func() (*release, error) { return s.beforeSet(r, old) }, old != nil
	}
	if r.DaemonSet != nil {
		old := from.daemonSets[r.DaemonSet.Key()]
		return func() (*release, error) { return s.beforeDaemonSet(r, old) }, old != nil
	}
	old := from.deployments[r.Deployment.Key()]
	return func() (*release, error) { return s.beforeDeployment(r, old) }, old != nil
}

// standing returns a release that is under way, from its current state.
func (s *simulation) standing(r *manifest.Rollout) (*release, error) {
	switch {
	case r.Set != nil:
		return s.setUnderWay(r)
	case r.DaemonSet != nil:
		return s.daemonSetUnderWay(r)
	}
	return s.deploymentUnderWay(r)
}

// underWay reports whether a release is under way. The phase of the Rollout says so, or admission
// has marked an update that the Rollout controller has not seen yet.
func underWay(r *manifest.Rollout) bool {
	return r.Snapshot.Rollout.Status.Phase == kruise.PhaseProgressing || r.Workload.Annotations[workload.AnnotationInProgress] != ""
}

// deploymentBudget returns the limits of a Deployment that is updated by partition.
func (s *simulation) deploymentBudget(r *manifest.Rollout, limits *partition.RollingUpdate) rollout.Budget {
	if limits == nil {
		limits = &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)}
	}
	return partition.Budget(replicasOf(&r.Workload), limits, s.rollouts().Has(workload.LimitsWrapAround))
}

// setBudget returns the limits of a CloneSet or a StatefulSet. A StatefulSet of Kubernetes
// updates one pod at a time.
func setBudget(o *cluster.Set) rollout.Budget {
	b, limits := rollout.Budget{Replicas: o.DesiredReplicas(), Unavailable: 1}, o.Limits()
	switch o.GroupKind() {
	case "apps.kruise.io/CloneSet":
		return partition.CloneSetBudget(b.Replicas, &limits, o.Paused)
	case "apps.kruise.io/StatefulSet":
		if !limits.MaxUnavailable.IsZero() {
			b.Unavailable = max(1, limits.MaxUnavailable.Of(b.Replicas))
		}
	}
	return b
}

func badField(path string, value any, detail string) error {
	return &kplan.FieldError{Path: path, Value: value, Detail: detail}
}

// checkRelease rejects Rollouts that do something other than a release.
func checkRelease(r *manifest.Rollout) error {
	o := &r.Snapshot.Rollout
	const ends = ", and its end is not simulated; plan and explain show what it does"
	switch {
	case !o.DeletionTimestamp.IsZero():
		return r.Invalid(badField("metadata.deletionTimestamp", o.DeletionTimestamp.Format(time.RFC3339), "the Rollout is being deleted"+ends))
	case r.Deployment != nil && r.Deployment.Deployment.DeletionTimestamp != nil:
		at := r.Deployment.Deployment.DeletionTimestamp
		return r.Deployment.Invalid(badField("metadata.deletionTimestamp", at.UTC().Format(time.RFC3339), "the Deployment is being deleted"+ends))
	case r.Set != nil && r.Set.Object.GetDeletionTimestamp() != nil:
		at := r.Set.Object.GetDeletionTimestamp()
		return r.Set.Invalid(badField("metadata.deletionTimestamp", at.UTC().Format(time.RFC3339), "it is being deleted"+ends))
	case r.DaemonSet != nil && r.DaemonSet.Object.DeletionTimestamp != nil:
		at := r.DaemonSet.Object.DeletionTimestamp
		return r.DaemonSet.Invalid(badField("metadata.deletionTimestamp", at.UTC().Format(time.RFC3339), "it is being deleted"+ends))
	case o.Disabled && r.Set != nil:
		return r.Invalid(badField("spec.disabled", true, "the Rollout releases nothing, and its workload is not simulated alone"))
	case o.Disabled:
		return r.Invalid(badField("spec.disabled", true, "the Rollout releases nothing; without it in the input its "+r.Workload.Kind+" is simulated alone"))
	case o.Status.Phase == kruise.PhaseTerminating || o.Status.Phase == kruise.PhaseDisabling:
		return r.Invalid(badField("status.phase", string(o.Status.Phase), "the release is being given up"+ends))
	}
	if name := o.Annotations[workload.AnnotationTrafficRouting]; name != "" {
		path := "metadata.annotations[" + workload.AnnotationTrafficRouting + "]"
		return r.Invalid(badField(path, name, "TrafficRouting objects are not simulated; plan and explain look at them"))
	}
	return nil
}

// checkUnderWay rejects releases that the simulation cannot continue, for example because an
// object of them is not in the input and would be created again.
func checkUnderWay(r *manifest.Rollout) error {
	if err := checkProgress(r); err != nil {
		return err
	}
	o, release := &r.Snapshot.Rollout, r.Snapshot.BatchRelease
	if release != nil && o.Style() == workload.Canary && release.Status.Phase == batchrelease.PhaseProgressing && len(r.Canaries) == 0 {
		return r.Invalid(errors.New("its canary Deployment is not in the input"))
	}
	for i := range r.Canaries {
		if err := checkCanary(r, &r.Canaries[i]); err != nil {
			return err
		}
	}
	return checkReplicaSets(r)
}

// checkProgress rejects releases with unknown progress.
func checkProgress(r *manifest.Rollout) error {
	o, release := &r.Snapshot.Rollout, r.Snapshot.BatchRelease
	reason, path := o.Status.ProgressingReason(), "status.canaryStatus"
	if o.BlueGreen != nil {
		path = "status.blueGreenStatus"
	}
	switch progressing := o.Status.Phase == kruise.PhaseProgressing; {
	case progressing && reason == "":
		return r.Invalid(badField("status.conditions", "", "must hold the condition Progressing, because the phase is Progressing"))
	case progressing && reason != kruise.ProgressInitializing && o.Status.Sub == nil:
		return r.Invalid(badField(path, "", "must be set, because the release is under way"))
	case release == nil && (r.Workload.Annotations[partition.AnnotationControlInfo] != "" || len(r.Canaries) > 0):
		return r.Invalid(errors.New("its BatchRelease is not in the input"))
	}
	return nil
}

// checkCanary rejects a canary Deployment with patched template metadata. The simulation would
// take its template for another one.
func checkCanary(r *manifest.Rollout, canary *manifest.Workload) error {
	patch := r.Snapshot.Rollout.Strategy().PatchPodTemplateMetadata
	if patch == nil || kube.TemplateID(&canary.Deployment.Spec.Template) == r.Workload.Template.ID {
		return nil
	}
	return r.Invalid(badField("spec.strategy.canary.patchPodTemplateMetadata", *patch,
		"a release whose pods carry it is not simulated once they exist; plan and explain show what it does"))
}

// checkReplicaSets rejects Deployments with pods or pod templates that are not in the input.
func checkReplicaSets(r *manifest.Rollout) error {
	w := r.Deployment
	s := &w.Deployment.Status
	if s.CollisionCount != nil {
		return w.Invalid(badField("status.collisionCount", *s.CollisionCount,
			"a release whose templates have had equal hashes is not simulated; plan and explain show what it does"))
	}
	updated, stable := false, false
	label := w.Deployment.Labels[workload.LabelStableRevision]
	for _, rs := range w.ReplicaSets {
		updated = updated || kube.TemplateID(&rs.Spec.Template) == r.Workload.Template.ID
		stable = stable || rs.Labels[workload.LabelPodTemplateHash] == label
	}
	switch {
	case s.Replicas > 0 && len(w.ReplicaSets) == 0:
		return w.Invalid(errors.New("its ReplicaSets are not in the input"))
	case s.UpdatedReplicas > 0 && !updated && s.ObservedGeneration >= w.Deployment.Generation: // else the status counts pods of the previous template
		return w.Invalid(badField("status.updatedReplicas", s.UpdatedReplicas, "the ReplicaSet of these pods is not in the input"))
	case s.Replicas > s.UpdatedReplicas && label != "" && !stable:
		return w.Invalid(badField("metadata.labels["+workload.LabelStableRevision+"]", label, "the ReplicaSet of this revision is not in the input"))
	}
	return nil
}
