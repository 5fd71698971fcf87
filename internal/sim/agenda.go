// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"
)

// An agenda holds what is to happen, by instant and then in the order in which it was
// entered. It is a heap in which each entry has four others below it, which are
// neighbours in memory: entering and taking cost O(log n).
type agenda[T any] struct {
	entries []entry[T]
	serial  int64
}

type entry[T any] struct {
	at     int64 // nanoseconds since the Epoch
	serial int64
	what   T
}

func (e *entry[T]) before(other *entry[T]) bool {
	return e.at < other.at || e.at == other.at && e.serial < other.serial
}

// add enters something that happens at an instant.
func (a *agenda[T]) add(at time.Time, what T) { a.enter(at, a.number(), what) }

// number returns the serial of what is to be entered.
func (a *agenda[T]) number() int64 {
	a.serial++
	return a.serial
}

// enter enters something under a serial that was given before.
func (a *agenda[T]) enter(at time.Time, serial int64, what T) {
	if n := len(a.entries); n == cap(a.entries) {
		a.entries = slices.Grow(a.entries, n+1) // twice as many: one event of each of many pods
	}
	a.entries = append(a.entries, entry[T]{at.Sub(Epoch).Nanoseconds(), serial, what})
	es := a.entries
	i := len(es) - 1
	for e := es[i]; i > 0; {
		parent := (i - 1) / 4
		if !e.before(&es[parent]) {
			break
		}
		es[i], es[parent] = es[parent], e
		i = parent
	}
}

// next returns the instant of the first entry, and false if there is none.
func (a *agenda[T]) next() (time.Time, bool) {
	if len(a.entries) == 0 {
		return time.Time{}, false
	}
	return Epoch.Add(time.Duration(a.entries[0].at)), true
}

// take removes and returns the first entry, which must exist.
func (a *agenda[T]) take() T {
	es := a.entries
	first, end := es[0].what, len(es)-1
	last := es[end]
	es[end] = entry[T]{}
	es = es[:end]
	a.entries = es
	for i := 0; i < end; {
		least, child := &last, i
		for c := 4*i + 1; c < min(4*i+5, end); c++ {
			if es[c].before(least) {
				least, child = &es[c], c
			}
		}
		es[i] = *least
		if child == i {
			break
		}
		i = child
	}
	return first
}

// Epoch is when the virtual time of [Finished] begins. Any instant would do.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
