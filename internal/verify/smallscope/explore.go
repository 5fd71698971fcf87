// SPDX-License-Identifier: Apache-2.0

package smallscope

import (
	"fmt"
	"slices"
)

// A Move is how one state becomes another.
type Move struct {
	What string // in a few words
	On   int    // the number of the set, node or pod, or -1
	// Unfair moves need not happen: faults, crashes, and what people do.
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
	// Starts are the states at the beginning. All are legal.
	Starts() []S
	// Moves calls do for each move from s. Breaches are those of the move.
	Moves(s S, do func(m Move, to S, breaches []Breach))
	// Breaches are those of a state.
	Breaches(s S) []Breach
	// Goal tells that everything is done: whoever plans plans nothing.
	Goal(s S) bool
}

// PropertyGoal is the property that the goal can be reached from every state.
const PropertyGoal = "goal"

// A Violation is the first breach of a property.
type Violation struct {
	Breach
	Trace []string // the moves that lead to it, with the states between them
}

// A Report is what an exploration has found.
type Report struct {
	States, Moves, Goals int
	Violations           []Violation // one for each property, in the order of their distance
}

// Properties are those that have been violated, sorted.
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
	// fair are the numbers of the states that fair moves lead to, those of one state
	// after those of the one before; ends says where.
	fair  []int32
	ends  []int
	known map[string]bool // properties that have been violated
	Report
}

// Explore goes through all states of a system, or until a property named until has been
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

// trace returns the moves to a state and, behind each, what it leads to.
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

// reach looks for states from which no fair moves lead to the goal: backwards from the
// goals.
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

// reversed returns the states that fair moves come from, those of one state after those
// of the one before, and where each begins.
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
