// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// simulateRollout simulates a release: the rest of one that is under way, or all of that
// from one workload to another, of those with the name that the Rollout has.
func (s *simulation) simulateRollout(r *manifest.Rollout, from *earlier) (view.RolloutSimulation, error) {
	if r.Deployment == nil && r.Set == nil && r.DaemonSet == nil {
		return view.RolloutSimulation{}, r.Invalid(manifest.ErrNoNode)
	}
	if err := checkRelease(r); err != nil {
		return view.RolloutSimulation{}, err
	}
	begin, found := s.before(r, from)
	switch {
	case underWay(r) && found:
		return view.RolloutSimulation{}, r.Invalid(&kube.FieldError{
			Path: "status.phase", Value: string(r.Snapshot.Rollout.Status.Phase),
			Detail: "the release is under way and goes on from where it stands, not from what --from holds",
		})
	case underWay(r) && r.DaemonSet != nil && len(r.DaemonSet.Nodes) == 0:
		return view.RolloutSimulation{}, r.Invalid(manifest.ErrNoNode)
	case underWay(r):
		return s.resumeRollout(r)
	case !found:
		return view.RolloutSimulation{}, r.Invalid(&missing{r.Workload.Kind})
	}
	return begin()
}

// before returns how to begin the release from what runs before it, if that is known.
func (s *simulation) before(r *manifest.Rollout, from *earlier) (begin func() (view.RolloutSimulation, error), found bool) {
	if r.Set != nil {
		old := from.podSets[r.Set.Key()]
		return func() (view.RolloutSimulation, error) { return s.beginSetRollout(r, old) }, old != nil
	}
	if r.DaemonSet != nil {
		old := from.daemonSets[r.DaemonSet.Key()]
		return func() (view.RolloutSimulation, error) { return s.beginDaemonRollout(*r, old) }, old != nil
	}
	old := from.deployments[r.Deployment.Key()]
	return func() (view.RolloutSimulation, error) { return s.beginRollout(r, old) }, old != nil
}

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

// rolloutConfig returns how a release of a template is simulated.
func (s *simulation) rolloutConfig(template revision.Template) sim.RolloutConfig {
	approve := time.Duration(s.approveAfter)
	if s.neverApprove {
		approve = -1
	}
	return sim.RolloutConfig{
		Kubelet: s.kubelet(template), TimeLimit: time.Duration(s.timeLimit), Latency: time.Duration(s.noticeAfter), Options: s.rolloutOptions(), ApproveAfter: approve,
	}
}

// budget returns within which limits a Deployment is updated by partition.
func (s *simulation) budget(r *manifest.Rollout, limits *partition.RollingUpdate) rollout.Budget {
	return partition.Budget(replicasOf(&r.Workload), limits, s.rollouts().Has(workload.LimitsWrapAround))
}

func (s *simulation) viewRollout(r *manifest.Rollout, budget rollout.Budget, result sim.RolloutResult, config *sim.RolloutConfig, assumed []string) view.RolloutSimulation {
	return view.RolloutSimulation{
		Namespace: r.Namespace, Rollout: r.Snapshot.Rollout, Replicas: replicasOf(&r.Workload), Result: result, Policies: s.flags(workload.QuirkTable()),
		Budget: budget, Recording: config.Kubelet.Recording, Assumed: append(assumed, r.Unheeded()...),
	}
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

// isReleased reports whether a Deployment is one of a Rollout, which releases it.
func isReleased(w *manifest.Workload, rollouts []manifest.Rollout) bool {
	return slices.ContainsFunc(rollouts, func(r manifest.Rollout) bool { return r.Releases(w) })
}
