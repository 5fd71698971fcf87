// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"math"
	"time"

	"github.com/kplan-go/kplan/podorder"
)

func (t *Tracker) name(i int) string { return t.pods.At(i).Name }

func (t *Tracker) uid(i int) string { return t.pods.At(i).UID }

// find returns which pod has a name, or -1.
func (t *Tracker) find(name string) int { return t.names.find(name, t.name) }

// add adds a pod behind the others.
func (t *Tracker) add(p *podorder.Pod) {
	i := t.pods.Len()
	t.pods.Append(p)
	t.records.Append(record{})
	t.names.add(i, t.name)
	t.enterNew(i)
}

// replace puts another pod of the same name in place of one.
func (t *Tracker) replace(i int, p *podorder.Pod) {
	s, at := t.stateOf(p)
	before, uid := t.records.At(i).state, t.uid(i)
	same := uid == p.UID && before.registered(uid) && s.registered(uid) // the most common case by far
	t.leave(i)
	if !same && before.registered(uid) {
		t.unregister(i)
	}
	t.pods.Set(i, p)
	t.enter(i, s, at)
	if !same && s.registered(p.UID) {
		t.register(i)
	}
}

// remove removes a pod. The last one takes its place.
func (t *Tracker) remove(i int) {
	before := t.records.At(i).state
	if t.leave(i); before.registered(t.uid(i)) {
		t.unregister(i)
	}
	t.names.remove(i, t.name)
	if last := t.pods.Len() - 1; i != last {
		p, r := t.pods.At(last), t.records.At(last)
		t.names.move(last, i, t.name)
		if r.state.registered(p.UID) {
			t.uids.move(last, i, t.uid)
		}
		t.pods.Set(i, p)
		t.records.Set(i, r)
		if r.place > 0 {
			d := t.queue.At(int(r.place - 1))
			d.pod = int32(i)
			t.queue.Set(int(r.place-1), d)
		}
	}
	t.pods.Drop()
	t.records.Drop()
}

// recount counts all pods by another measure.
func (t *Tracker) recount(m *measure) {
	empty := Tracker{rest: t.rest, measure: m, pods: t.pods, records: t.records, names: t.names, observed: t.observed}
	*t = empty
	for i := range t.pods.Len() {
		t.enterNew(i)
	}
}

// stateOf returns what a pod counts for, that of no concern too.
func (t *Tracker) stateOf(p *podorder.Pod) (state, time.Time) {
	if t.measure.unusable != nil || !t.measure.concerns(p) {
		return state{}, time.Time{}
	}
	return t.measure.state(p)
}

// enterNew counts a pod that is not known by its UID.
func (t *Tracker) enterNew(i int) {
	p := t.pods.At(i)
	s, at := t.stateOf(p)
	if t.enter(i, s, at); s.registered(p.UID) {
		t.register(i)
	}
}

// enter counts a pod.
func (t *Tracker) enter(i int, s state, at time.Time) {
	t.records.Set(i, record{state: s})
	t.totals.add(s, 1)
	if s.availability != waiting {
		return
	}
	switch instant, near := clock(at); {
	case !near:
		t.distant++
	case instant <= t.observed:
		t.becomeAvailable(i)
	default:
		t.push(due{instant, int32(i)})
	}
}

// leave takes a pod out of what is counted.
func (t *Tracker) leave(i int) {
	r := t.records.At(i)
	switch {
	case r.place > 0:
		t.cut(int(r.place - 1))
	case r.state.availability == waiting:
		t.distant--
	}
	t.totals.add(r.state, -1)
	t.records.Set(i, record{})
}

// registered reports whether a pod of a state is known by its UID, because a plan may touch it.
func (s state) registered(uid string) bool { return s.role != roleNone && uid != "" }

func (t *Tracker) register(i int) {
	t.twins += t.uids.count(t.uid(i), t.uid)
	t.uids.add(i, t.uid)
}

func (t *Tracker) unregister(i int) {
	t.uids.remove(i, t.uid)
	t.twins -= t.uids.count(t.uid(i), t.uid)
}

func (t *Tracker) becomeAvailable(i int) {
	r := t.records.At(i)
	t.totals.add(r.state, -1)
	r.state.availability, r.place = available, 0
	t.totals.add(r.state, 1)
	t.records.Set(i, r)
}

// advance lets pods become available until now. If that is earlier than before, or the first
// time, all are counted anew.
func (t *Tracker) advance(now int64) {
	earlier := now < t.observed || t.observed == math.MinInt64
	t.observed = now
	if earlier {
		t.recount(t.measure)
	}
	for t.queue.Len() > 0 && t.queue.At(0).at <= now {
		i := int(t.queue.At(0).pod)
		t.cut(0)
		t.becomeAvailable(i)
	}
}
