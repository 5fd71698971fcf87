// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/invariant"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/internal/random"
)

// A machine is a planner in a cluster in which anything may happen between two plans, and
// in the middle of one.
type machine[S, O, P any] struct {
	*looker[S, O, P]
	plan  Planner[S, O, P]
	truth S
	opts  O
	now   time.Time
}

// Machine is a state machine: passes that end after any prefix of a plan, and whatever the
// room's world does in between.
func (r *Room[S, O, P]) Machine(plan Planner[S, O, P], set Settings[S, O]) func(*rapid.T) {
	return func(t *rapid.T) {
		l := r.look(t, set)
		kinds := slices.DeleteFunc(slices.Clone(set.Kinds), func(k random.Kind) bool { return k == random.Anything })
		if len(kinds) == 0 {
			kinds = []random.Kind{random.CaughtUp, random.Truthful, random.Midway}
		}
		m := &machine[S, O, P]{looker: l, plan: plan, now: random.Now}
		m.truth, m.opts = l.draw(t, kinds)
		r.Begin(&m.truth)
		actions := map[string]func(*rapid.T){
			"pass":  func(t *rapid.T) { m.pass(t, false) },
			"crash": func(t *rapid.T) { m.pass(t, true) },
			"time passes": func(t *rapid.T) {
				m.now = m.now.Add(random.OneOf(random.Rapid(t), "by", time.Second, 10*time.Second, time.Minute, time.Hour))
			},
		}
		for _, name := range slices.Sorted(maps.Keys(r.World)) {
			happen := r.World[name]
			actions[name] = func(t *rapid.T) {
				m.truth = purity.Clone(m.truth)
				happen(random.Rapid(t), &m.truth, m.now)
			}
		}
		t.Repeat(actions)
		if slices.Contains(l.names, "convergence") {
			planner := invariant.Planner[S, O, P]{Snapshot: m.truth, Now: m.now, Options: m.opts, Plan: plan, Strict: set.Strict}
			only := *l
			only.names = []string{"convergence"}
			l.report(t, run(&only, &planner), &Pass[S, O, P]{Snapshot: m.truth, Now: m.now, Options: m.opts})
		}
	}
}

// pass makes a plan and carries it out, wholly or, in a crash, as far as a draw says.
func (m *machine[S, O, P]) pass(t *rapid.T, crash bool) {
	t.Helper()
	p := Pass[S, O, P]{Snapshot: purity.Clone(m.truth), Now: m.now, Options: m.opts}
	if !m.planned(t, &p, m.plan) {
		return
	}
	m.report(t, run(m.looker, m.looker.pass(&p)), &p)
	n := m.room.Actions(&p.Plan)
	if crash {
		n = random.Between(random.Rapid(t), "actions carried out", 0, n)
	}
	after, done := purity.Clone(m.truth), 0
	for ; done < n; done++ {
		next, err := m.room.Apply(&p.Plan, done, done+1, after, m.now)
		if err != nil {
			break // the API server refuses it, and a controller stops there
		}
		after = next
		change := invariant.Change[S, O, P]{Pass: *m.looker.pass(&p), Before: p.Snapshot, After: after}
		if found := run(m.looker, &change); len(found) > 0 {
			t.Logf("after %d actions", done+1)
			m.report(t, found, &p)
		}
	}
	if !crash && done == n {
		m.room.Finish(&after, &p.Plan)
	}
	m.truth = purity.Clone(after)
}
