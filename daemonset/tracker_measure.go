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

// A measure is the input that the counts depend on, apart from nodes, pods and the time.
type measure struct {
	ds      *DaemonSet
	owner   claim.Owner
	placer  Placer
	version Version // without hashes to relabel: Reconcile makes such plans
	opts    Options
}

// same reports whether an input and a version give the same counts.
func (m *measure) same(in *input, v *Version) bool {
	return m.opts == in.opts && m.version.Hash == v.Hash && m.version.Generation == v.Generation && sameCounted(m.ds, in.ds)
}

// sameCounted reports whether both DaemonSets give the same counts, if their versions are the same.
func sameCounted(a, b *DaemonSet) bool {
	return a.UID == b.UID && a.DeletionTimestamp.IsZero() == b.DeletionTimestamp.IsZero() && a.MinReadySeconds == b.MinReadySeconds &&
		a.kind() == b.kind() && a.Name == b.Name &&
		tracked.SameSelector(a.Selector, b.Selector) && samePlacement(&a.Template, &b.Template)
}

// sameAdmitted reports whether both DaemonSets give the same admitted input and the same decision
// about the revisions. Most changes are of the status. A plan reads the status, and the other
// fields that are not compared, from the current DaemonSet. NodeSelector is not compared, because a
// DaemonSet with a NodeSelector is planned by Reconcile.
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

// updateCounts sets the counts to the ones of a plan at in.now; at is the same in nanoseconds. It
// counts all again if the measure has changed or the time is earlier than before, and otherwise
// only the nodes with a pod that has become available.
func (t *Tracker) updateCounts(in *input, h *history, at int64) {
	c := &t.counts
	upToDate := t.measure != nil && (t.measured || t.measure.same(in, &h.version))
	t.measured = true
	if in.now.Before(c.now) || !upToDate {
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

// history returns the decision about the revisions, and keeps it for later plans. A decision that
// creates a revision or raises the collision count is not kept: the plan has its pointers, to which
// the caller may write.
func (t *Tracker) history(in *input) *history {
	if t.decided != nil {
		return t.decided
	}
	h := in.decideRevisions()
	if h.create == nil && h.collision == nil {
		t.decided = h
	}
	return h
}

// recount counts all nodes and pods.
func (t *Tracker) recount(nodes []*Node) {
	for _, n := range nodes {
		t.setNode(t.addNode(n), n)
		t.counts.addRanked(n, 1)
	}
	for i := range t.pods.Len() {
		t.counts.podEntries.Append(podEntry{})
		t.countPod(i)
	}
	for i := range t.counts.nodeEntries.Len() {
		t.refile(i)
	}
}

// addRanked adds a number to the count of nodes with a rank, unless n is nil or has none.
func (c *counts) addRanked(n *Node, number int) {
	if n != nil && n.Rank != 0 {
		c.ranked += number
	}
}
