// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/rollout/workload"
)

// outcomes simulates all workloads in one cluster and calls use for each outcome. An error of one
// workload is in its outcome. An error of use ends the calls.
func (s *settings) outcomes(set *manifest.Set, from *earlier, use func(outcome) error) error {
	if s.asked() {
		return s.comparisons(set, from, use)
	}
	all := s.jobs(set, from)
	beside := s.besides(set, from)
	s.together(slices.Concat(all, beside))
	for _, j := range beside {
		if j.err != nil {
			s.tell("not looked at: " + j.err.Error())
		}
	}
	for _, j := range all {
		if err := use(outcome{j.result, j.of, j.err}); err != nil {
			return err
		}
	}
	return nil
}

// jobs returns the simulation of each workload in the answer.
func (s *settings) jobs(set *manifest.Set, from *earlier) (all []*job) {
	add := func(of subject, j *job, err error) {
		if err != nil {
			j = &job{err: err}
		}
		j.of = of
		all = append(all, j)
	}
	for i := range set.Argo {
		r := &set.Argo[i]
		old := from.argo[r.Key()]
		s.startsFromNothing(old == nil, r.File, r.Name())
		j, err := s.ofArgo(r, old)
		add(r, j, err)
	}
	for i := range set.Rollouts {
		r := &set.Rollouts[i]
		j, err := s.ofRelease(r, from)
		add(r, j, err)
	}
	for i := range set.Workloads {
		w := &set.Workloads[i]
		if isReleased(w, set.Rollouts) {
			continue
		}
		j, err := s.ofDeployment(w, s.opened(w, from))
		add(w, j, err)
	}
	for i := range set.ReplicaSets {
		r := &set.ReplicaSets[i]
		old := from.replicaSets[r.Key()]
		s.startsFromNothing(old == nil, r.File, r.Name())
		j, err := s.ofReplicaSet(r, old)
		add(r, j, err)
	}
	for i := range set.DaemonSets {
		d := &set.DaemonSets[i]
		if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Runs(d) }) {
			continue
		}
		old := from.daemonSets[d.Key()]
		s.startsFromNothing(old == nil, d.File, d.Name())
		j, err := s.ofDaemonSet(d, old)
		add(d, j, err)
	}
	return all
}

// together simulates jobs in one cluster, except jobs with a separate cluster.
func (s *settings) together(all []*job) {
	var jobs []*job
	for _, j := range all {
		if !j.apart {
			jobs = append(jobs, j)
			continue
		}
		s.doing("simulating %s", j.of.ID().Name)
		s.simulate([]*job{j})
	}
	if len(jobs) == 1 {
		s.doing("simulating %s", describe(jobs[0].of))
	} else {
		s.doing("simulating %d workloads", len(jobs))
	}
	s.simulate(jobs)
}

// describe returns the kind and the name of a workload, for messages.
func describe(of subject) string { return fmt.Sprintf("%s %q", of.ID().Kind, of.ID().Name) }

// opened opens a Deployment and the Deployment that runs before it. It returns the latter, or
// nil.
func (s *settings) opened(w *manifest.Workload, from *earlier) *manifest.Workload {
	w.Open()
	if w.Deployment.Annotations[workload.AnnotationInProgress] != "" {
		s.tell(fmt.Sprintf("%s: %s is released by a Rollout that is not in the input, and goes only as far as that has let it", w.File, w.Name()))
	}
	old := from.deployments[w.Key()]
	s.startsFromNothing(old == nil, w.File, w.Name())
	if old != nil {
		old.Open()
	}
	return old
}

// comparisons compares strategies of each Deployment, each in a separate cluster.
func (s *settings) comparisons(set *manifest.Set, from *earlier, use func(outcome) error) error {
	for i := range set.Workloads {
		w := &set.Workloads[i]
		old := s.opened(w, from)
		s.doing("simulating %s (%d of %d)", w.Name(), i+1, len(set.Workloads))
		result, err := s.compare(w, old)
		if err := use(outcome{result, w, err}); err != nil {
			return err
		}
		if w.Drop(); old != nil {
			old.Drop()
		}
	}
	return nil
}

// startsFromNothing notes that a workload is not in the files of --from, unless the answer itself
// says that it is new.
func (s *settings) startsFromNothing(does bool, file, name string) {
	if does && s.notesNew {
		s.tell(fmt.Sprintf("%s: %s is not in the files of --from and starts from nothing", file, name))
	}
}

// isReleased reports whether a Rollout releases the Deployment.
func isReleased(w *manifest.Workload, rollouts []manifest.Rollout) bool {
	return slices.ContainsFunc(rollouts, func(r manifest.Rollout) bool { return r.Releases(w) })
}
