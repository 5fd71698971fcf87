// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// simulate returns the simulation of an update of a DaemonSet from an old one, or from its current
// pods if there is none.
func (o DaemonSet) simulate(s *settings, set *manifest.Set, from *earlier) (*job, error) {
	d, old := o.DaemonSet, from.daemonSets[o.Key()]
	if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Runs(d) }) {
		return nil, nil
	}
	s.startsFromNothing(old == nil, d.File, d.Name())
	partial, err := daemonRolledOut(old)
	if err != nil {
		return nil, err
	}
	nodes := s.assumeNodes(d, old)
	partial = append(nodes, partial...)
	if old != nil {
		if err := sameSelector(old.Object.Spec.Selector, d.Object.Spec.Selector, old.File); err != nil {
			return nil, d.Invalid(err)
		}
	}
	if len(d.Nodes) == 0 {
		return nil, d.Invalid(manifest.ErrNoNode)
	}
	j := daemonSetJob(cmp.Or(old, d), onlyWith(old, d), s.begin)
	j.apart = len(nodes) > 0
	var assumed []string
	j.after(func(b *world.Beginning) {
		assumed = slices.Concat(partial, nodesBarred(b), s.believed(d.Nodes, b))
		b.Broken(s.neverReady)
	})
	s.updated(j, d, &assumed)
	return j, nil
}

// onlyWith returns wanted if there is an old object to apply it to, otherwise nil.
func onlyWith[T any](old, wanted *T) *T {
	if old == nil {
		return nil
	}
	return wanted
}

// updated sets the function of a job that adds the assumptions to the result of an update.
func (s *settings) updated(j *job, d *manifest.DaemonSet, assumed *[]string) {
	of := view.DaemonSets{Advanced: d.Advanced != nil, Nodes: len(d.Nodes)}
	j.telling = of
	j.tell = func(b *world.Beginning, r *world.Run, result *view.Simulation) {
		result.Policies = s.flags(daemonset.QuirkTable())
		result.Assumed = slices.Concat(d.Bites(of.Most(result), b.Running()), *assumed, s.lives(b, result))
		result.Caveats = keptImages(d, r, result)
	}
}

// nodesBarred returns notes about nodes without a pod of the DaemonSet, and the reason.
func nodesBarred(b *world.Beginning) []string {
	placer := daemonset.NewPlacer(&b.WantedDaemonSet().Template, b.DaemonSetOptions(daemonset.Options{}))
	return barred(b.Nodes, "no pod of it", func(n *cluster.Node) string { return view.Barrier(placer.Place(&n.Node)) })
}

// assumeNodes adds nodes to a DaemonSet without any, and returns the assumptions about them. It
// adds none in a comparison of manifests, where the number of nodes is unknown.
func (s *settings) assumeNodes(d, old *manifest.DaemonSet) []string {
	if s.noNodes {
		return nil
	}
	return d.AssumeNodes(old)
}
