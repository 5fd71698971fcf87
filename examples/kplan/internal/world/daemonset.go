// SPDX-License-Identifier: Apache-2.0

package world

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

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

// BeginDaemonSet lets it be a DaemonSet. One with the name that ends with [Next] is applied, if there is to be
// any.
func (b *Beginning) BeginDaemonSet(namespace, name string, applied bool) {
	b.begin(sim.KindDaemonSet, namespace, name)
	old := b.DaemonSet()
	b.Template = old.Template.Hash
	if !applied {
		return
	}
	as := func(next *daemonset.DaemonSet) { next.Name, next.UID = old.Name, old.UID }
	if b.advanced() {
		next := take(&b.AdvancedDaemonSets, advancedName, b.Name+Next)
		as(&next.DaemonSet)
		b.Applied = []any{next}
	} else {
		next := take(&b.DaemonSets, daemonSetName, b.Name+Next)
		as(&next)
		b.Applied = []any{next}
	}
	b.Template = b.WantedDaemonSet().Template.Hash
}

// OnlyTemplate lets the DaemonSet be as the one that is applied, but for the template.
func (b *Beginning) OnlyTemplate() {
	old := b.DaemonSet()
	template := old.Template
	*old = *b.WantedDaemonSet()
	old.Template = template
}

// HashOfRevision is that which the ControllerRevision of the template of the DaemonSet has; "" if there is none.
func (b *Beginning) HashOfRevision() (hash string) {
	d := b.DaemonSet()
	for _, v := range b.Revisions {
		if v.ControllerUID == d.UID && string(v.Data) == string(d.Template.Data) {
			hash, _ = revision.RevisionHash(v)
		}
	}
	return hash
}

// Annotate gives the DaemonSet that is applied annotations.
func (b *Beginning) Annotate(annotations map[string]string) {
	switch next := b.Applied[0].(type) {
	case cluster.AdvancedDaemonSet:
		next.Annotations = annotations
		b.Applied = []any{next}
	case daemonset.DaemonSet:
		next.Annotations = annotations
		b.Applied = []any{next}
	}
}

// DaemonSetOptions returns options with the dialect of the DaemonSet.
func (b *Beginning) DaemonSetOptions(o daemonset.Options) daemonset.Options {
	if b.advanced() {
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
