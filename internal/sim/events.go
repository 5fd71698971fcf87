// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

// performNext performs the next entry of the agenda.
func (w *World) performNext() {
	at, _ := w.agenda.next()
	if at.After(w.now) {
		w.now = at
	}
	h := w.agenda.take()
	h.perform(w)
}

// performUntil performs what happens until an instant, which comes.
func (w *World) performUntil(until time.Time) {
	for last := until.Sub(Epoch).Nanoseconds(); len(w.agenda.entries) > 0 && w.agenda.entries[0].at <= last; {
		w.performNext()
	}
	w.now = until
}

// nextEvent returns the instant of the next entry of the agenda, less alarms that were set
// anew in a strict world.
func (w *World) nextEvent() (time.Time, bool) {
	for {
		at, ok := w.agenda.next()
		if !ok || !w.strict || w.agenda.entries[0].what.what != wake {
			return at, ok
		}
		number := w.agenda.entries[0].what.number
		e := w.errands[number]
		o := e.controller.queue.item(e.name)
		if o.alarm.Equal(at) {
			return at, true
		}
		w.agenda.take()
		delete(w.errands, number)
		e.controller.left(o, number)
	}
}

func (h happening) perform(w *World) {
	if h.what == bind || h.what == start {
		w.starting--
	}
	if h.what >= bind {
		if p := w.store.podAt(h.number, h.daemon); p.Pod != nil {
			w.live(h.what, p)
		}
		return
	}
	e := w.errands[h.number]
	delete(w.errands, h.number)
	switch h.what {
	case wake:
		if slices.Contains(w.controllers, e.controller) {
			o := e.controller.queue.item(e.name)
			e.controller.left(o, h.number)
			e.controller.wake(o)
		}
	case nodeBack:
		w.nodeAnswers(e.name)
	case remake:
		w.recreateWanted(e.name)
	case confirm, autoscaled:
		e.do()
	}
}

// live performs what happens to a pod and enters what happens next.
func (w *World) live(what happeningKind, p podRef) {
	switch {
	case what == end: // which nothing revokes
		w.removePod(p)
	case !p.DeletionTimestamp.IsZero() || p.Finished():
	case what == bind && p.NodeName == "":
		w.bindPod(p)
	case what == start && p.NodeName != "" && !p.Ready:
		w.startPod(p)
	case what == pull && p.NodeName != "":
		w.pulled(p)
	case what == crashBack && p.Ready:
		w.count(PodCrashLoop)
		w.changePod(p, by(NodeAgent), func(p *podorder.Pod) { p.Ready, p.ReadySince, p.Restarts = false, w.now, p.Restarts+1 })
		w.schedulePod(p, start, w.delay(w.pace.start))
	}
}

// advance moves the clock, and performs what happens until then.
func (w *World) advance(d time.Duration) {
	until := w.now.Add(d)
	for {
		at, ok := w.agenda.next()
		if !ok || at.After(until) {
			break
		}
		w.performNext()
	}
	if until.After(w.now) {
		w.now = until
	}
}

// anyStarts reports whether any pod is on its way that is not being deleted.
func (w *World) anyStarts() bool {
	return w.starting > 0 && slices.ContainsFunc(w.agenda.entries, func(e entry[happening]) bool {
		if e.what.what != bind && e.what.what != start {
			return false
		}
		p := w.store.podAt(e.what.number, e.what.daemon)
		return p.Pod != nil && p.DeletionTimestamp.IsZero()
	})
}
