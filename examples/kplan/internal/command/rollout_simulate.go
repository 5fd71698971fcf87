// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/kruise"
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

// resumeRollout simulates the rest of a release that is under way.
func (s *simulation) resumeRollout(r *manifest.Rollout) (view.RolloutSimulation, error) {
	switch {
	case r.Set != nil:
		return s.resumeSet(r)
	case r.DaemonSet != nil:
		return s.resumeDaemonSet(r)
	}
	return s.resumeDeployment(r)
}

// underWay reports whether something is being released: the Rollout says so, or admission
// has let an update in that its controller has yet to notice.
func underWay(r *manifest.Rollout) bool {
	return r.Snapshot.Rollout.Status.Phase == kruise.PhaseProgressing || r.Workload.Annotations[workload.AnnotationInProgress] != ""
}
