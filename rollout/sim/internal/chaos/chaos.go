// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/controllers"
	"github.com/kplan-go/kplan/rollout/sim/internal/life"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// A Monkey disturbs a world.
type Monkey struct {
	*apiserver.Server
	life     *life.Pods
	crew     *controllers.Crew
	disturb  []disturbance
	cordoned map[string]bool // nodes that the user of the World has cordoned
	looking  bool            // an event is scheduled after which controllers with stale views read again
	asking   bool            // a request of a controller is under way
	heals    bool            // Heal was called during the request, and is still due
}

// A disturbance is something that may happen at any time.
type disturbance struct {
	fault  trouble.Fault
	weight float64
	do     func()
}

// every is the mean time between two disturbances of weight 1.
const every = 10 * time.Second

// New returns a Monkey for a world. It schedules the first disturbance if a fault has a rate above 0.
func New(s *apiserver.Server, l *life.Pods, crew *controllers.Crew) *Monkey {
	m := &Monkey{Server: s, life: l, crew: crew, cordoned: map[string]bool{}}
	if s.Trouble.Calm() {
		return m
	}
	m.disturb = m.disturbances()
	s.Meanwhile = m.passTime
	m.later()
	return m
}

// disturbances returns all disturbances, with weights.
func (m *Monkey) disturbances() []disturbance {
	return []disturbance{
		{trouble.PodMonkey, 1, m.onPod(trouble.PodDeleted, m.deletePod)},
		{trouble.PodMonkey, 0.5, m.onPod(trouble.PodEvicted, m.evictPod)},
		{trouble.PodMonkey, 0.5, m.onPod(trouble.PodFailed, m.failPod)},
		{trouble.Readiness, 1.5, m.onPod(trouble.PodFlapped, func(p *store.Pod) bool { return m.life.Unready(p.Name) })},
		{trouble.Termination, 0.2, m.loseNode},
		{trouble.Nodes, 0.7, m.onNode(trouble.NodeNotReady, m.stopNode)},
		{trouble.Nodes, 0.3, m.onNode(trouble.NodeCordoned, func(n *store.Node) { m.life.Cordon(n.Name, !n.Cordoned) })},
		{trouble.Nodes, 0.3, m.onNode(trouble.NodeDrained, m.drain)},
		{trouble.Nodes, 0.1, m.loseZone},
		{trouble.Clocks, 0.5, m.skewClock},
		{trouble.Crash, 0.3, m.crash},
		{trouble.Overlap, 0.5, m.secondLeader},
		{trouble.Overlap, 0.5, func() { m.crew.StopSecond() }},
	}
}

// later schedules the next disturbance.
func (m *Monkey) later() {
	total := 0.0
	for i := range m.disturb {
		total += m.disturb[i].weight * m.Trouble.Rates[m.disturb[i].fault]
	}
	if total == 0 {
		return
	}
	wait := time.Duration(m.Trouble.ExpFloat64() * float64(every) / total)
	m.Agenda.After(wait, agenda.Mischief, func() {
		if !m.Trouble.Calm() {
			m.once(total)
			m.later()
		}
	})
}

// once lets one disturbance happen, chosen by weight.
func (m *Monkey) once(total float64) {
	r := m.Trouble.Float64() * total
	for i := range m.disturb {
		d := &m.disturb[i]
		if r -= d.weight * m.Trouble.Rates[d.fault]; r < 0 {
			d.do()
			return
		}
	}
}

// passTime lets time pass while a request is under way.
func (m *Monkey) passTime() {
	if m.Trouble.Calm() || m.Repeating() {
		return
	}
	m.asking = true
	m.Agenda.PerformUntil(m.Agenda.Now().Add(time.Duration(m.Trouble.Int64N(int64(10 * time.Millisecond)))))
	m.asking = false
}

// LookAgain schedules an event soon if a controller has a stale view: controllers read again as time
// passes.
func (m *Monkey) LookAgain() {
	if m.Trouble.Calm() || m.looking {
		return
	}
	for _, c := range m.crew.Running() {
		if c.Lag() > 0 {
			m.looking = true
			m.Agenda.After(time.Duration(m.Trouble.Int64N(int64(500*time.Millisecond))), agenda.Mischief, func() { m.looking = false })
			return
		}
	}
}

// Owned records whether the user of the World, and not a fault, has cordoned a node.
func (m *Monkey) Owned(node string, on bool) { m.cordoned[node] = on }

// Heal ends all faults: pods that were stuck proceed, and second instances of controllers stop. During a
// request it is deferred until the request has been answered: see [Monkey.Healing].
func (m *Monkey) Heal() {
	if m.heals = !m.Trouble.Calm() && m.asking; m.heals || m.Trouble.Calm() {
		return
	}
	m.Trouble.Heal()
	m.Trouble.Count(trouble.FairPhase)
	m.healNodes()
	m.crew.Heal()
	m.life.Heal()
}

// Healing performs a deferred [Monkey.Heal], and reports whether one was due.
func (m *Monkey) Healing() bool {
	if !m.heals {
		return false
	}
	m.Heal()
	return true
}
