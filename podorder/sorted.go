// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// sorted returns the keys in canonical order.
//
// Upstream's relation breaks down among ready pods of one age bucket: two pods that became
// ready at the same instant are compared by restarts and creation, all others by UID. So the
// canonical order sorts each part of equal instants by restarts, creation and UID, and merges
// the parts by always taking the head with the smallest UID. That merge is the same as
// sorting by the leader, the largest UID so far in the part, because an element after a
// larger UID follows it at once.
func (r *ranking) sorted(keys []key) []*key {
	list := make([]*key, len(keys))
	for i := range keys {
		keys[i].leader = int32(i)
		list[i] = &keys[i]
	}
	r.sortBase(list)
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

// sortInPlace sorts keys in place.
func (r *ranking) sortInPlace(keys []key) {
	arranged := make([]key, len(keys))
	for i, k := range r.sorted(keys) {
		arranged[i] = *k
	}
	copy(keys, arranged)
}

// A digest decides most comparisons of keys: the key with the smaller number comes first. It
// packs the values that compareBase compares, one after another, into one number. Each value
// takes the bits that its range in the sorted keys needs, and the last values may not fit.
type digest struct {
	number uint64
	key    *key
}

// sortBase sorts keys as compareBase does.
func (r *ranking) sortBase(list []*key) {
	if r.values != nil || len(list) <= fewKeys {
		slices.SortFunc(list, r.compareBase)
		return
	}
	digests := r.digests(list)
	slices.SortFunc(digests, func(a, b digest) int {
		if a.number != b.number {
			return cmp.Compare(a.number, b.number)
		}
		return r.compareBase(a.key, b.key)
	})
	for i := range digests {
		list[i] = digests[i].key
	}
}

// fewKeys is the largest number of keys that are sorted without digests.
const fewKeys = 12

// The components of a key are the values that compareBase compares, in its order, as ascending
// numbers.
type components [7]uint64

func (r *ranking) digests(list []*key) []digest {
	n := len(components{})
	if r.exact { // times decide, not their buckets
		n -= 2
	}
	var least, most components
	for i := range least {
		least[i] = math.MaxUint64
	}
	for _, k := range list {
		p := k.components()
		for i, value := range p[:n] {
			least[i], most[i] = min(least[i], value), max(most[i], value)
		}
	}
	digests := make([]digest, len(list))
	for i, k := range list {
		p, left, number := k.components(), 64, uint64(0)
		for j, value := range p[:n] {
			width := bits.Len64(most[j] - least[j])
			if value -= least[j]; width >= left {
				number = number<<left | value>>(width-left)
				break
			}
			number, left = number<<width|value, left-width
		}
		digests[i] = digest{number, k}
	}
	return digests
}

func (k *key) components() components {
	ready := uint64(0) // newer first, after an unset time
	if k.readySince != math.MinInt64 {
		ready = uint64(math.MaxInt64-k.readySince) + 1
	}
	return components{
		k.health, k.later, ready, uint64(math.MaxInt32 - int64(k.restarts)), uint64(math.MaxInt32 - int64(k.sidecars)),
		uint64(int64(k.createdAge) - math.MinInt8), k.prefix,
	}
}
