// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
)

// An Outcome is a simulated rollout with its workload, or an error.
type Outcome struct {
	Result rolled
	Of     Subject
	Err    error
}

// A rolled document is a simulated rollout. Unfinished returns the reason why it did not finish,
// or "".
type rolled interface {
	Document
	Unfinished() string
}

// Unfinished returns an error if a rollout did not finish.
func Unfinished(o Outcome) error {
	if text := o.Result.Unfinished(); text != "" {
		return o.Of.Invalid(errors.New(text))
	}
	return nil
}

// Outcomes simulates all workloads in one cluster and calls use for each outcome. An error of one
// workload is in its outcome. An error of use ends the calls.
func (s *Settings) Outcomes(set *manifest.Set, from *Earlier, use func(Outcome) error) error {
	if s.Asked() {
		return s.comparisons(set, from, use)
	}
	all := s.jobs(set, from)
	beside := s.besides(set, from)
	s.together(slices.Concat(all, beside))
	for _, j := range beside {
		if j.err != nil {
			s.Tell("not looked at: " + j.err.Error())
		}
	}
	for _, j := range all {
		if err := use(Outcome{j.result, j.of.(Subject), j.err}); err != nil {
			return err
		}
	}
	return nil
}

// jobs returns the simulation of each subject in the answer.
func (s *Settings) jobs(set *manifest.Set, from *Earlier) (all []*job) {
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
func (s *Settings) together(all []*job) {
	var jobs []*job
	for _, j := range all {
		if !j.apart {
			jobs = append(jobs, j)
			continue
		}
		s.Doing("simulating %s", j.of.ID().Name)
		s.simulate([]*job{j})
	}
	if len(jobs) == 1 {
		s.Doing("simulating %s", describe(jobs[0].of))
	} else {
		s.Doing("simulating %d workloads", len(jobs))
	}
	s.simulate(jobs)
}

// describe returns the kind and the name of a workload, for messages.
func describe(of identified) string { return fmt.Sprintf("%s %q", of.ID().Kind, of.ID().Name) }

// comparisons compares strategies of each Deployment, each in a separate cluster.
func (s *Settings) comparisons(set *manifest.Set, from *Earlier, use func(Outcome) error) error {
	for i := range set.Workloads {
		w := &set.Workloads[i]
		old := s.opened(w, from)
		s.Doing("simulating %s (%d of %d)", w.Name(), i+1, len(set.Workloads))
		result, err := s.compare(w, old)
		if err := use(Outcome{result, Deployment{w}, err}); err != nil {
			return err
		}
		if w.Drop(); old != nil {
			old.Drop()
		}
	}
	return nil
}

// besides returns the simulation of CloneSets and StatefulSets that no Rollout releases. The
// answers leave them out, but their pods roll, and use nodes and quotas, in the same cluster.
func (s *Settings) besides(set *manifest.Set, from *Earlier) (jobs []*job) {
	for i := range set.PodSets {
		p := &set.PodSets[i]
		if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Set == p }) {
			continue
		}
		j := &job{of: p, now: s.Begin, around: set.Around(p.Object.GetNamespace()), silent: true}
		j.prepare = func(*world.Beginning, *sim.Config) error { return nil }
		if err := tooMany(p.Set.Replicas); err != nil {
			j.err = p.Invalid(err)
		} else {
			s.besideSet(j, p, from.podSets[p.Key()])
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// besideSet begins with a set: with the change from an old set, or with its current state if old
// is nil.
func (s *Settings) besideSet(j *job, p, old *manifest.PodSet) {
	namespace, name := p.Object.GetNamespace(), p.Object.GetName()
	if old == nil {
		j.objects = []kube.Object{p.Object.(kube.Object)}
		for _, pod := range p.Pods {
			j.objects = append(j.objects, pod)
		}
		j.begin = func(b *world.Beginning) error {
			b.BeginSetAlone(namespace, name)
			return nil
		}
		return
	}
	if err := tooMany(old.Set.Replicas); err != nil {
		j.err = old.Invalid(err)
		return
	}
	var inPlace bool
	inPlace, j.err = p.InPlace(old)
	j.replaces(old, p)
	j.begin = func(b *world.Beginning) error {
		next := b.BeginSet(namespace, name, inPlace)
		next.Partition, next.Paused = p.Set.Partition, p.Set.Paused // as a Rollout would set them
		b.Applied, b.Earlier = []any{*next}, true
		return nil
	}
}
