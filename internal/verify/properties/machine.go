// SPDX-License-Identifier: Apache-2.0

package properties

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A machine is a planner in a cluster that may change between two plans, and in the middle of one.
type machine[S, O, P any] struct {
	*looker[S, O, P]
	plan  Planner[S, O, P]
	truth S
	opts  O
	now   time.Time
	views views[S, P]
}

// Machine returns a state machine: passes end after any prefix of a plan or read a stale view, and
// the room's World changes the cluster in between.
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
		m.views.add(&m.truth, 0, own{})
		t.Repeat(m.actions())
		if slices.Contains(l.names, "convergence") {
			planner := invariant.Planner[S, O, P]{Snapshot: m.truth, Now: m.now, Options: m.opts, Plan: plan, Strict: set.Strict}
			only := *l
			only.names = []string{"convergence"}
			l.report(t, run(&only, &planner), &Pass[S, O, P]{Snapshot: m.truth, Now: m.now, Options: m.opts})
		}
	}
}

// actions returns the steps of the state machine.
func (m *machine[S, O, P]) actions() map[string]func(*rapid.T) {
	actions := map[string]func(*rapid.T){
		"pass":  func(t *rapid.T) { m.pass(t, false) },
		"crash": func(t *rapid.T) { m.pass(t, true) },
		"time passes": func(t *rapid.T) {
			m.now = m.now.Add(random.OneOf(random.Rapid(t), "by", time.Second, 10*time.Second, time.Minute, time.Hour))
		},
	}
	if m.room.Drift != nil {
		actions["old view"] = m.old
	}
	for _, name := range slices.Sorted(maps.Keys(m.room.World)) {
		happen := m.room.World[name]
		actions[name] = func(t *rapid.T) {
			before := m.truth
			m.truth = purity.Clone(m.truth)
			happen(random.Rapid(t), &m.truth, m.now)
			drift := int64(0)
			if m.room.Drift != nil {
				drift = m.room.Drift(&before, &m.truth)
			}
			m.views.add(&m.truth, drift, own{})
		}
	}
	return actions
}

// pass makes a plan and carries it out, completely or, in a crash, up to a random action. After a
// crash the controller has no memory and reads the current state.
func (m *machine[S, O, P]) pass(t *rapid.T, crash bool) {
	t.Helper()
	p := Pass[S, O, P]{Snapshot: purity.Clone(m.truth), Now: m.now, Options: m.opts}
	if !m.planned(t, &p, m.plan) {
		return
	}
	m.report(t, run(m.looker, m.looker.pass(&p)), &p)
	n, before := m.room.Actions(&p.Plan), m.truth
	if crash {
		n = random.Between(random.Rapid(t), "actions carried out", 0, n)
	}
	done := m.carryOut(t, &p, n, 0)
	if !crash && done == n {
		m.room.Finish(&m.truth, &p.Plan)
		m.truth = purity.Clone(m.truth)
	}
	m.views.planned(len(m.views.states)-1, &m.truth, m.moved(&before))
	if crash {
		m.views.restart()
	} else if done > 0 {
		m.views.wrote(&p.Plan, m.now)
	}
}

// old makes a plan from a stale view, not older than the last one, and carries it out on the true
// state. The bounds allow for changes since that view, except for the controller's own writes for
// the desired state of that view.
func (m *machine[S, O, P]) old(t *rapid.T) {
	t.Helper()
	i, drift := m.views.draw(random.Rapid(t), m.now)
	p := Pass[S, O, P]{Snapshot: purity.Clone(m.views.states[i]), Now: m.now, Options: m.opts}
	blind := m.views.blind(i)
	if blind && m.room.Blind != nil {
		m.room.Blind(&p.Snapshot, m.views.plan, m.views.at)
	}
	if !m.planned(t, &p, m.plan) {
		return
	}
	m.report(t, run(m.looker, m.looker.pass(&p)), &p)
	before := m.truth
	done := m.carryOut(t, &p, m.room.Actions(&p.Plan), drift)
	m.views.planned(i, &m.truth, m.moved(&before)) // the write of the status conflicts
	if done > 0 && !blind {
		m.views.wrote(&p.Plan, m.now)
	}
}

// moved returns the number of pods by which writes have changed a state into the true one.
func (m *machine[S, O, P]) moved(before *S) int64 {
	if m.room.Moved == nil {
		return 0
	}
	return m.room.Moved(before, &m.truth)
}

// carryOut carries out n actions of a plan on the true state until one is refused, and checks each
// result. It returns the number of actions carried out.
func (m *machine[S, O, P]) carryOut(t *rapid.T, p *Pass[S, O, P], n int, slack int64) (done int) {
	t.Helper()
	before, after := m.truth, purity.Clone(m.truth)
	for ; done < n; done++ {
		next, err := m.room.Apply(&p.Plan, done, done+1, after, m.now)
		if err != nil {
			break // refused by the API server: the controller stops
		}
		after = next
		if slack == Unknown {
			continue
		}
		change := invariant.Change[S, O, P]{Pass: *m.looker.pass(p), Before: before, After: after, Slack: slack}
		if found := run(m.looker, &change); len(found) > 0 {
			t.Logf("after %d actions", done+1)
			m.report(t, found, p)
		}
	}
	m.truth = purity.Clone(after)
	return done
}
