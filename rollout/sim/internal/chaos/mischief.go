// SPDX-License-Identifier: Apache-2.0

package chaos

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// onPod returns a disturbance of any pod, which reports whether it did anything.
func (m *Monkey) onPod(t trouble.Trouble, do func(*store.Pod) bool) func() {
	return func() {
		pods := m.Pods.All()
		if len(pods) > 0 && do(pods[m.Trouble.IntN(len(pods))]) {
			m.Trouble.Count(t)
		}
	}
}

func (m *Monkey) deletePod(p *store.Pod) bool {
	return m.DeletePod(apiserver.By(store.Monkey, p.Name)) == apiserver.Done
}

func (m *Monkey) evictPod(p *store.Pod) bool { return p.Ready && m.deletePod(p) }

func (m *Monkey) failPod(p *store.Pod) bool {
	phase := podorder.Failed
	if m.Trouble.IntN(4) == 0 {
		phase = podorder.Succeeded
	}
	return m.life.Failed(p.Name, phase)
}

// loseNode lets all pods of a node be deleted and stay, since no kubelet ends them.
func (m *Monkey) loseNode() {
	pods := m.Pods.All()
	if len(pods) == 0 {
		return
	}
	node := pods[m.Trouble.IntN(len(pods))].NodeName
	if node == "" {
		return
	}
	m.Trouble.Count(trouble.NodeLost)
	now := m.Agenda.Now()
	for _, p := range slices.Clone(pods) {
		if p.NodeName == node && p.DeletionTimestamp.IsZero() && !p.OfDaemonSet {
			m.life.Hold(p.Name)
			m.ChangePod(apiserver.By(store.Monkey, p.Name), func(p *store.Pod) { p.Ready, p.ReadySince, p.DeletionTimestamp = false, now, now })
		}
	}
}

func (m *Monkey) onNode(t trouble.Trouble, do func(*store.Node)) func() {
	return func() {
		if nodes := m.Nodes.All(); len(nodes) > 0 {
			m.Trouble.Count(t)
			do(nodes[m.Trouble.IntN(len(nodes))])
		}
	}
}

// away is how long a node does not answer.
func (m *Monkey) away() time.Duration { return m.Trouble.Between(20*time.Second, 90*time.Second) }

// stopNode lets a node not answer for a while.
func (m *Monkey) stopNode(n *store.Node) {
	if n.NotReady {
		return
	}
	m.life.StopAnswering(n.Name)
	m.Agenda.After(m.away(), agenda.Mischief, func() { m.life.Answer(n.Name) })
}

func (m *Monkey) loseZone() {
	nodes := slices.Clone(m.Nodes.All())
	if len(nodes) == 0 {
		return
	}
	m.Trouble.Count(trouble.ZoneLost)
	for _, n := range nodes {
		if n.Zone == nodes[0].Zone {
			m.stopNode(n)
		}
	}
}

// drain cordons a node and deletes its pods, as long as more than one pod is ready elsewhere.
func (m *Monkey) drain(n *store.Node) {
	if !n.Cordoned {
		m.life.Cordon(n.Name, true)
	}
	for _, p := range slices.Clone(m.Pods.All()) {
		if p.NodeName != n.Name || !p.DeletionTimestamp.IsZero() {
			continue
		}
		elsewhere := 0
		for _, o := range m.Pods.All() {
			if o.Ready && o.NodeName != n.Name {
				elsewhere++
			}
		}
		if elsewhere > 1 {
			m.deletePod(p)
		}
	}
}

// healNodes lets the nodes that faults have stopped take pods again.
func (m *Monkey) healNodes() {
	for _, n := range slices.Clone(m.Nodes.All()) {
		if n.NotReady {
			m.life.Answer(n.Name)
		}
		if n.Cordoned && !m.cordoned[n.Name] {
			m.life.Cordon(n.Name, false)
		}
	}
}

// somebody returns a random controller, or nil.
func (m *Monkey) somebody() *control.Controller {
	running := m.crew.Running()
	if len(running) == 0 {
		return nil
	}
	return running[m.Trouble.IntN(len(running))]
}

func (m *Monkey) crash() {
	if c := m.somebody(); c != nil {
		c.Crash()
	}
}

// skewClock sets the clock of a controller.
func (m *Monkey) skewClock() {
	c := m.somebody()
	if c == nil {
		return
	}
	skew := time.Duration(m.Trouble.Int64N(int64(6*time.Second))) - 3*time.Second
	switch before := c.Skew(skew); {
	case skew < before:
		m.Trouble.Count(trouble.ClockSteppedBack)
	case skew > 0:
		m.Trouble.Count(trouble.ClockAhead)
	default:
		m.Trouble.Count(trouble.ClockBehind)
	}
}

// secondLeader starts another controller of a role, unless there are two of one already.
func (m *Monkey) secondLeader() {
	for _, c := range m.crew.Running() {
		if c.Instance > 0 {
			return
		}
	}
	if c := m.somebody(); c != nil {
		m.Trouble.Count(trouble.TwoLeaders)
		m.crew.Second(c)
	}
}
