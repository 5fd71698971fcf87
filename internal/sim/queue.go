package sim

import "time"

// A transition is what happens to a pod at an instant.
type transition uint8

const (
	scheduled transition = iota
	ready
	ended
)

// An event is a transition of one pod.
type event struct {
	what transition
	pod  int32 // its number
}

// A queue holds the events to come.
type queue struct {
	agenda[event]
	pending int // events other than the end of a pod
}

func (q *queue) add(at time.Time, what transition, pod int32) {
	if what != ended {
		q.pending++
	}
	q.agenda.add(at, event{what, pod})
}

// next returns the instant of the next event, or the zero time.
func (q *queue) next() time.Time {
	at, _ := q.agenda.next()
	return at
}

// take removes and returns the next event.
func (q *queue) take() event {
	e := q.agenda.take()
	if e.what != ended {
		q.pending--
	}
	return e
}
