package sim

import "time"

// An agenda holds what is to happen, by instant and then in the order in which it was
// entered. Entering and taking cost O(log n).
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
func (a *agenda[T]) add(at time.Time, what T) {
	a.serial++
	a.entries = append(a.entries, entry[T]{at.Sub(Epoch).Nanoseconds(), a.serial, what})
	es := a.entries
	for i := len(es) - 1; i > 0; {
		parent := (i - 1) / 2
		if !es[i].before(&es[parent]) {
			break
		}
		es[i], es[parent] = es[parent], es[i]
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
	first, last := es[0].what, len(es)-1
	es[0] = es[last]
	es[last] = entry[T]{}
	es = es[:last]
	a.entries = es
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if child+1 < last && es[child+1].before(&es[child]) {
			child++
		}
		if !es[child].before(&es[i]) {
			return first
		}
		es[i], es[child] = es[child], es[i]
		i = child
	}
}
