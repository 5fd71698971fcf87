// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Answers are what simulations come to. Of each no more is kept than will be written: what
// it was made of takes much more memory, and there may be thousands.
type answers struct {
	all       bool      // whether to keep the outcomes
	outcomes  []outcome // for pictures, and formats of steps
	documents []document
	end       error // that of the first that does not finish
}

func (a *answers) add(c *cobra.Command, s *simulation, o outcome) error {
	if o.err != nil {
		return o.err
	}
	a.end = cmp.Or(a.end, unfinished(o))
	if a.all {
		a.outcomes = append(a.outcomes, o)
		return nil
	}
	d, err := s.drawn(c, s.charted(o))
	a.documents = append(a.documents, d)
	return err
}

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

// A keyed object is told apart from others of its kind by its key.
type keyed[T any] interface {
	*T
	Key() string
}

// indexed returns the objects of a list by their keys, for those who look for many.
func indexed[T any, P keyed[T]](list []T) map[string]P {
	all := make(map[string]P, len(list))
	for i := range list {
		if p := P(&list[i]); all[p.Key()] == nil {
			all[p.Key()] = p
		}
	}
	return all
}

// What was there earlier, by keys.
type earlier struct {
	deployments map[string]*manifest.Workload
	daemonSets  map[string]*manifest.DaemonSet
	replicaSets map[string]*manifest.ReplicaSet
	podSets     map[string]*manifest.PodSet
	argo        map[string]*manifest.ArgoRollout
}

func earlierOf(from *manifest.Set) *earlier {
	return &earlier{
		indexed(from.Workloads), indexed(from.DaemonSets), indexed(from.ReplicaSets), indexed(from.PodSets), indexed(from.Argo),
	}
}
