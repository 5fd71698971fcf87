// SPDX-License-Identifier: Apache-2.0

package world

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// WantedDaemonSet returns the wanted DaemonSet: the applied one, if there is one.
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

// BeginDaemonSet chooses a DaemonSet. If applied, the DaemonSet with the name suffix [Next] is
// applied to it.
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

// OnlyTemplate makes the present DaemonSet equal to the applied one, except for the template.
func (b *Beginning) OnlyTemplate() {
	old := b.DaemonSet()
	template := old.Template
	*old = *b.WantedDaemonSet()
	old.Template = template
}

// HashOfRevision returns the hash of the ControllerRevision with the template of the DaemonSet, or
// "".
func (b *Beginning) HashOfRevision() (hash string) {
	d := b.DaemonSet()
	for _, v := range b.Revisions {
		if v.ControllerUID == d.UID && string(v.Data) == string(d.Template.Data) {
			hash, _ = revision.RevisionHash(v)
		}
	}
	return hash
}

// Annotate sets the annotations of the applied DaemonSet.
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

// eachHold returns the last plan for the DaemonSet with a UID, with one hold for each node: the
// plans of a run only have the sums.
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
