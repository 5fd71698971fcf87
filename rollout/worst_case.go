// SPDX-License-Identifier: Apache-2.0

package rollout

// Existing is how many pods of a set take up room when the new set grows.
//
//	wanted                     by default
//	max(wanted, there)         if the larger counts: pods that are still to go exist, as Cluster API has it
//	there                      if what is there counts: machine-controller-manager
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
		return ShrinkWorstCase(b, newSet, size, old, nil)
	}
	return Shrink(b, newSet, old, p)
}

// ShrinkWorstCase returns what old sets lose, oldest first, where it is not known whether
// available pods go before others, and pods that are still to go count as lost. The new set
// is to get size; old ones are to get these sizes, or what they want if sizes is nil.
//
//	room = wanted of all - pending - minAvailable - max(0, wanted - available)(newSet)
//	pending = the sum of max(0, there - min(wanted, size)) over all sets
//
// First each set loses what is not available, then anything, as long as there is room. But
// one that has available pods may lose no more than it could if all were available ones:
//
//	there - size <= max(0, available - minAvailable)
//
// and what it could lose of these, min(available, there - size), is available no more for
// those behind it. All sums are exact. It mirrors reconcileOldMachineSetsRollingUpdate of
// Cluster API (commit ae7ff047), for which these policies are.
func ShrinkWorstCase(b Budget, newSet Set, size int32, old []Set, sizes []int32) Shrinking {
	w := worst{least: int64(b.Replicas) - int64(b.Unavailable), old: old, sizes: make([]int64, len(old))}
	w.room = int64(min(newSet.Wanted, newSet.Available)) - pending(newSet, int64(size)) - w.least
	w.available = int64(newSet.Available)
	idle := true
	for i, s := range old {
		w.sizes[i] = int64(s.Wanted)
		if i < len(sizes) {
			w.sizes[i] = int64(sizes[i])
		}
		w.room += int64(s.Wanted) - pending(s, w.sizes[i])
		w.available += int64(s.Available)
		idle = idle && s.Wanted == 0
	}
	r := Shrinking{Have: w.room + w.least, Limit: w.least, Ahead: -1, Idle: idle}
	if w.room <= 0 {
		return r
	}
	r.Unavailable, r.Available = make([]int32, len(old)), make([]int32, len(old))
	for i, s := range old {
		r.Unavailable[i] = w.lose(i, w.sizes[i]-int64(s.Available))
		r.Removed += int64(r.Unavailable[i])
	}
	for i := range old {
		r.Available[i] = w.lose(i, w.sizes[i])
		r.Removed += int64(r.Available[i])
	}
	r.Have = w.available
	return r
}

// pending is how many pods of a set that is to get a size are still to go.
func pending(s Set, size int64) int64 { return max(0, int64(s.There)-min(int64(s.Wanted), size)) }

// A worst is the state of [ShrinkWorstCase].
type worst struct {
	old                    []Set
	sizes                  []int64
	room, available, least int64
}

// lose takes up to most pods from a set, as far as there is room.
func (w *worst) lose(i int, most int64) int32 {
	s, n := w.old[i], min(w.room, most)
	if least := (Policy{}).least(s); least > 0 {
		n = min(n, w.sizes[i]-int64(least))
	}
	if n <= 0 {
		return 0
	}
	if s.Available > 0 {
		gone := int64(s.There) - w.sizes[i] // without those that go now
		if spare := max(0, w.available-w.least); gone+n > spare {
			n = max(0, spare-gone)
		}
		w.available -= min(int64(s.Available), max(0, gone+n))
	}
	w.sizes[i] -= n
	w.room -= n
	return saturate(n)
}

// Deadlock returns the place of the old set that may lose one pod more than the budget
// leaves, because nothing would change otherwise: growth waits for old pods to go, and these
// for others to become available, while some of them never will. It is -1 unless old sets
// want pods and have unavailable ones, the pods of the new set are all available, and every
// set has what it wants. Old sets are given oldest first; the set is the first that wants
// more pods than it keeps and does not have as many available as are there.
//
// It mirrors reconcileDeadlockBreaker of Cluster API (commit ae7ff047).
//
//proof:ensures -1 <= result && result < len(old)
//proof:ensures result < 0 || old[result].Wanted > 0 && old[result].Available != old[result].There && newSet.Available == newSet.Wanted
//proof:ensures result < 0 || all(k, 0, len(old), old[k].Wanted == old[k].There)
func Deadlock(newSet Set, old []Set) int {
	which, unavailable := -1, false
	//proof:keeps -1 <= which && which < done
	//proof:keeps which < 0 || old[which].Wanted > 0 && old[which].Available != old[which].There
	//proof:keeps all(k, 0, done, old[k].Wanted == old[k].There)
	for i, s := range old {
		if s.Wanted != s.There {
			return -1
		}
		unavailable = unavailable || s.Available < s.There
		if which < 0 && s.Available != s.There && s.Wanted > (Policy{}).least(s) {
			which = i
		}
	}
	if !unavailable || newSet.Wanted != newSet.There || newSet.Available != newSet.Wanted {
		return -1
	}
	return which
}
