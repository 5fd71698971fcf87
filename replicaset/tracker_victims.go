// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"github.com/kplan-go/kplan/internal/base/lineup"
	"github.com/kplan-go/kplan/podorder"
)

// stands reports whether a line sorts pods in the order of the options.
func (o *Options) stands() bool {
	return (o.Order.Chain == "" || o.Order.Chain == podorder.Current) && o.Order.Priority == "" && o.Order.Stages == nil &&
		o.Order.Protected == nil && !o.Spread && o.Dialect == ""
}

// front returns few pods that include the first n to delete, and the neighbours on their
// nodes; or all pods, if a few cannot be found.
func (t *Tracker) front(in *input, n int, at int64) (refs []*podorder.Pod, near podorder.Neighbours, few bool) {
	if in.opts.stands() && n > 0 && 8*n <= t.pods.Len() {
		if t.line.Stale(t.pods.Len()) {
			t.line = lineup.New(&t.pods, in.related(nil), func(i int) bool { return t.records.At(i).state.role == roleActive }, in.now, at)
		}
		if refs, near, few = t.line.Front(&t.pods, n, in.now, at); few {
			return refs, near, true
		}
	}
	refs = make([]*podorder.Pod, t.pods.Len())
	for i := range refs {
		refs[i] = t.pods.At(i)
	}
	return refs, nil, false
}

// draft returns a draft of the pods in in.refs: few pods that all count, or all pods. It is nil
// for an order that has no drafts.
func (t *Tracker) draft(in *input, few bool) *podorder.Draft {
	d := in.newDraft(len(in.refs))
	if d == nil {
		return nil
	}
	for i, p := range in.refs {
		d.add(p, few || t.records.At(i).state.role.counts())
	}
	return d.choice()
}
