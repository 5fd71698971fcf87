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
// Upstream's relation has cycles among ready pods of one age bucket: it compares pods that became
// ready at the same instant by restarts and creation, and all other pairs by UID. The canonical
// order sorts each part, the pods that became ready at the same instant, by restarts, creation
// and UID. Then it merges the parts: of the first remaining pods of all parts, the pod with the
// smallest UID comes next.
//
// The merge is computed by sorting by leader: the leader of a pod is the pod with the largest UID
// among this pod and those before it in its part. A pod with a smaller UID than its leader comes
// right after the pods before it, since its UID is smaller than that of any other first pod.
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

// merge merges the parts of a group, which compareBase has sorted.
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

// A digest holds a number that decides most comparisons of keys: the key with the smaller number
// comes first. The number has the components of the key, one after another. Each component takes
// as many bits as its range in the list needs. The last components may be cut off: compareBase
// compares keys with equal numbers.
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

// components holds the values of a key that compareBase compares, in the order of comparison. The
// key with the smaller number comes first.
type components [7]uint64

func (r *ranking) digests(list []*key) []digest {
	n := len(components{})
	if r.exact { // without the age bucket of the creation, and the UID after it
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
	ready := uint64(0) // an unset time comes first, then newer times
	if k.readySince != math.MinInt64 {
		ready = uint64(math.MaxInt64-k.readySince) + 1
	}
	return components{
		k.health, k.later, ready, uint64(math.MaxInt32 - int64(k.restarts)), uint64(math.MaxInt32 - int64(k.sidecars)),
		uint64(int64(k.createdAge) - math.MinInt8), k.prefix,
	}
}
