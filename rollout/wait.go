// SPDX-License-Identifier: Apache-2.0

package rollout

import (
	"cmp"
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

// sentencesOfNew holds the words of each reason for which a new set waits.
var sentencesOfNew = map[kplan.Reason]string{
	reason.SurgeExhausted: "%d pods count against the surge, at most %d are allowed",
	reason.Terminating:    "%d pods are wanted or terminating, at most %d are allowed",
	reason.StatusBehind:   "%d pods exist, it wants %d",
	reason.OnDelete:       "%d pods exist or are wanted, at most %d are allowed; old pods stay until a user deletes them",
	reason.MovesInPlace:   "it wants %d of %d pods, and others move to it in place",
}

// sentencesOfOld holds the words of each reason for which an old set waits.
var sentencesOfOld = map[kplan.Reason]string{
	reason.MinAvailable: "%d pods stay available, %d must",
	reason.StatusAhead:  "%d pods are available, it wants %d",
	reason.Kept:         "it is down to %d pods, and must keep %d",
	reason.OnDelete:     "%d pods exist, and %d are wanted; they stay until a user deletes them",
	reason.MovesInPlace: "%d pods exist, up to %d move in place",
}

// String returns a sentence such as "old set 0 waits: 8 pods stay available, 8 must".
func (w Wait) String() string {
	set, words := "the new set", sentencesOfNew[w.Reason]
	if w.Set >= 0 {
		set, words = fmt.Sprintf("old set %d", w.Set), sentencesOfOld[w.Reason]
	}
	return set + " waits: " + fmt.Sprintf(cmp.Or(words, string(w.Reason)+": %d of %d"), w.Have, w.Limit)
}

// Waits returns the limits that keep sets from changing further in the step r, the result of [Roll]
// or [Step] for these arguments: of the new set first, and then of old sets, oldest first. A set
// with its final size does not wait, except an old set whose pods move to the new set. In a step
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
