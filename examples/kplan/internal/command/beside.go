// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/rollout/sim"
)

// besides returns the simulation of CloneSets and StatefulSets that no Rollout releases. The
// answers leave them out, but their pods roll, and use nodes and quotas, in the same cluster.
func (s *settings) besides(set *manifest.Set, from *earlier) (jobs []*job) {
	for i := range set.PodSets {
		p := &set.PodSets[i]
		if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Set == p }) {
			continue
		}
		j := &job{of: p, now: s.begin, around: set.Around(p.Object.GetNamespace()), silent: true}
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
func (s *settings) besideSet(j *job, p, old *manifest.PodSet) {
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
