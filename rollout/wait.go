// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"fmt"
	"iter"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/reason"
)

// A Wait is a limit that keeps a set from changing further in a step. The constants of package
// reason give the meaning of the two numbers.
type Wait struct {
	Set    int          `json:"set"` // the index of an old set, or -1: the new set
	Reason kplan.Reason `json:"reason"`
	Have   int64        `json:"have"`
	Limit  int64        `json:"limit"`
}

// String returns a sentence such as "old set 0 waits: 8 pods stay available, 8 must".
func (w Wait) String() string {
	if w.Set >= 0 {
		return fmt.Sprintf("old set %d waits: "+w.wordsOfOld(), w.Set, w.Have, w.Limit)
	}
	return fmt.Sprintf("the new set waits: "+w.wordsOfNew(), w.Have, w.Limit)
}

// wordsOfNew returns the words for a new set, with the two numbers as %d.
func (w Wait) wordsOfNew() string {
	switch w.Reason {
	case reason.SurgeExhausted:
		return "%d pods count against the surge, at most %d are allowed"
	case reason.Terminating:
		return "%d pods are wanted or terminating, at most %d are allowed"
	case reason.StatusBehind:
		return "%d pods exist, it wants %d"
	case reason.OnDelete:
		return "%d pods exist or are wanted, at most %d are allowed; old pods stay until a user deletes them"
	case reason.MovesInPlace:
		return "it wants %d of %d pods, and others move to it in place"
	}
	return "%d of %d"
}

// wordsOfOld returns the words for an old set, with the two numbers as %d.
func (w Wait) wordsOfOld() string {
	switch w.Reason {
	case reason.MinAvailable:
		return "%d pods stay available, %d must"
	case reason.StatusAhead:
		return "%d pods are available, it wants %d"
	case reason.Kept:
		return "it is down to %d pods, and must keep %d"
	case reason.OnDelete:
		return "%d pods exist, and %d are wanted; they stay until a user deletes them"
	case reason.MovesInPlace:
		return "%d pods exist, up to %d move in place"
	}
	return "%d of %d"
}

// Waits returns the limits that keep sets from changing further in the step r, the result of [Roll]
// or [Step] for these arguments: of the new set first, and then of old sets, oldest first. A set
// with its final size does not wait, except an old set with pods that move to the new set. In a step
// that only grows the new set, no old set waits for available pods.
func (r Rolling) Waits(b Budget, newSet Set, old []Set, terminating int64, p Policy) iter.Seq[Wait] {
	return func(yield func(Wait) bool) {
		if r.Size == newSet.Wanted && r.Size < p.Places(b, old).Replicas && !yield(r.growthWait(b, newSet, old, terminating, p)) {
			return
		}
		for i := range old {
			if w, waits := r.oldWait(b, newSet, old, i, p); waits && !yield(w) {
				return
			}
		}
	}
}

// growthWait returns the limit of a new set that a step does not grow.
func (r Rolling) growthWait(b Budget, newSet Set, old []Set, terminating int64, p Policy) Wait {
	if p.OnDelete || p.CountLarger || p.CountThere {
		terminating = 0 // included in There
	}
	counted := p
	counted.CountLarger = p.CountLarger || p.OnDelete
	existing, there := counted.Existing(newSet), int64(newSet.There)
	for _, s := range old {
		existing, there = existing+counted.Existing(s), there+int64(s.There)
	}
	existing, most := p.Sum(existing), p.MaxTotal(b)
	total := p.Sum(existing + terminating)
	switch {
	case p.OnDelete:
		return Wait{-1, reason.OnDelete, existing, int64(b.Replicas)}
	case p.WaitForNew && newSet.There != newSet.Wanted:
		return Wait{-1, reason.StatusBehind, int64(newSet.There), int64(newSet.Wanted)}
	case p.FreezeOvershoot && there > most:
		return Wait{-1, reason.SurgeExhausted, there, most}
	case len(r.Moves) > 0 && total < most:
		return Wait{-1, reason.MovesInPlace, int64(newSet.Wanted), int64(b.Replicas)}
	case terminating > 0:
		return Wait{-1, reason.Terminating, total, most}
	}
	return Wait{-1, reason.SurgeExhausted, existing, most}
}

// oldWait returns the limit of the ith of the old sets. It returns false if the set has none.
func (r Rolling) oldWait(b Budget, newSet Set, old []Set, i int, p Policy) (w Wait, waits bool) {
	s, size := old[i], r.Shrinking.size(old, i)
	switch {
	case slices.Contains(r.Moves, i):
		return Wait{i, reason.MovesInPlace, int64(s.There), int64(b.Replicas) - int64(newSet.Wanted)}, true
	case size == 0:
	case p.OnDelete:
		return Wait{i, reason.OnDelete, int64(s.There), 0}, true
	case size <= p.Keeps(s):
		return Wait{i, reason.Kept, int64(size), int64(p.Keeps(s))}, true
	case i == r.Shrinking.Ahead:
		return Wait{i, reason.StatusAhead, int64(s.Available), int64(s.Wanted)}, true
	case r.Shrinking.Ahead < 0 && !r.Shrinking.Idle && (r.Size == newSet.Wanted || p.Together):
		return Wait{i, reason.MinAvailable, r.Shrinking.Have, r.Shrinking.Limit}, true
	}
	return Wait{}, false
}
