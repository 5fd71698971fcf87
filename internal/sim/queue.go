package sim

import (
	"container/heap"
	"time"
)

// A transition is what happens to a pod at an instant.
type transition int

const (
	scheduled transition = iota
	ready
	ended
)

// An event is a transition of one pod.
type event struct {
	at     time.Time
	serial int // order of creation, which decides among events of one instant
	what   transition
	pod    string // UID
}

// A queue holds the events to come.
type queue struct {
	events  events
	serial  int
	pending int // events other than the end of a pod
}

func (q *queue) add(at time.Time, what transition, pod string) {
	q.serial++
	if what != ended {
		q.pending++
	}
	heap.Push(&q.events, event{at: at, serial: q.serial, what: what, pod: pod})
}

// next returns the instant of the next event, or the zero time.
func (q *queue) next() time.Time {
	if len(q.events) == 0 {
		return time.Time{}
	}
	return q.events[0].at
}

// due removes and returns the events up to now.
func (q *queue) due(now time.Time) []event {
	var due []event
	for len(q.events) > 0 && !q.events[0].at.After(now) {
		e := heap.Pop(&q.events).(event)
		if e.what != ended {
			q.pending--
		}
		due = append(due, e)
	}
	return due
}

// events is a heap by instant and serial number.
type events []event

func (es events) Len() int      { return len(es) }
func (es events) Swap(i, j int) { es[i], es[j] = es[j], es[i] }
func (es events) Less(i, j int) bool {
	if !es[i].at.Equal(es[j].at) {
		return es[i].at.Before(es[j].at)
	}
	return es[i].serial < es[j].serial
}
func (es *events) Push(e any) { *es = append(*es, e.(event)) }
func (es *events) Pop() any {
	last := len(*es) - 1
	e := (*es)[last]
	*es = (*es)[:last]
	return e
}
