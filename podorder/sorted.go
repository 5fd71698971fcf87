// SPDX-License-Identifier: Apache-2.0

package podorder

import "slices"

// sorted returns the keys in canonical order.
//
// Upstream's relation breaks down among ready pods of one age bucket: two that
// became ready at the same instant are compared by restarts and creation, all
// others by UID. So the canonical order sorts each part of equal instants by
// restarts, creation and UID, and merges the parts by always taking the head with
// the smallest UID. That merge is the same as sorting by the leader, the largest
// UID so far in the part, because an element behind a larger UID follows it at
// once.
func (r *ranking) sorted(keys []key) []*key {
	list := make([]*key, len(keys))
	for i := range keys {
		keys[i].leader = int32(i)
		list[i] = &keys[i]
	}
	slices.SortFunc(list, r.compareBase)
	for rest := list; len(rest) > 0 && !r.exact; {
		n := 1
		for n < len(rest) && r.compareGroup(&rest[0].place, &rest[n].place) == 0 {
			n++
		}
		if r.merges(&rest[0].place) {
			r.merge(keys, rest[:n])
		}
		rest = rest[n:]
	}
	return list
}

// merge merges the parts of a group.
func (r *ranking) merge(keys []key, group []*key) {
	for i, k := range group[1:] {
		before := group[i]
		if before.readySince == k.readySince && r.compareID(&keys[before.leader], k) > 0 {
			k.leader = before.leader
		}
	}
	slices.SortFunc(group, func(a, b *key) int {
		if a.leader == b.leader {
			return r.comparePart(a, b)
		}
		return r.compareLeader(&keys[a.leader], &keys[b.leader])
	})
}

// arrange sorts keys in place.
func (r *ranking) arrange(keys []key) {
	arranged := make([]key, len(keys))
	for i, k := range r.sorted(keys) {
		arranged[i] = *k
	}
	copy(keys, arranged)
}
