// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/revision"
)

func (s *simulation) simulateDaemonSet(d, old *manifest.DaemonSet) (view.DaemonSimulation, error) {
	options := daemonset.Options{Dialect: d.Dialect(), Repair: s.daemonSets()}
	partial, err := daemonRolledOut(old)
	if err != nil {
		return view.DaemonSimulation{}, err
	}
	partial = append(s.assumeNodes(d, old), partial...)
	start, err := s.startDaemonSet(d, old, options)
	if err != nil {
		return view.DaemonSimulation{}, err
	}
	if len(d.Nodes) == 0 {
		return view.DaemonSimulation{}, d.Invalid(manifest.ErrNoNode)
	}
	placer := daemonset.NewPlacer(&start.DaemonSet.Template, options)
	partial = append(partial, barred(start.Nodes, "no pod of it", func(n *daemonset.Node) string { return view.Barrier(placer.Place(n)) })...)
	kubelet := s.kubelet(revision.Template{ID: start.DaemonSet.Template.Hash})
	assumed := append(partial, slices.Concat(s.daemonEnvironment(d, old, start.Now, &kubelet), d.Unheeded())...)
	result, err := sim.RunDaemonSet(start, sim.DaemonSetConfig{
		Kubelet: kubelet, TimeLimit: time.Duration(s.timeLimit), Latency: time.Duration(s.noticeAfter), Options: options,
	})
	if err != nil {
		return view.DaemonSimulation{}, d.Invalid(withHelp(err))
	}
	return view.DaemonSimulation{
		Namespace: d.Object.Namespace, Name: d.Object.Name, Result: result, Policies: s.flags(daemonset.QuirkTable()), Assumed: assumed,
		Advanced: d.Advanced != nil, Recording: kubelet.Recording,
	}, nil
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
func (s *simulation) startDaemonSet(d, old *manifest.DaemonSet, options daemonset.Options) (sim.DaemonSetCluster, error) {
	wanted, err := daemonCluster(d, s.now.Time)
	if err != nil || old == nil {
		return wanted, err
	}
	if err := sameSelector(old.Object.Spec.Selector, d.Object.Spec.Selector, old.File); err != nil {
		return wanted, d.Invalid(err)
	}
	c, err := daemonCluster(old, s.now.Time)
	if err != nil {
		return c, err
	}
	c.Nodes = wanted.Nodes
	if len(old.Controlled()) == 0 {
		if c, err = sim.FinishedDaemonSet(c.DaemonSet, c.Nodes, options); err != nil {
			return c, old.Invalid(err)
		}
	}
	wanted.DaemonSet.Annotations = served(&c.DaemonSet, &wanted.DaemonSet, options)
	c.Update(wanted.DaemonSet)
	return c, nil
}

// daemonCluster returns what the files hold as a cluster. A zero time is that of the
// objects.
func daemonCluster(d *manifest.DaemonSet, now time.Time) (sim.DaemonSetCluster, error) {
	snapshot, err := d.Snapshot()
	if err != nil {
		return sim.DaemonSetCluster{}, err
	}
	if now.IsZero() {
		now = latestOf(d.Object.CreationTimestamp.Time, d.Pods)
	}
	return sim.DaemonSetCluster{
		Now: now, DaemonSet: snapshot.DaemonSet, Nodes: snapshot.Nodes, Pods: snapshot.Pods, Revisions: snapshot.Revisions,
	}, nil
}
