// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
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
		if err := use(outcome{j.result, j.of.(Subject), j.err}); err != nil {
			return err
		}
	}
	return nil
}

// jobs returns the simulation of each subject in the answer.
func (s *settings) jobs(set *manifest.Set, from *earlier) (all []*job) {
	for _, of := range subjectsOf(set) {
		j, err := of.simulate(s, set, from)
		switch {
		case err != nil:
			j = &job{err: err}
		case j == nil:
			continue
		}
		j.of = of
		all = append(all, j)
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
func describe(of identified) string { return fmt.Sprintf("%s %q", of.ID().Kind, of.ID().Name) }

// comparisons compares strategies of each Deployment, each in a separate cluster.
func (s *settings) comparisons(set *manifest.Set, from *earlier, use func(outcome) error) error {
	for i := range set.Workloads {
		w := &set.Workloads[i]
		old := s.opened(w, from)
		s.doing("simulating %s (%d of %d)", w.Name(), i+1, len(set.Workloads))
		result, err := s.compare(w, old)
		if err := use(outcome{result, Deployment{w}, err}); err != nil {
			return err
		}
		if w.Drop(); old != nil {
			old.Drop()
		}
	}
	return nil
}
