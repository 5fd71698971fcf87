// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// errNoRelease tells that a Rollout has nothing to do.
var errNoRelease = errors.New("there is nothing to release")

// A missing error tells that --from lacks a workload, so that nothing can be released.
type missing struct{ kind string }

func (m *missing) Error() string {
	return "nothing is being released; --from must hold its " + m.kind + " as it is before the release"
}

// Is makes it one of errNoRelease.
func (m *missing) Is(target error) bool { return target == errNoRelease }

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

// resume simulates the rest of a release from what there is.
func (s *simulation) resume(r *manifest.Rollout, c sim.RolloutCluster, config *sim.RolloutConfig, budget rollout.Budget, assumed []string) (view.RolloutSimulation, error) {
	result, err := sim.ResumeRollout(c, *config)
	if err != nil {
		return view.RolloutSimulation{}, r.Invalid(withHelp(err))
	}
	return s.viewRollout(r, budget, result, config, assumed), nil
}

// latestOfRelease returns the latest time in the objects of a release.
func latestOfRelease(r *manifest.Rollout) time.Time {
	last := latestOf(time.Time{}, r.Pods)
	if r.Deployment != nil {
		last = later(last, latest(r.Deployment))
	}
	for i := range r.Canaries {
		last = later(last, latest(&r.Canaries[i]))
	}
	conditions := r.Snapshot.Rollout.Status.Conditions
	if sub := r.Snapshot.Rollout.Status.Sub; sub != nil {
		last = later(last, sub.LastUpdateTime)
	}
	if br := r.Snapshot.BatchRelease; br != nil {
		last = later(last, br.Status.Current.BatchReadyTime)
		conditions = slices.Concat(conditions, br.Status.Conditions)
	}
	for _, c := range conditions {
		last = later(later(last, c.LastUpdateTime), c.LastTransitionTime)
	}
	return last.UTC()
}
