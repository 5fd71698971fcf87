// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

func (s *simulation) simulateDaemonSet(d, old *manifest.DaemonSet) (view.Simulation, error) {
	partial, err := daemonRolledOut(old)
	if err != nil {
		return view.Simulation{}, err
	}
	partial = append(s.assumeNodes(d, old), partial...)
	start, err := s.startDaemonSet(d, old)
	if err != nil {
		return view.Simulation{}, err
	}
	if len(d.Nodes) == 0 {
		return view.Simulation{}, d.Invalid(manifest.ErrNoNode)
	}
	assumed := slices.Concat(partial, nodesBarred(&start), s.daemonEnvironment(d, &start))
	start.Broken(s.neverReady)
	return simulatedUpdate(d, &start, &s.pace, &s.policies, assumed)
}

// simulatedUpdate returns how an update goes from where it begins.
func simulatedUpdate(d *manifest.DaemonSet, b *world.Beginning, p *pace, by *policies, assumed []string) (view.Simulation, error) {
	p.override(b, false)
	of := view.DaemonSets{Advanced: d.Advanced != nil, Nodes: len(b.Nodes)}
	result, err := view.Simulate(b, of, p.config(by), time.Duration(p.timeLimit), p.records)
	if err != nil {
		return result, d.Invalid(withHelp(err))
	}
	result.Policies = by.flags(daemonset.QuirkTable())
	result.Assumed = slices.Concat(d.Bites(of.Most(&result), b.Running()), assumed, p.lives(b, &result))
	return result, nil
}

// nodesBarred tells how many nodes take no pod of the DaemonSet, and why.
func nodesBarred(b *world.Beginning) []string {
	placer := daemonset.NewPlacer(&b.WantedDaemonSet().Template, b.DaemonSetOptions(daemonset.Options{}))
	return barred(b.Nodes, "no pod of it", func(n *cluster.Node) string { return view.Barrier(placer.Place(&n.Node)) })
}

// assumeNodes gives a DaemonSet nodes if there are none, and returns what is assumed of them. In a
// comparison of manifests it has none then: on how many it rolls is not known.
func (s *simulation) assumeNodes(d, old *manifest.DaemonSet) []string {
	if s.whole {
		return nil
	}
	return d.AssumeNodes(old)
}

// startDaemonSet returns the cluster in which the update begins: where the old one has
// been rolled out, or what the files hold.
func (s *simulation) startDaemonSet(d, old *manifest.DaemonSet) (world.Beginning, error) {
	if old == nil {
		return beginningOfDaemonSet(d, nil, s.now.Time)
	}
	if err := sameSelector(old.Object.Spec.Selector, d.Object.Spec.Selector, old.File); err != nil {
		return world.Beginning{}, d.Invalid(err)
	}
	return beginningOfDaemonSet(old, d, s.now.Time)
}
