// SPDX-License-Identifier: Apache-2.0

package world

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// DaemonSet returns the DaemonSet as it is before anything is applied.
func (b *Beginning) DaemonSet() *daemonset.DaemonSet { return daemonSetIn(&b.Snapshot) }

// daemonSetIn returns the first DaemonSet of a snapshot, of Kubernetes or of OpenKruise.
func daemonSetIn(s *cluster.Snapshot) *daemonset.DaemonSet {
	if len(s.AdvancedDaemonSets) > 0 {
		return &s.AdvancedDaemonSets[0].DaemonSet
	}
	return &s.DaemonSets[0]
}

// WantedDaemonSet returns the DaemonSet that is rolled out.
func (b *Beginning) WantedDaemonSet() *daemonset.DaemonSet {
	if len(b.Applied) == 0 {
		return b.DaemonSet()
	}
	if d, ok := b.Applied[0].(cluster.AdvancedDaemonSet); ok {
		return &d.DaemonSet
	}
	d := b.Applied[0].(daemonset.DaemonSet)
	return &d
}

// ApplyLast lets the second DaemonSet of the snapshot be applied to the first, as another version of that,
// once a function has completed it.
func (b *Beginning) ApplyLast(complete func(old, next *daemonset.DaemonSet)) {
	old := b.DaemonSet()
	as := func(next *daemonset.DaemonSet) {
		next.Name, next.UID = old.Name, old.UID
		complete(old, next)
		b.Template = next.Template.Hash
	}
	if len(b.AdvancedDaemonSets) > 1 {
		next := b.AdvancedDaemonSets[1]
		as(&next.DaemonSet)
		b.AdvancedDaemonSets, b.Applied = b.AdvancedDaemonSets[:1], []any{next}
		return
	}
	next := b.DaemonSets[1]
	as(&next)
	b.DaemonSets, b.Applied = b.DaemonSets[:1], []any{next}
}

// finishedDaemonSet is [Beginning.Finished] for a DaemonSet.
func (b Beginning) finishedDaemonSet() (Beginning, error) {
	before := cluster.Snapshot{Now: b.Now, Nodes: slices.Clone(b.Nodes), Revisions: b.Revisions}
	if len(b.AdvancedDaemonSets) > 0 {
		before.AdvancedDaemonSets = slices.Clone(b.AdvancedDaemonSets[:1])
	} else {
		before.DaemonSets = slices.Clone(b.DaemonSets[:1])
	}
	silent := map[string]bool{}
	for i := range before.Nodes {
		n := &before.Nodes[i]
		silent[n.Name] = n.NotReady
		n.Room, n.NotReady, n.NotReadySince = nil, false, time.Time{}
	}
	d := daemonSetIn(&before)
	paused, partition := d.Paused, d.Partition
	d.Paused, d.Partition, d.Generation, d.Status = false, rollout.IntOrPercent{}, max(d.Generation, 1), daemonset.Status{}
	s, err := b.rolledOut(before)
	if err != nil {
		return b, err
	}
	d = daemonSetIn(&s)
	d.Paused, d.Partition = paused, partition
	b.DaemonSets, b.AdvancedDaemonSets = slices.Clone(b.DaemonSets), slices.Clone(b.AdvancedDaemonSets)
	*b.DaemonSet() = *d
	for i := range s.DaemonPods {
		s.DaemonPods[i].Ready = !silent[s.DaemonPods[i].NodeName]
	}
	b.DaemonPods, b.Revisions = s.DaemonPods, s.Revisions
	b.Now = b.Now.Add(time.Hour)
	return b, nil
}

// DaemonSetOptions returns options with the dialect of the DaemonSet.
func (b *Beginning) DaemonSetOptions(o daemonset.Options) daemonset.Options {
	if len(b.AdvancedDaemonSets) > 0 {
		o.Dialect = daemonset.OpenKruise
	}
	return o
}

// eachHold returns the last plan for the DaemonSet with a UID with what it holds back on each node, where
// plans of a run sum that.
func (r *Run) eachHold(uid string, last daemonset.Plan, options daemonset.Options) daemonset.Plan {
	if len(last.Holds) == 0 {
		return last
	}
	v := r.View()
	s := daemonset.Snapshot{Pods: append(v.DaemonPodsOf(uid), v.DaemonPodsOf("")...), Revisions: append(v.RevisionsOf(uid), v.RevisionsOf("")...)}
	for _, d := range v.DaemonSets() {
		if d.UID == uid {
			s.DaemonSet = *d
		}
	}
	for _, n := range v.Nodes() {
		s.Nodes = append(s.Nodes, n.Node)
	}
	options.SumHolds = false
	if p, err := daemonset.Reconcile(s, r.Now(), options); err == nil {
		last.Holds = p.Holds
	}
	return last
}
