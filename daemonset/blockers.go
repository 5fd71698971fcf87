// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
)

// A usage is the reason why a node counts as unavailable, or as surging, or is left out.
type usage struct {
	key    int32
	pod    int32 // the number of the pod that the reason is about, from 1; 0 for none
	reason Reason
}

// A blockers is the nodes that block the update of other nodes: each by itself, by name, or
// with [Options.SumHolds] the number of nodes for each reason.
type blockers struct {
	named  []usage
	summed []cause
}

// byName sorts nodes by name, and keeps the order of several usages of one node.
func (st *state) byName(list []usage) []usage {
	slices.SortStableFunc(list, func(a, b usage) int { return st.compareKeys(a.key, b.key) })
	return list
}

// because returns the blockers: the listed nodes, and the nodes left out of the snapshot. For
// the latter only facts are known; why returns their reason, "" if they do not block.
func (st *state) because(list []usage, why func(facts) Reason) blockers {
	if !st.opts.SumHolds { // then no blocker is left out
		return blockers{named: st.byName(list)}
	}
	var b blockers
	for _, u := range list {
		b.sum(u.reason, 1)
	}
	for f, n := range st.others.single.all {
		if reason := why(f); reason != "" {
			b.sum(reason, int64(n))
		}
	}
	return b
}

// sum counts n more nodes for a reason. There are few reasons, in their order.
func (b *blockers) sum(reason Reason, n int64) {
	i, found := slices.BinarySearchFunc(b.summed, reason, func(c cause, r Reason) int { return cmp.Compare(c.reason, r) })
	if !found {
		b.summed = slices.Insert(b.summed, i, cause{reason: reason})
	}
	b.summed[i].have += n
}
