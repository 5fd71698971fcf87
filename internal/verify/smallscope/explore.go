// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"slices"
)

// A Move leads from one state to another.
type Move struct {
	What string // in a few words
	On   int    // the number of the set, node or pod, or -1
	// Unfair moves need not happen: faults, crashes, and moves of users.
	Unfair bool
}

func (m Move) String() string {
	if m.On < 0 {
		return m.What
	}
	return fmt.Sprintf("%s, %d", m.What, m.On)
}

// A Breach is a property that does not hold, with the numbers that show it.
type Breach struct{ Property, Detail string }

// A System is a small closed world. Its methods are pure.
type System[S comparable] interface {
	// Starts returns the initial states. All are legal.
	Starts() []S
	// Moves calls do for each move from s, with the properties that the move breaks.
	Moves(s S, do func(m Move, to S, breaches []Breach))
	// Breaches returns the properties that a state breaks.
	Breaches(s S) []Breach
	// Goal reports whether the work is done: every planner returns an empty plan.
	Goal(s S) bool
}

// PropertyGoal is the property that the goal can be reached from every state.
const PropertyGoal = "goal"

// A Violation is the first breach of a property.
type Violation struct {
	Breach
	Trace []string // the moves that lead to it, with the states after them
}

// A Report is the result of an exploration.
type Report struct {
	States, Moves, Goals int
	Violations           []Violation // one for each property, in the order of their distance
}

// Properties returns the names of the violated properties, sorted.
func (r Report) Properties() []string {
	list := make([]string, len(r.Violations))
	for i, v := range r.Violations {
		list[i] = v.Property
	}
	slices.Sort(list)
	return list
}

type exploration[S comparable] struct {
	system  System[S]
	number  map[S]int32
	states  []S
	parents []int32
	// fair holds the numbers of the states that fair moves lead to, grouped by the state
	// before the move; ends holds the end of each group.
	fair  []int32
	ends  []int
	known map[string]bool // properties that have been violated
	Report
}

// Explore visits all states of a system, or stops once a property named in until has been
// violated.
func Explore[S comparable](system System[S], until ...string) Report {
	e := exploration[S]{system: system, number: map[S]int32{}, known: map[string]bool{}}
	for _, s := range system.Starts() {
		e.enter(s, -1)
	}
	for i := int32(0); int(i) < len(e.states); i++ {
		e.leave(i)
		if slices.ContainsFunc(until, func(p string) bool { return e.known[p] }) {
			return e.Report
		}
	}
	e.reach()
	return e.Report
}

// enter returns the number of a state.
func (e *exploration[S]) enter(s S, parent int32) int32 {
	if n, ok := e.number[s]; ok {
		return n
	}
	n := int32(len(e.states))
	e.number[s] = n
	e.states, e.parents = append(e.states, s), append(e.parents, parent)
	e.States++
	e.note(e.system.Breaches(s), n, "")
	return n
}

func (e *exploration[S]) leave(from int32) {
	e.system.Moves(e.states[from], func(m Move, to S, breaches []Breach) {
		e.Moves++
		e.note(breaches, from, m.String())
		if n := e.enter(to, from); !m.Unfair {
			e.fair = append(e.fair, n)
		}
	})
	e.ends = append(e.ends, len(e.fair))
}

// note keeps the first breach of each property.
func (e *exploration[S]) note(breaches []Breach, at int32, last string) {
	for _, b := range breaches {
		if e.known[b.Property] {
			continue
		}
		e.known[b.Property] = true
		trace := e.trace(at)
		if last != "" {
			trace = append(trace, last)
		}
		e.Violations = append(e.Violations, Violation{b, trace})
	}
}

// trace returns the moves to a state, each with the state after it.
func (e *exploration[S]) trace(n int32) (lines []string) {
	parent := e.parents[n]
	if parent < 0 {
		return []string{fmt.Sprintf("start: %v", e.states[n])}
	}
	how := ""
	e.system.Moves(e.states[parent], func(m Move, to S, _ []Breach) {
		if to == e.states[n] && how == "" {
			how = m.String()
		}
	})
	return append(e.trace(parent), fmt.Sprintf("%s: %v", how, e.states[n]))
}

// reach reports states from which no fair moves lead to the goal. It searches backwards from
// the goals.
func (e *exploration[S]) reach() {
	sources, starts := e.reversed()
	reached := make([]bool, len(e.states))
	var todo []int32
	for n, s := range e.states {
		if e.system.Goal(s) {
			e.Goals++
			reached[n] = true
			todo = append(todo, int32(n))
		}
	}
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, from := range sources[starts[n]:starts[n+1]] {
			if !reached[from] {
				reached[from] = true
				todo = append(todo, from)
			}
		}
	}
	if n := slices.Index(reached, false); n >= 0 {
		stuck := 0
		for _, ok := range reached {
			if !ok {
				stuck++
			}
		}
		e.note([]Breach{{PropertyGoal, fmt.Sprintf("no goal can be reached from here, nor from %d other states", stuck-1)}}, int32(n), "")
	}
}

// reversed returns the states that fair moves come from, grouped by the state after the move,
// and the start of each group.
func (e *exploration[S]) reversed() (sources []int32, starts []int) {
	starts = make([]int, len(e.states)+1)
	for _, to := range e.fair {
		starts[to+1]++
	}
	for n := range e.states {
		starts[n+1] += starts[n]
	}
	sources, next, k := make([]int32, len(e.fair)), slices.Clone(starts), 0
	for from, end := range e.ends {
		for ; k < end; k++ {
			to := e.fair[k]
			sources[next[to]] = int32(from)
			next[to]++
		}
	}
	return sources, starts
}
