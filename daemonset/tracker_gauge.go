// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/tracked"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// A gauge is what nodes and pods are counted by, other than themselves and the time.
type gauge struct {
	ds      *DaemonSet
	owner   claim.Owner
	placer  Placer
	version Version
	opts    Options
}

// same reports whether nodes and pods count for the same by what a plan goes by.
func (g *gauge) same(in *input, v *Version) bool {
	a, b := g.ds, in.ds
	return g.opts == in.opts && g.version.Hash == v.Hash && g.version.Generation == v.Generation &&
		a.UID == b.UID && a.DeletionTimestamp.IsZero() == b.DeletionTimestamp.IsZero() && a.MinReadySeconds == b.MinReadySeconds &&
		a.kind() == b.kind() && a.Name == b.Name &&
		tracked.SameSelector(a.Selector, b.Selector) && samePlacement(&a.Template, &b.Template)
}

// samePlacement reports whether the pods of two templates belong on the same nodes.
func samePlacement(a, b *Template) bool {
	return a.NodeName == b.NodeName && a.HostNetwork == b.HostNetwork && maps.Equal(a.NodeSelector, b.NodeSelector) &&
		sameAffinity(a.Affinity, b.Affinity) && slices.EqualFunc(a.Tolerations, b.Tolerations, sameToleration)
}

func sameToleration(a, b Toleration) bool {
	x, y := a.Seconds, b.Seconds
	a.Seconds, b.Seconds = nil, nil
	return a == b && (x == y || x != nil && y != nil && *x == *y)
}

func sameAffinity(a, b *selector.NodeSelector) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(a.Terms, b.Terms, func(x, y selector.NodeSelectorTerm) bool {
		return tracked.SameExpressions(x.MatchExpressions, y.MatchExpressions) && tracked.SameExpressions(x.MatchFields, y.MatchFields)
	})
}

// take brings the census up to a plan: it counts all anew if what is counted by has changed, or
// the time is earlier than before, and otherwise lets pods become available.
func (t *Tracker) take(in *input, h *history, at int64) {
	c := &t.census
	right := t.gauge != nil && (t.gauged || t.gauge.same(in, &h.version))
	t.gauged = true
	if in.now.Before(c.now) || !right {
		ds := *in.ds
		t.gauge = &gauge{ds: &ds, owner: in.owner, placer: in.placer, version: h.version, opts: in.opts}
		nodes := t.census.pointers()
		t.census = census{now: in.now}
		t.recount(nodes)
		return
	}
	for c.now = in.now; c.queue.Len() > 0 && c.queue.First().At <= at; {
		t.refile(int(c.queue.First().Item))
	}
}

// revise returns what is decided of the revisions. What makes one is not kept, since plans must
// not share it.
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
		t.settle(t.spotOf(n.Name), n)
		t.census.ranked += rankOf(n)
	}
	for i := range t.pods.Len() {
		t.census.records.Append(record{})
		t.enter(i)
	}
	for i := range t.census.spots.Len() {
		t.refile(i)
	}
}

// rankOf is 1 for a node with a rank.
func rankOf(n *Node) int {
	if n == nil || n.Rank == 0 {
		return 0
	}
	return 1
}
