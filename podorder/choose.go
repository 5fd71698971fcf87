// SPDX-License-Identifier: Apache-2.0

package podorder

import (
	"cmp"
	"math/bits"
	"slices"
)

// first returns the keys of the first n pods of the canonical order (see rules.md), in order. If
// there are fewer pods, it returns the keys of all.
func (r *ranking) first(places []place, n int) []*key {
	n = min(n, len(places))
	if r.order.Priority == PriorityFirst {
		return r.firstByPriority(places, n)
	}
	return r.sorted(r.choose(places, n))
}

// choose moves the places of the first n pods of the canonical order to the front, in any order,
// and returns their keys. n is at least 1. It does not sort all pods, because a scale-down seldom
// deletes a large part of them. Each step compares fewer pods by more rules: all pods by health,
// then pods up to the health of the n-th pod by group (see compareGroup), then the pods of the
// last group.
func (r *ranking) choose(places []place, n int) []key {
	if n >= len(places) {
		return r.allKeys(places)
	}
	_, to := nth(places, n, compareHealth)
	r.completeAll(places[:to])
	from, to := nth(places[:to], n, r.compareGroup)
	keys := r.keys(places[:to])
	r.chooseInGroup(keys[from:], n-from)
	for i := range keys[from:] {
		places[from+i] = keys[from+i].place
	}
	return keys[:n]
}

// chooseInGroup is choose for the keys of one group, which have equal places.
func (r *ranking) chooseInGroup(keys []key, n int) {
	switch {
	case n == len(keys):
	case r.merges(&keys[0].place):
		r.chooseMerged(keys, n)
	default:
		nth(keys, n, r.compareBase)
	}
}

// chooseMerged is choose for one group whose parts, pods that became ready at the same instant,
// are merged by UID: see [ranking.sorted].
func (r *ranking) chooseMerged(keys []key, n int) {
	table := make([]int32, 1<<bits.Len(uint(2*len(keys))))
	if r.setLeaders(keys, table) {
		nth(keys, n, r.compareByLeader)
		return
	}
	r.chooseInRounds(keys, n, table)
}

// chooseInRounds is chooseMerged for parts that are too large to be sorted. Each round takes
// the leader of one pod, see [ranking.sorted], as a pivot. It drops the pods that are known to
// come before or after the last victim; this does not change the leaders of the remaining pods.
// It sorts the remaining pods if they are few, or if there are still many after the last round.
func (r *ranking) chooseInRounds(keys []key, n int, table []int32) {
	for rounds := 2 * bits.Len(uint(len(keys))); n < len(keys); rounds-- {
		if len(keys) <= 16 || rounds == 0 {
			r.sortInPlace(keys)
			return
		}
		pivot := r.leader(keys, &keys[len(keys)/2])
		before := r.splitBeforeLeader(keys, &pivot, table[:1<<bits.Len(uint(2*len(keys)))])
		if n <= before {
			keys = keys[:before]
			continue
		}
		keys, n = keys[before:], n-before
		followers := r.splitFollowers(keys, &pivot)
		if n <= followers {
			nth(keys[:followers], n, r.comparePart)
			return
		}
		keys, n = keys[followers:], n-followers
	}
}

// slotOf returns the slot of a ready time in a hash table. A slot holds the index of a key with this
// ready time, plus 1, or 0 if it is free.
func slotOf(keys []key, table []int32, readySince int64) *int32 {
	mask := uint64(len(table) - 1)
	for h := mix(uint64(readySince)); ; h++ {
		if s := &table[h&mask]; *s == 0 || keys[*s-1].readySince == readySince {
			return s
		}
	}
}

// maxSortedPart is the number of pods in the largest part that setLeaders sorts.
const maxSortedPart = 2048

// setLeaders stores the leader of each pod in its key, for [ranking.compareByLeader]. It returns
// false if a part has too many pods.
func (r *ranking) setLeaders(keys []key, table []int32) bool {
	next := make([]int32, len(keys)) // the next pod of the part, plus 1
	for i := range keys {
		s := slotOf(keys, table, keys[i].readySince)
		next[i], *s = *s, int32(i+1)
	}
	part := make([]int32, min(len(keys), maxSortedPart))
	for _, s := range table {
		n := 0
		for ; s != 0; s = next[s-1] {
			if n == len(part) {
				return false
			}
			part[n] = s - 1
			n++
		}
		if n > 0 {
			r.setPartLeaders(keys, part[:n])
		}
	}
	return true
}

// setPartLeaders sorts one part and stores the leader of each of its pods.
func (r *ranking) setPartLeaders(keys []key, part []int32) {
	if len(part) > 1 {
		slices.SortFunc(part, func(i, j int32) int { return r.comparePart(&keys[i], &keys[j]) })
	}
	leader := &keys[part[0]]
	for _, i := range part {
		k := &keys[i]
		if r.compareID(k, leader) > 0 {
			leader = k
		}
		k.leader, k.leaderPrefix = leader.index, leader.prefix
	}
}

// compareByLeader orders the pods of a group by their leaders. Pods with the same leader are of one
// part, and keep the order of the part.
func (r *ranking) compareByLeader(a, b *key) int {
	if a.leaderPrefix != b.leaderPrefix {
		return cmp.Compare(a.leaderPrefix, b.leaderPrefix)
	}
	if a.leader != b.leader {
		x, y := r.podAt(a.leader), r.podAt(b.leader)
		if c := cmp.Or(cmp.Compare(x.UID, y.UID), cmp.Compare(x.Name, y.Name), newerFirst(a.readySince, b.readySince)); c != 0 {
			return c
		}
	}
	return r.comparePart(a, b)
}

// leader returns the leader of k: the pod with the largest UID among k and the pods before k in its
// part.
func (r *ranking) leader(keys []key, k *key) key {
	best := k
	for i := range keys {
		y := &keys[i]
		if y.readySince == k.readySince && r.compareLeader(y, best) > 0 && r.comparePart(y, k) <= 0 {
			best = y
		}
	}
	return *best
}

// splitBeforeLeader moves the pods with a leader before pivot to the front, and returns their
// number. For each part it finds the first pod that is not before pivot by UID: the pods of the
// part before this pod have a leader before pivot, and this pod and all later pods do not. The
// table is scratch space for these pods, by ready time.
func (r *ranking) splitBeforeLeader(keys []key, pivot *key, table []int32) int {
	clear(table)
	for i := range keys {
		if r.compareLeader(&keys[i], pivot) < 0 {
			continue
		}
		if s := slotOf(keys, table, keys[i].readySince); *s == 0 || r.comparePart(&keys[i], &keys[*s-1]) < 0 {
			*s = int32(i + 1)
		}
	}
	for i := range keys {
		first := *slotOf(keys, table, keys[i].readySince)
		keys[i].marked = first == 0 || r.comparePart(&keys[i], &keys[first-1]) < 0
	}
	before := 0
	for i := range keys {
		if keys[i].marked {
			keys[i], keys[before] = keys[before], keys[i]
			before++
		}
	}
	return before
}

// splitFollowers moves the pods whose leader is pivot to the front, and returns their number. No
// pod of keys may have a leader before pivot.
func (r *ranking) splitFollowers(keys []key, pivot *key) int {
	var next *key // the first pod of the part with a later leader
	for i := range keys {
		k := &keys[i]
		if k.readySince == pivot.readySince && r.compareLeader(k, pivot) > 0 && (next == nil || r.comparePart(k, next) < 0) {
			next = k
		}
	}
	var end key
	if next != nil {
		end = *next
	}
	followers := 0
	for i := range keys {
		k := &keys[i]
		if k.readySince == pivot.readySince && (next == nil || r.comparePart(k, &end) < 0) {
			keys[i], keys[followers] = keys[followers], keys[i]
			followers++
		}
	}
	return followers
}

// nth moves the n smallest keys, or places, to the front. It returns the range of the keys that
// are equal to the n-th smallest key. It is a quickselect. After too many rounds it sorts, so its
// time is never quadratic.
func nth[T any](keys []T, n int, compare func(a, b *T) int) (from, to int) {
	from, to = 0, len(keys)
	var pivot T // outside the loop, because it escapes
	for rounds := 2 * bits.Len(uint(len(keys))); ; rounds-- {
		if rounds == 0 {
			slices.SortFunc(keys[from:to], func(a, b T) int { return compare(&a, &b) })
		}
		pivot = median(keys, from, (from+to)/2, to-1, compare)
		if rounds == 0 {
			pivot = keys[n-1]
		}
		less, more := split(keys[from:to], &pivot, compare)
		switch {
		case n <= from+less:
			to = from + less
		case n > from+more:
			from += more
		default:
			return from + less, from + more
		}
	}
}

// median returns the median of the three keys at i, j and k.
func median[T any](keys []T, i, j, k int, compare func(a, b *T) int) T {
	if compare(&keys[i], &keys[j]) > 0 {
		i, j = j, i
	}
	if compare(&keys[j], &keys[k]) <= 0 {
		return keys[j]
	}
	if compare(&keys[i], &keys[k]) > 0 {
		return keys[i]
	}
	return keys[k]
}

// split moves the keys before pivot to the front and the keys after it to the end, and
// returns the start and the end of the equal keys.
func split[T any](keys []T, pivot *T, compare func(a, b *T) int) (less, more int) {
	more = len(keys)
	for i := 0; i < more; {
		switch c := compare(&keys[i], pivot); {
		case c < 0:
			if i != less {
				keys[i], keys[less] = keys[less], keys[i]
			}
			less++
			i++
		case c > 0:
			more--
			for more > i && compare(&keys[more], pivot) > 0 {
				more--
			}
			keys[i], keys[more] = keys[more], keys[i]
		default:
			i++
		}
	}
	return less, more
}
