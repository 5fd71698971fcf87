// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"bytes"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A measure is the input of the counts besides nodes, pods and the time.
type measure struct {
	ds      *DaemonSet
	owner   claim.Owner
	placer  Placer
	version Version // without relabelled hashes
	opts    Options
}

// same reports whether nodes and pods count the same with another input and version.
func (m *measure) same(in *input, v *Version) bool {
	return m.opts == in.opts && m.version.Hash == v.Hash && m.version.Generation == v.Generation && sameCounted(m.ds, in.ds)
}

// sameCounted reports whether nodes and pods count the same with both DaemonSets, apart from
// their versions.
func sameCounted(a, b *DaemonSet) bool {
	return a.UID == b.UID && a.DeletionTimestamp.IsZero() == b.DeletionTimestamp.IsZero() && a.MinReadySeconds == b.MinReadySeconds &&
		a.kind() == b.kind() && a.Name == b.Name &&
		tracked.SameSelector(a.Selector, b.Selector) && samePlacement(&a.Template, &b.Template)
}

// sameAdmitted reports whether the checked and compiled input and the decision about the
// revisions are the same for both DaemonSets. Most changes are of the status, which a plan
// reads in place, like the other fields not compared here. NodeSelector is not compared
// because with it the plan comes from Reconcile.
func sameAdmitted(a, b *DaemonSet) bool {
	return sameCounted(a, b) && a.Template.Hash == b.Template.Hash && bytes.Equal(a.Template.Data, b.Template.Data) &&
		maps.Equal(a.Annotations, b.Annotations) && ptr.Equal(a.RevisionHistoryLimit, b.RevisionHistoryLimit) &&
		a.Strategy == b.Strategy && a.RollingType == b.RollingType && a.MaxSurge == b.MaxSurge && a.MaxUnavailable == b.MaxUnavailable &&
		a.Partition == b.Partition && a.Burst == b.Burst
}

// samePlacement reports whether the pods of two templates belong on the same nodes.
func samePlacement(a, b *Template) bool {
	return a.NodeName == b.NodeName && a.HostNetwork == b.HostNetwork && maps.Equal(a.NodeSelector, b.NodeSelector) &&
		sameAffinity(a.Affinity, b.Affinity) && slices.EqualFunc(a.Tolerations, b.Tolerations, sameToleration)
}

func sameToleration(a, b Toleration) bool {
	x, y := a.Seconds, b.Seconds
	a.Seconds, b.Seconds = nil, nil
	return a == b && ptr.Equal(x, y)
}

func sameAffinity(a, b *selector.NodeSelector) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(a.Terms, b.Terms, func(x, y selector.NodeSelectorTerm) bool {
		return tracked.SameExpressions(x.MatchExpressions, y.MatchExpressions) && tracked.SameExpressions(x.MatchFields, y.MatchFields)
	})
}

// take brings the counts up to date for a plan: it counts everything again if the measure has
// changed, or the time is earlier than before, and otherwise lets pods become available.
func (t *Tracker) take(in *input, h *history, at int64) {
	c := &t.counts
	right := t.measure != nil && (t.measured || t.measure.same(in, &h.version))
	t.measured = true
	if in.now.Before(c.now) || !right {
		ds := *in.ds
		t.measure = &measure{ds: &ds, owner: in.owner, placer: in.placer, version: h.version, opts: in.opts}
		nodes := t.counts.pointers()
		t.counts = counts{now: in.now}
		t.recount(nodes)
		return
	}
	for c.now = in.now; c.queue.Len() > 0 && c.queue.First().At <= at; {
		t.refile(int(c.queue.First().Item))
	}
}

// revise returns the decision about the revisions. A decision that creates a revision is not
// kept, since plans must not share it.
func (t *Tracker) revise(in *input) *history {
	if t.known != nil {
		return t.known
	}
	h := in.decideRevisions()
	if h.create == nil && h.collision == nil {
		t.known = h
	}
	return h
}

// recount counts all nodes and pods.
func (t *Tracker) recount(nodes []*Node) {
	for _, n := range nodes {
		t.settle(t.addNode(n), n)
		t.counts.ranked += rankOf(n)
	}
	for i := range t.pods.Len() {
		t.counts.records.Append(record{})
		t.enter(i)
	}
	for i := range t.counts.spots.Len() {
		t.refile(i)
	}
}

// rankOf returns 1 for a node with a rank, and otherwise 0.
func rankOf(n *Node) int {
	if n == nil || n.Rank == 0 {
		return 0
	}
	return 1
}
