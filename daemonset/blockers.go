// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"maps"
	"slices"
)

// A usage is why a node counts as unavailable, or as surging, or is left out.
type usage struct {
	key    int32
	pod    *Pod // the one that the reason is about, or nil
	reason Reason
}

// A blockers is nodes that are in the way of others: each by itself, by name, or with
// [Options.SumHolds] how many there are for each reason.
type blockers struct {
	named  []usage
	summed []cause
}

// byName sorts nodes by name, and what is said of one node as it was said.
func (st *state) byName(list []usage) []usage {
	slices.SortStableFunc(list, func(a, b usage) int { return st.compareKeys(a.key, b.key) })
	return list
}

// because returns what is said of nodes that are in the way, and of the others, of which only the
// facts are known: why says for which reason those are, "" if they are not.
func (st *state) because(list []usage, why func(facts) Reason) blockers {
	if !st.opts.SumHolds { // and there are no such others
		return blockers{named: st.byName(list)}
	}
	nodes := map[Reason]int64{}
	for _, u := range list {
		nodes[u.reason]++
	}
	for f, n := range st.others.single.all {
		if reason := why(f); reason != "" {
			nodes[reason] += int64(n)
		}
	}
	var b blockers
	for _, reason := range slices.Sorted(maps.Keys(nodes)) {
		b.summed = append(b.summed, cause{reason: reason, have: nodes[reason]})
	}
	return b
}
