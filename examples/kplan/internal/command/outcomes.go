// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/rollout/workload"
)

// outcomes simulates all that there is, one after the other. What a workload needed is given
// away behind it. An error of one is the outcome of that, and others follow unless use
// returns it.
func (s *simulation) outcomes(c *cobra.Command, set *manifest.Set, from *earlier, use func(outcome) error) error {
	defer s.progress.done()
	if err := s.argoOutcomes(c, set, from, use); err != nil {
		return err
	}
	for i := range set.Rollouts {
		r := &set.Rollouts[i]
		s.progress.doing("simulating Rollout %s (%d of %d)", r.Snapshot.Rollout.Name, i+1, len(set.Rollouts))
		result, err := s.simulateRollout(r, from)
		if err := use(outcome{result, r, err}); err != nil {
			return err
		}
	}
	if err := s.deploymentOutcomes(c, set, from, use); err != nil {
		return err
	}
	for i := range set.ReplicaSets {
		r := &set.ReplicaSets[i]
		old := from.replicaSets[r.Key()]
		if old == nil && len(s.from) > 0 {
			s.fromNothing(c, r.File, r.Name())
		}
		s.progress.doing("simulating %s (%d of %d)", r.Name(), i+1, len(set.ReplicaSets))
		result, err := s.simulateReplicaSet(r, old)
		if err := use(outcome{result, r, err}); err != nil {
			return err
		}
	}
	return s.daemonOutcomes(c, set, from, use)
}

func (s *simulation) deploymentOutcomes(c *cobra.Command, set *manifest.Set, from *earlier, use func(outcome) error) error {
	for i, w := range set.Opened() {
		if isReleased(w, set.Rollouts) {
			continue
		}
		if w.Deployment.Annotations[workload.AnnotationInProgress] != "" {
			tell(c, []string{fmt.Sprintf("%s: %s is released by a Rollout that is not in the input, and goes only as far as that has let it", w.File, w.Name())})
		}
		old := from.deployments[w.Key()]
		if old != nil {
			old.Open()
		} else if len(s.from) > 0 {
			s.fromNothing(c, w.File, w.Name())
		}
		s.progress.doing("simulating %s (%d of %d)", w.Name(), i+1, len(set.Workloads))
		if err := use(s.outcomeOf(w, old)); err != nil {
			return err
		}
		if old != nil {
			old.Drop()
		}
	}
	return nil
}

func (s *simulation) daemonOutcomes(c *cobra.Command, set *manifest.Set, from *earlier, use func(outcome) error) error {
	for i := range set.DaemonSets {
		d := &set.DaemonSets[i]
		if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Runs(d) }) {
			continue
		}
		old := from.daemonSets[d.Key()]
		if old == nil && len(s.from) > 0 {
			s.fromNothing(c, d.File, d.Name())
		}
		s.progress.doing("simulating %s (%d of %d)", d.Name(), i+1, len(set.DaemonSets))
		result, err := s.simulateDaemonSet(d, old)
		if err := use(outcome{result, d, err}); err != nil {
			return err
		}
	}
	return nil
}

// fromNothing notes that something is not in the files of --from, unless the answer says that
// it is new.
func (s *simulation) fromNothing(c *cobra.Command, file, name string) {
	if s.whole {
		return
	}
	tell(c, []string{fmt.Sprintf("%s: %s is not in the files of --from and starts from nothing", file, name)})
}

// outcomeOf returns the steps of one rollout, or what many come to.
func (s *simulation) outcomeOf(w, old *manifest.Workload) outcome {
	if s.asked() {
		result, err := s.compare(w, old)
		return outcome{result, w, err}
	}
	result, err := s.simulateDeployment(w, old)
	return outcome{result, w, err}
}

// argoOutcomes simulates all Rollouts of Argo.
func (s *simulation) argoOutcomes(c *cobra.Command, set *manifest.Set, from *earlier, use func(outcome) error) error {
	for i := range set.Argo {
		r := &set.Argo[i]
		old := from.argo[r.Key()]
		if old == nil && len(s.from) > 0 {
			s.fromNothing(c, r.File, r.Name())
		}
		result, err := s.simulateArgo(r, old)
		if err := use(outcome{result, r, err}); err != nil {
			return err
		}
	}
	return nil
}

// isReleased reports whether a Deployment is one of a Rollout, which releases it.
func isReleased(w *manifest.Workload, rollouts []manifest.Rollout) bool {
	return slices.ContainsFunc(rollouts, func(r manifest.Rollout) bool { return r.Releases(w) })
}
