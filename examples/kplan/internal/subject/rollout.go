// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// rolloutOptions returns the options of the Rollout planner.
func (p *Repairs) rolloutOptions() kruise.Options { return kruise.Options{Repair: p.Rollouts()} }

// A Rollout is a Rollout of OpenKruise with its BatchRelease.
type Rollout struct{ *manifest.Rollout }

// Plan returns the next plan.
func (r Rollout) Plan(p *Policies, now time.Time) (Document, []string, error) {
	plan, err := r.plan(p, now)
	return plan, nil, err
}

// Versions returns nothing: the workload of the Rollout has the pods.
func (r Rollout) Versions(*Earlier) (before, after Pods) { return before, after }

func (r Rollout) plan(p *Policies, now time.Time) (view.RolloutPlan, error) {
	options := p.rolloutOptions()
	plan, err := kruise.Reconcile(r.Snapshot, now, options)
	if err != nil {
		return view.RolloutPlan{}, r.Invalid(err)
	}
	v := view.RolloutPlan{
		Namespace: r.Namespace, Snapshot: r.Snapshot, Replicas: replicasOf(&r.Workload), Now: now, Plan: plan, Policies: p.Flags(quirk.Table()),
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
func (r Rollout) Explain(p *Policies, now time.Time) (Document, []string, error) {
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

// simulate returns the simulation of a release: the rest of a release that is under way, or a
// release from the workload in --from to the workload with the same name in the input.
func (o Rollout) simulate(s *Settings, _ *manifest.Set, from *Earlier) (*job, error) {
	r := o.Rollout
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
		begin = func() (*release, error) { return s.current(r) }
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

// DropReleases removes Rollouts with nothing to release. The simulation then treats their
// Deployment as one without a Rollout, if it is new or has other changes.
func (s *Settings) DropReleases(set *manifest.Set, from *Earlier) {
	set.Rollouts = slices.DeleteFunc(set.Rollouts, func(r manifest.Rollout) bool {
		j, err := Rollout{&r}.simulate(s, set, from)
		if err == nil {
			begun([]*job{j})
			err = j.err
		}
		return errors.Is(err, errNoRelease)
	})
}

// releases applies the flags to a release and adds its assumptions to the answer.
func (s *Settings) releases(r *manifest.Rollout, of *release) {
	believe := of.prepare
	of.of = r
	of.prepare = func(b *world.Beginning, config *sim.Config) error {
		if err := believe(b, config); err != nil {
			return err
		}
		b.Broken(s.NeverReady)
		config.Rollout = s.rolloutOptions()
		s.approved(config)
		of.telling = view.Releases{Rollout: r.Snapshot.Rollout, Replicas: of.replicas, Budget: of.budget}
		return nil
	}
	of.tell = func(b *world.Beginning, _ *world.Run, result *view.Simulation) {
		result.Policies = s.Flags(quirk.Table())
		most := of.budget.MaxTotal()
		if r.Snapshot.Rollout.Style() != workload.Partition { // all new pods next to the old pods
			most = 2 * of.replicas
		}
		result.Assumed = slices.Concat(r.Bites(most, b.Running()), of.assumed, s.lives(b, result))
	}
}

// before returns the function that begins a release from the workload in --from. The second
// result reports whether --from has that workload.
func (s *Settings) before(r *manifest.Rollout, from *Earlier) (begin func() (*release, error), found bool) {
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

// current returns a release that is under way, from its current state.
func (s *Settings) current(r *manifest.Rollout) (*release, error) {
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
func (s *Settings) deploymentBudget(r *manifest.Rollout, limits *partition.RollingUpdate) rollout.Budget {
	if limits == nil {
		limits = &partition.RollingUpdate{MaxSurge: rollout.Percent(25), MaxUnavailable: rollout.Percent(25)}
	}
	return partition.Budget(replicasOf(&r.Workload), limits, s.Rollouts().Has(quirk.LimitsWrapAround))
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

// DaemonSetOf returns the DaemonSet, or the DaemonSet of the Rollout, nil for other subjects.
func DaemonSetOf(s Subject) *manifest.DaemonSet {
	switch s := s.(type) {
	case DaemonSet:
		return s.DaemonSet
	case Rollout:
		return s.Rollout.DaemonSet
	}
	return nil
}
