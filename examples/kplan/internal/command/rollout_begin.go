// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// beginRollout simulates the release from an old Deployment to that of the Rollout.
func (s *simulation) beginRollout(r *manifest.Rollout, old *manifest.Workload) (view.RolloutSimulation, error) {
	old.Open()
	partial, err := deploymentRolledOut(old)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	before, err := clusterOf(old, s.now.Time)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	wanted, err := clusterOf(r.Deployment, s.now.Time)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	d, limits := released(before.Deployment, &wanted.Deployment)
	template := wanted.Deployment.Template
	if template.Same(d.Template) {
		return view.RolloutSimulation{}, r.Invalid(fmt.Errorf("the template of its Deployment is that of --from, and %w", errNoRelease))
	}
	config := s.rolloutConfig(template)
	result, err := sim.RunRollout(sim.RolloutRelease{
		Now: before.Now, Rollout: r.Snapshot.Rollout, Deployment: d, Template: template, Traffic: r.Snapshot.Traffic,
	}, config)
	if err != nil {
		return view.RolloutSimulation{}, r.Invalid(withHelp(err))
	}
	return s.viewRollout(r, s.budget(r, &limits), result, &config, append(partial, asFinished(old.Pods)...)), nil
}

// released returns the Deployment before the release with what the new one has beside
// the template, and its limits. They have the defaults of the API server, which come
// before the admission of Rollouts.
func released(d deploy.Deployment, wanted *deploy.Deployment) (deploy.Deployment, partition.RollingUpdate) {
	limits := partition.RollingUpdate{
		MaxSurge: cmp.Or(wanted.MaxSurge, rollout.Percent(25)), MaxUnavailable: cmp.Or(wanted.MaxUnavailable, rollout.Percent(25)),
	}
	d.Strategy = cmp.Or(d.Strategy, deploy.RollingUpdate)
	d.Replicas, d.MinReadySeconds = wanted.Replicas, wanted.MinReadySeconds
	d.MaxSurge, d.MaxUnavailable = limits.MaxSurge, limits.MaxUnavailable
	return d, limits
}

// beginSetRollout simulates the release from an old CloneSet or StatefulSet to that of the
// Rollout.
func (s *simulation) beginSetRollout(r *manifest.Rollout, old *manifest.PodSet) (view.RolloutSimulation, error) {
	template := r.Workload.Template
	if template.Same(old.Set.Template) {
		return view.RolloutSimulation{}, r.Invalid(fmt.Errorf("the template of its %s is that of --from, and %w", r.Workload.Kind, errNoRelease))
	}
	partial, err := setRolledOut(old)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	set, err := wantedSet(r.Set, old)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	set.Template = revision.Template{ID: old.Set.Template.ID}
	now := s.now.Time
	if now.IsZero() {
		now = sim.Epoch
	}
	config := s.rolloutConfig(template)
	result, err := sim.RunRollout(sim.RolloutRelease{
		Now: now, Rollout: r.Snapshot.Rollout, Set: &set, Template: revision.Template{ID: template.ID}, Traffic: r.Snapshot.Traffic,
	}, config)
	if err != nil {
		return view.RolloutSimulation{}, r.Invalid(err)
	}
	return s.viewRollout(r, set.Budget(), result, &config, append(partial, asFinished(old.Pods)...)), nil
}

// wantedSet returns the set of a release with all but the template.
func wantedSet(wanted, old *manifest.PodSet) (podset.Set, error) {
	set := wanted.Set
	inPlace, err := wanted.InPlace(old)
	set.InPlace = inPlace
	return set, err
}

// beginDaemonRollout simulates the release from an old DaemonSet to that of the Rollout. It
// has as many replicas as nodes run a pod of it.
func (s *simulation) beginDaemonRollout(r manifest.Rollout, old *manifest.DaemonSet) (view.RolloutSimulation, error) {
	partial, err := daemonRolledOut(old)
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	partial = append(s.assumeNodes(r.DaemonSet, old), partial...)
	before, err := old.Snapshot()
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	wanted, err := r.DaemonSet.Snapshot()
	if err != nil {
		return view.RolloutSimulation{}, err
	}
	template, d := wanted.DaemonSet.Template, wanted.DaemonSet
	if template.Hash == before.DaemonSet.Template.Hash {
		return view.RolloutSimulation{}, r.Invalid(fmt.Errorf("the template of its DaemonSet is that of --from, and %w", errNoRelease))
	}
	if len(wanted.Nodes) == 0 {
		return view.RolloutSimulation{}, r.Invalid(manifest.ErrNoNode)
	}
	d.Template = before.DaemonSet.Template
	now := s.now.Time
	if now.IsZero() {
		now = sim.Epoch
	}
	config := s.rolloutConfig(revision.Template{ID: template.Hash})
	result, err := sim.RunRollout(sim.RolloutRelease{
		Now: now, Rollout: r.Snapshot.Rollout, Traffic: r.Snapshot.Traffic, Template: revision.Template{ID: template.Hash},
		DaemonSet: &sim.DaemonSetRelease{
			Ref: r.Workload.Ref, DaemonSet: d, Nodes: wanted.Nodes, Template: template,
			Options: daemonset.Options{Dialect: r.DaemonSet.Dialect(), Repair: s.daemonSets()},
		},
	}, config)
	if err != nil {
		return view.RolloutSimulation{}, r.Invalid(err)
	}
	nodes := result.Steps[0].Old
	r.Workload.Replicas = &nodes
	limits := partition.RollingUpdate{MaxSurge: d.MaxSurge, MaxUnavailable: cmp.Or(d.MaxUnavailable, rollout.Int(1))}
	return s.viewRollout(&r, rollout.ResolveExact(nodes, limits.MaxSurge, limits.MaxUnavailable), result, &config, append(partial, asFinished(old.Controlled())...)), nil
}
