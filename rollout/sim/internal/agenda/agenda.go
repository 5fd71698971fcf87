// SPDX-License-Identifier: Apache-2.0

// Package agenda has the virtual time of a simulated cluster: future events, and when they happen.
//
//	At(instant, reason, event) --> heap by instant, then by order of entry --> Next, Perform
//
// Time passes only when an entry is performed, or by Advance.
package agenda

import (
	"container/heap"
	"time"
)

// Epoch is when virtual time begins if nothing else is said.
var Epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// A Reason is why something is on the agenda.
type Reason uint8

// The reasons.
const (
	Life     Reason = iota // the next stage of a pod, or of a node
	Recheck                // a planner said when to look again
	Retry                  // a request failed
	Resync                 // a controller looks at everything
	Room                   // pods without a node look for room again
	Tick                   // an autoscaler looks again and again
	Poll                   // so does a planner that waits for others
	Mischief               // a fault strikes
	Caller                 // the caller of the world asked for it
	Reasons  = iota        // how many there are
)

// An Agenda holds future events. The zero Agenda is empty, at the zero time.
type Agenda struct {
	now     time.Time
	entries entries
	serial  int64
	pending [Reasons]int
}

type entry struct {
	at     int64 // nanoseconds since the Epoch
	serial int64
	reason Reason
	do     func()
}

type entries []entry

func (e entries) Len() int { return len(e) }
func (e entries) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].serial < e[j].serial
}
func (e entries) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *entries) Push(x any)   { *e = append(*e, x.(entry)) }
func (e *entries) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	(*e)[last] = entry{}
	*e = (*e)[:last]
	return x
}

// Now is the virtual time.
func (a *Agenda) Now() time.Time { return a.now }

// Advance moves the time to an instant before which nothing happens. It never goes back.
func (a *Agenda) Advance(to time.Time) {
	if to.After(a.now) {
		a.now = to
	}
}

// At enters an event at an instant: at once, if that has passed.
func (a *Agenda) At(at time.Time, r Reason, do func()) {
	a.serial++
	a.pending[r]++
	heap.Push(&a.entries, entry{at.Sub(Epoch).Nanoseconds(), a.serial, r, do})
}

// After enters an event after a time.
func (a *Agenda) After(d time.Duration, r Reason, do func()) { a.At(a.now.Add(d), r, do) }

// Next is the instant of the next entry; false means an empty agenda.
func (a *Agenda) Next() (time.Time, bool) {
	if len(a.entries) == 0 {
		return time.Time{}, false
	}
	return Epoch.Add(time.Duration(a.entries[0].at)), true
}

// Perform lets the next entry happen, which must exist, and returns why it was there.
func (a *Agenda) Perform() Reason {
	at, _ := a.Next()
	a.Advance(at)
	e := heap.Pop(&a.entries).(entry)
	a.pending[e.reason]--
	e.do()
	return e.reason
}

// PerformUntil lets all happen up to an instant, which then is.
func (a *Agenda) PerformUntil(until time.Time) {
	for {
		at, ok := a.Next()
		if !ok || at.After(until) {
			break
		}
		a.Perform()
	}
	a.Advance(until)
}

// Pending is how many entries have a reason.
func (a *Agenda) Pending(r Reason) int { return a.pending[r] }

// Len is how many entries there are.
func (a *Agenda) Len() int { return len(a.entries) }
