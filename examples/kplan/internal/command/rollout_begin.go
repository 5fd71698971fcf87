// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
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
