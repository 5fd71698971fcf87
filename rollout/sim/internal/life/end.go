// SPDX-License-Identifier: Apache-2.0

package life

import (
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// ends enters when a pod is gone that is being deleted: at its deletion timestamp. If that has passed
// when the pod is first seen, its kubelet does not end it, and the pod stays as it is, unless the
// kubelet does not answer: it ends the pod when it does.
func (l *Pods) ends(e *pod) {
	d := e.Now.DeletionTimestamp.Sub(l.Agenda.Now())
	if d < 0 || l.held[e.Now.UID] {
		l.Quotas.Overdue(e.Now)
	}
	switch {
	case l.held[e.Now.UID] || d < 0 && !l.silent[e.Now.NodeName]:
		return
	case l.Trouble.Strikes(trouble.Termination, 0.04):
		l.Trouble.Count(trouble.TerminationStuck) // until all is healed
		l.Quotas.Overdue(e.Now)
		return
	case l.Trouble.Strikes(trouble.Termination, 0.06):
		l.Trouble.Count(trouble.TerminationLong)
		d = l.late()
	}
	l.Agenda.After(d, agenda.Life, func() { l.remove(e) })
}

// Hold lets a pod not end before all is healed.
func (l *Pods) Hold(name string) {
	if p := l.Server.Pods.Get(name); p != nil {
		l.held[p.UID] = true
	}
}

// remove takes a pod out of the store that has ended, unless its node does not answer: then it is
// when that does.
func (l *Pods) remove(e *pod) {
	switch {
	case e.Now == nil:
	case l.stalls(e, func() { l.remove(e) }):
		l.Quotas.Overdue(e.Now)
	case e.Now.Hold.Kept:
		l.keep(e)
	default:
		l.Server.Pods.Remove(store.Cause{By: store.Kubelet, Stage: store.Gone}, e)
	}
}

// keep lets a pod stay after its containers, if it had any, have ended.
func (l *Pods) keep(e *pod) {
	if e.Now.NodeName == "" || e.Now.Finished() {
		return
	}
	l.change(e, "", func(p *store.Pod) { p.Phase, p.Ready, p.ReadySince = podorder.Succeeded, false, l.Agenda.Now() })
}

// gone gives back the room of a pod that has ended.
func (l *Pods) gone(p *store.Pod) {
	if p.NodeName != "" {
		l.Nodes.Release(p.UID)
	}
	l.Room()
}

// Heal lets the pods go on that faults have stopped.
func (l *Pods) Heal() {
	l.waiting, l.stalled, l.held = nil, map[string][]func(){}, map[string]bool{}
	for _, p := range l.Server.Pods.All() {
		e := l.Server.Pods.Entry(p.Name)
		switch {
		case !p.DeletionTimestamp.IsZero():
			l.Agenda.After(l.takes(p, store.Gone), agenda.Life, func() { l.remove(e) })
		case p.Finished():
		case p.NodeName == "":
			l.Agenda.After(l.takes(p, store.Scheduled), agenda.Life, func() { l.bind(e) })
		case !p.Ready:
			l.starts(e)
		}
	}
}
