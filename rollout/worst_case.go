// SPDX-License-Identifier: Apache-2.0

package rollout

// Existing returns how many pods of a set count against the surge when the new set grows, without
// the argument terminating of [Roll].
//
//	wanted                     by default
//	max(wanted, there)         with CountLarger, as in Cluster API: also pods not deleted yet
//	there                      with CountThere, as in machine-controller-manager
func (p Policy) Existing(s Set) int64 {
	switch {
	case p.CountLarger:
		return int64(max(s.Wanted, s.There))
	case p.CountThere:
		return int64(s.There)
	}
	return int64(s.Wanted)
}

func (p Policy) shrink(b Budget, newSet Set, size int32, old []Set) Shrinking {
	if p.WorstCase {
		return ShrinkWorstCase(b, p.reported(newSet, false), size, p.reportedOld(old), nil)
	}
	return Shrink(b, newSet, old, p.Counting)
}

// reported returns a set with the available pods that count.
func (p Counting) reported(s Set, old bool) Set {
	s.Available = int32(p.of(s, old)) // at most the available pods
	return s
}

// reportedOld returns old sets with the available pods that count.
func (p Counting) reportedOld(old []Set) []Set {
	if !p.CapAvailable && !p.CapOld {
		return old
	}
	sets := make([]Set, len(old))
	for i, s := range old {
		sets[i] = p.reported(s, true)
	}
	return sets
}

// ShrinkWorstCase returns how many pods old sets lose, oldest first, if it is unknown whether a
// set deletes unavailable pods before available ones. Pending pods, which a set no longer wants
// but has not deleted yet, count as lost. size is the next size of the new set, and sizes are the
// next sizes of old sets before this loss; nil means their wanted pods.
//
//	room = wanted of all - pending - minAvailable - max(0, wanted - available)(newSet)
//	pending = the sum of max(0, there - min(wanted, size)) over all sets
//
// First each set loses unavailable pods, then any pods, up to room in total. But a set with
// available pods loses at most as many pods as if all of them were available. For the size of
// the set after its loss:
//
//	there - size <= max(0, available of all - minAvailable)
//
// The available pods that a set may lose, min(available, there - size), do not count as
// available for later sets. Have of the result is the minimum plus the room, but not below 0. After
// a loss it is the number of pods that are available in the worst case, from 0 up to the minimum.
// Sums do not wrap around. ShrinkWorstCase mirrors reconcileOldMachineSetsRollingUpdate of
// Cluster API (commit ae7ff047).
func ShrinkWorstCase(b Budget, newSet Set, size int32, old []Set, sizes []int32) Shrinking {
	w := worst{least: int64(b.Replicas) - int64(b.Unavailable), available: int64(newSet.Available)}
	w.room = int64(min(newSet.Wanted, newSet.Available)) - pending(newSet, int64(size)) - w.least
	now, idle := make([]int64, len(old)), true
	//proof:keeps all(k, 0, done, now[k] == choose(k < len(sizes), sizes[k], old[k].Wanted))
	//proof:keeps w.least == b.Replicas-b.Unavailable
	//proof:keeps w.available == newSet.Available+sum(k, done, old[k].Available) && -2147483648*(done+1) <= w.available && w.available <= 2147483647*(done+1)
	//proof:keeps w.room == min(newSet.Wanted, newSet.Available)-pending(newSet, size)-w.least+sum(k, done, old[k].Wanted-pending(old[k], choose(k < len(sizes), sizes[k], old[k].Wanted)))
	//proof:keeps -2147483648*(done+2) <= w.room && w.room <= 2147483647*(done+1)
	//proof:keeps idle == all(k, 0, done, old[k].Wanted == 0)
	for i, s := range old {
		now[i] = int64(s.Wanted)
		if i < len(sizes) {
			now[i] = int64(sizes[i])
		}
		w.room += int64(s.Wanted) - pending(s, now[i])
		w.available += int64(s.Available)
		idle = idle && s.Wanted == 0
	}
	r := Shrinking{Have: max(0, w.room+w.least), Limit: w.least, Ahead: -1, Idle: idle}
	if w.room <= 0 {
		return r
	}
	unavailable, left, rest := w.lose(old, now, false)
	others, _, end := rest.lose(old, left, true)
	removed := int64(0)
	//proof:keeps sum(k, len(old), choose(unavailable[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+unavailable[k])), 0))+sum(k, len(old), choose(others[k] > 0, min(old[k].Available, max(0, old[k].There-left[k]+others[k])), 0)) == 0 || w.available-sum(k, len(old), choose(unavailable[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+unavailable[k])), 0))-sum(k, len(old), choose(others[k] > 0, min(old[k].Available, max(0, old[k].There-left[k]+others[k])), 0)) >= w.least
	//proof:keeps removed == sum(k, done, unavailable[k]+others[k]) && 0 <= removed && removed <= 4294967294*done
	for i := range old {
		removed += int64(unavailable[i]) + int64(others[i])
	}
	r.Unavailable, r.Available, r.Removed, r.Have = unavailable, others, removed, max(0, min(w.least, end.available))
	return r
}

// pending returns how many pods of a set exist beyond the smaller of its wanted pods and size.
func pending(s Set, size int64) int64 { return max(0, int64(s.There)-min(int64(s.Wanted), size)) }

// A worst holds the remaining room and available pods of [ShrinkWorstCase], and the minimum of
// available pods.
type worst struct{ room, available, least int64 }

// lose returns the loss of sets with the sizes now, up to the room, the sizes left, and the rest of
// the room. If whichever is not set, sets lose only unavailable pods.
//
//proof:requires len(now) == len(old) && all(k, 0, len(old), 0 <= old[k].Available && 0 <= old[k].There && 0 <= now[k] && now[k] <= 2147483647)
//proof:requires 0 <= w.room && w.room <= 4611686018427387904 && 0 <= w.least && w.least <= 2147483647
//proof:requires -2147483647*len(old) <= w.available && w.available <= 4611686018427387904
//proof:ensures len(lost) == len(old) && len(left) == len(old) && rest.least == w.least
//proof:ensures all(k, 0, len(old), 0 <= lost[k] && 0 <= left[k] && left[k] == now[k]-lost[k])
//proof:ensures all(k, 0, len(old), lost[k] == 0 || left[k] >= min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))))
//proof:ensures 0 <= rest.room && rest.room <= w.room && rest.room == w.room-sum(k, len(old), lost[k])
//proof:ensures w.available-2147483647*len(old) <= rest.available && rest.available <= w.available-sum(k, len(old), choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0))
//proof:ensures 0 <= sum(k, len(old), choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0))
//proof:ensures sum(k, len(old), choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0)) == 0 || w.available-sum(k, len(old), choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0)) >= w.least
//proof:ensures all(k, 0, len(old), rest.room <= 0 || lost[k] == max(0, min(now[k]-choose(whichever, 0, old[k].Available), choose(min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))) > 0, now[k]-min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))), now[k]))) || old[k].Available > 0 && old[k].There-left[k] >= rest.available-rest.least)
func (w worst) lose(old []Set, now []int64, whichever bool) (lost []int32, left []int64, rest worst) {
	lost, left, rest = make([]int32, len(old)), make([]int64, len(old)), w
	//proof:keeps all(k, 0, done, 0 <= lost[k] && 0 <= left[k] && left[k] == now[k]-lost[k]) && rest.least == w.least
	//proof:keeps all(k, 0, done, lost[k] == 0 || left[k] >= min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))))
	//proof:keeps 0 <= rest.room && rest.room <= w.room && rest.room == w.room-sum(k, done, lost[k])
	//proof:keeps w.available-2147483647*done <= rest.available
	//proof:keeps rest.available <= w.available-sum(k, done, choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0))
	//proof:keeps 0 <= sum(k, done, choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0))
	//proof:keeps sum(k, done, choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0)) == 0 || w.available-sum(k, done, choose(lost[k] > 0, min(old[k].Available, max(0, old[k].There-now[k]+lost[k])), 0)) >= w.least
	//proof:keeps all(k, 0, done, rest.room <= 0 || lost[k] == max(0, min(now[k]-choose(whichever, 0, old[k].Available), choose(min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))) > 0, now[k]-min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))), now[k]))) || old[k].Available > 0 && old[k].There-left[k] >= rest.available-rest.least)
	for i, s := range old {
		most := now[i]
		if !whichever {
			most -= int64(s.Available)
		}
		n, gone := s.atWorst(now[i], min(rest.room, most), rest.available-rest.least)
		lost[i], left[i] = saturate(n), now[i]-n
		rest.room -= n
		rest.available -= gone
	}
	return lost, left, rest
}

// atWorst returns how many pods, up to n, a set of this size may lose if spare available pods may
// be lost. gone is the largest number of its available pods that may then be lost.
//
//proof:requires 0 <= s.Available && 0 <= s.There && 0 <= size && size <= 2147483647
//proof:requires n <= size && spare <= 4611686018427387904
//proof:ensures 0 <= lost && lost <= max(0, n) && (lost == 0 || size-lost >= min(max(0, s.Wanted), max(0, max(s.Least, s.Protected))))
//proof:ensures 0 <= gone && gone <= s.Available && (n > 0 || gone == 0)
//proof:ensures lost == 0 || gone == min(s.Available, max(0, s.There-size+lost)) && gone <= max(0, spare)
//proof:ensures lost == max(0, min(n, choose(min(max(0, s.Wanted), max(0, max(s.Least, s.Protected))) > 0, size-min(max(0, s.Wanted), max(0, max(s.Least, s.Protected))), n))) || s.Available > 0 && s.There-size+lost >= spare
func (s Set) atWorst(size, n, spare int64) (lost, gone int64) {
	if least := (Counting{}).least(s); least > 0 {
		n = min(n, size-int64(least))
	}
	if n <= 0 {
		return 0, 0
	}
	if s.Available <= 0 {
		return n, 0
	}
	gone = int64(s.There) - size // pods that were to be deleted before this loss
	if spare = max(0, spare); gone+n > spare {
		n = max(0, spare-gone)
	}
	return n, min(int64(s.Available), max(0, gone+n))
}

// Deadlock returns the index of an old set that may lose one pod more than the budget allows,
// or -1. A deadlock is an update that may never go on: the new set cannot grow before old pods
// are deleted, and these cannot be deleted while old pods are unavailable, perhaps for ever.
//
// The result is -1 unless an old set has unavailable pods, all pods of the new set are
// available, and every set has as many pods as it wants. Otherwise it is the first old set,
// given oldest first, with unavailable pods and more wanted pods than [Counting.Keeps].
//
// It mirrors reconcileDeadlockBreaker of Cluster API (commit ae7ff047).
//
//proof:ensures -1 <= result && result < len(old)
//proof:ensures result < 0 || newSet.Wanted == newSet.There && newSet.Available == newSet.Wanted && all(k, 0, len(old), old[k].Wanted == old[k].There)
//proof:ensures result < 0 || old[result].Available != old[result].There && old[result].Wanted > min(max(0, old[result].Wanted), max(0, max(old[result].Least, old[result].Protected)))
//proof:ensures result < 0 || !all(k, 0, len(old), old[k].There <= old[k].Available)
//proof:ensures result < 0 || all(k, 0, result, old[k].Available == old[k].There || old[k].Wanted <= min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))))
//proof:ensures result >= 0 || newSet.Wanted != newSet.There || newSet.Available != newSet.Wanted || !all(k, 0, len(old), old[k].Wanted == old[k].There) || all(k, 0, len(old), old[k].There <= old[k].Available) || all(k, 0, len(old), old[k].Available == old[k].There || old[k].Wanted <= min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))))
func Deadlock(newSet Set, old []Set) int {
	which, unavailable := -1, false
	//proof:keeps -1 <= which && which < done && all(k, 0, done, old[k].Wanted == old[k].There)
	//proof:keeps unavailable == !all(k, 0, done, old[k].There <= old[k].Available)
	//proof:keeps which < 0 || old[which].Available != old[which].There && old[which].Wanted > min(max(0, old[which].Wanted), max(0, max(old[which].Least, old[which].Protected)))
	//proof:keeps which < 0 || all(k, 0, which, old[k].Available == old[k].There || old[k].Wanted <= min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))))
	//proof:keeps which >= 0 || all(k, 0, done, old[k].Available == old[k].There || old[k].Wanted <= min(max(0, old[k].Wanted), max(0, max(old[k].Least, old[k].Protected))))
	for i, s := range old {
		if s.Wanted != s.There {
			return -1
		}
		unavailable = unavailable || s.Available < s.There
		if which < 0 && s.Available != s.There && s.Wanted > (Counting{}).least(s) {
			which = i
		}
	}
	if !unavailable || newSet.Wanted != newSet.There || newSet.Available != newSet.Wanted {
		return -1
	}
	return which
}
