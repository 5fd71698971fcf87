// SPDX-License-Identifier: Apache-2.0

//go:build !race

// The race detector has nothing to find in a model that runs alone, and takes minutes.

package controllers

import (
	"hash/maphash"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The model is two processes that roll a Deployment of three pods, without surge, from x over y
// to z. It begins when x has made room for two pods of y. A cache may lag as it likes, and
// fall back from one pass to the next. Everything that may happen in any order does: what a cache
// learns, what a process plans, and when its writes arrive, also after it has died.
const (
	bound      = 3 // of the sum of all sizes, and what is wanted
	x          = 0
	y          = 1
	z          = 2 // does not exist in the beginning
	sets       = 3
	mostWrites = 7 // to ReplicaSets, at most
	mostEdits  = 5 // of the Deployment, at most
)

type (
	// A version of a ReplicaSet is the place of a write among all, from 1.
	write struct{ set, precondition, size int8 } // precondition 0: it must not exist
	note  struct{ version, size, to int8 }       // version 0: not in the record
	notes [sets]note
	edit  struct {
		template int8
		record   notes
	}
	process struct {
		phase int8 // idle, planned, writing
		base  int8 // the edit that it has planned from
		next  notes
		write write
	}
	model struct {
		log       [mostWrites]write
		logged    int8
		edit      [mostEdits]edit
		edited    int8
		process   [2]process
		late      [2]write // writes of processes that have died
		lost      int8
		bumps     int8 // what else may happen to a ReplicaSet
		touches   int8
		deaths    int8
		flips     int8 // edits of the template, to z and back to y
		exceeded  bool
		completed bool
	}
)

const (
	idle int8 = iota
	planned
	writing
)

// A variant is the fence, or one that lacks something.
type variant struct {
	none           bool // no fence at all
	growthsOnly    bool // the record lacks what was seen besides
	ignoresPending bool // a growth that may still arrive is no obstacle
	ignoresBehind  bool // nor is a cache that is older than the record
	dropped        bool // whoever edits the template drops the record
	overwrites     bool // the record is written over any version of the Deployment
	createsFull    bool // a new ReplicaSet is created with its pods
}

type size struct{ version, size int8 }

// shows returns what the ReplicaSets are after so many writes.
func (m *model) shows(n int8) (all [sets]size) {
	for i := range n {
		all[m.log[i].set] = size{i + 1, m.log[i].size}
	}
	return all
}

func sum(all [sets]size) (n int8) {
	for _, s := range all {
		n += s.size
	}
	return n
}

// arrive carries out a write unless its precondition fails.
func (m *model) arrive(w write) bool {
	now := m.shows(m.logged)
	if now[w.set].version != w.precondition || m.logged == mostWrites {
		return false
	}
	grows := w.size > now[w.set].size
	m.log[m.logged] = w
	m.logged++
	if now = m.shows(m.logged); grows && sum(now) > bound {
		m.exceeded = true
	}
	m.completed = m.completed || now[z].size > 0
	return true
}

// plan returns the next write of a process that sees these ReplicaSets and this template.
func plan(all [sets]size, template int8, v variant) (write, bool) {
	room := bound - sum(all)
	switch s := all[template]; {
	case s.version == 0 && v.createsFull && room > 0:
		return write{template, 0, room}, true
	case s.version == 0:
		return write{template, 0, 0}, true
	case room > 0 && s.size < bound:
		return write{template, s.version, min(bound, s.size+room)}, true
	}
	for i, s := range all {
		if int8(i) != template && s.size > 0 {
			return write{int8(i), s.version, s.size - 1}, true
		}
	}
	return write{}, false
}

func name(set int) string { return string(rune('x' + set)) }

// record returns notes as the controllers write them.
func (n notes) record() (g growth) {
	for i, s := range n {
		if s.version > 0 {
			g = append(g, observedSet{Name: name(i), UID: name(i), Version: strconv.Itoa(int(s.version)), Size: int32(s.size), To: int32(s.to)})
		}
	}
	return g
}

// noted returns the record of a pass, as [growing] does.
func noted(all [sets]size, w write, v variant) (n notes) {
	for i, s := range all {
		grows := int8(i) == w.set
		if s.version == 0 || !grows && (s.size == 0 || v.growthsOnly) {
			continue
		}
		n[i] = note{s.version, s.size, 0}
		if grows {
			n[i].to = w.size
		}
	}
	return n
}

// look is a pass, up to the record, of a process whose caches have seen so many edits and
// writes.
func (m model) look(i int, edited, logged int8, v variant, each func(model)) {
	p := &m.process[i]
	all, current := m.shows(logged), m.edit[edited-1]
	w, ok := plan(all, current.template, v)
	if !ok {
		return
	}
	p.write = w
	if w.size <= all[w.set].size || v.none {
		p.phase = writing
		each(m)
		return
	}
	next := noted(all, w, v)
	cached := notes{}
	for i, s := range all {
		cached[i] = note{s.version, s.size, 0}
	}
	o := current.record.record().against(next.record(), cached.record())
	if (o.behind || len(o.missing) > 0) && !v.ignoresBehind { // here nothing is ever gone
		return
	}
	if len(o.pending) > 0 && !v.ignoresPending {
		if void := o.pending[0].Name[0] - 'x'; m.touches > 0 {
			m.touches--
			p.write = write{}
			m.arrive(write{int8(void), all[void].version, all[void].size})
			each(m)
		}
		return
	}
	p.phase, p.next, p.base = planned, next, edited
	each(m)
}

// steps calls each with everything that may happen next.
func (m model) steps(v variant, each func(model)) {
	if m.flips > 0 && m.edited < mostEdits {
		n := m
		n.flips--
		n.edit[n.edited] = edit{y + z - m.edit[m.edited-1].template, m.edit[m.edited-1].record}
		if v.dropped {
			n.edit[n.edited].record = notes{}
		}
		n.edited++
		each(n)
	}
	for i, s := range m.shows(m.logged) {
		if m.bumps > 0 && s.version > 0 {
			n := m
			n.bumps--
			n.arrive(write{int8(i), s.version, s.size})
			each(n)
		}
	}
	for i := range m.lost {
		n := m
		n.lost--
		n.late[i], n.late[n.lost] = n.late[n.lost], write{}
		n.arrive(m.late[i])
		each(n)
	}
	for i := range m.process {
		m.moves(i, v, each)
	}
}

// moves calls each with what a process may do next.
func (m model) moves(i int, v variant, each func(model)) {
	p := m.process[i]
	if p.phase == idle {
		for edited := int8(1); edited <= m.edited; edited++ {
			for logged := int8(2); logged <= m.logged; logged++ {
				m.look(i, edited, logged, v, each)
			}
		}
		return
	}
	if p.phase == writing && m.deaths > 0 {
		n := m
		n.deaths--
		n.late[n.lost] = p.write
		n.lost++
		n.process[i] = process{}
		each(n)
	}
	n := m
	n.process[i] = process{} // unless it goes on, as after a conflict
	switch {
	case p.phase == writing:
		n.arrive(p.write)
	case m.edited < mostEdits && (p.base == m.edited || v.overwrites):
		n.edit[n.edited] = edit{m.edit[m.edited-1].template, p.next}
		n.edited++
		n.process[i] = process{phase: writing, write: p.write}
	}
	each(n)
}

// explore visits all states, and stops at the first in which the bound is exceeded.
func explore(v variant, first model) (states int, exceeded, completed bool) {
	first.logged, first.edited = 2, 1
	first.log[0], first.log[1] = write{x, 0, 1}, write{y, 0, 0}
	first.edit[0] = edit{template: y}
	seed := maphash.MakeSeed()
	seen := map[uint64]bool{}
	stack := []model{first}
	visit := func(m model) {
		if mirrored := m; maphash.Comparable(seed, m.process[0]) > maphash.Comparable(seed, m.process[1]) {
			mirrored.process[0], mirrored.process[1] = m.process[1], m.process[0]
			m = mirrored // it makes no difference who is who
		}
		if key := maphash.Comparable(seed, m); !seen[key] {
			seen[key] = true
			stack = append(stack, m)
		}
	}
	for len(stack) > 0 && !exceeded {
		m := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		completed = completed || m.completed
		m.steps(v, func(n model) {
			exceeded = exceeded || n.exceeded
			visit(n)
		})
	}
	return len(seen), exceeded, completed
}

// With the fence the bound holds in every order of events, and the rollout gets to its end.
// Without it, or without any part of it, there is an order that breaks the bound.
func TestFenceModel(t *testing.T) {
	once, twice := model{flips: 1, bumps: 1, touches: 1, deaths: 1}, model{flips: 2, touches: 1, deaths: 1}
	for _, first := range []model{once, twice} {
		states, exceeded, completed := explore(variant{}, first)
		t.Log(states, "states")
		require.False(t, exceeded)
		require.True(t, completed)
	}
	for lack, v := range map[string]variant{
		"the fence":            {none: true},
		"what was seen":        {growthsOnly: true},
		"pending growths":      {ignoresPending: true},
		"caches behind it":     {ignoresBehind: true},
		"a record that stays":  {dropped: true},
		"its precondition":     {overwrites: true},
		"a creation of no pod": {createsFull: true},
	} {
		states, exceeded, _ := explore(v, twice)
		t.Logf("without %s: %d states", lack, states)
		require.True(t, exceeded, "without %s", lack)
	}
}
