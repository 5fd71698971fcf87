package replicaset

import (
	"math"

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
	t.enter(i)
}

// remove removes a pod. The last one takes its place.
func (t *Tracker) remove(i int) {
	t.leave(i)
	t.names.remove(i, t.name)
	if last := t.pods.Len() - 1; i != last {
		p, r := t.pods.At(last), t.records.At(last)
		t.names.move(last, i, t.name)
		if r.state.role != roleNone && p.UID != "" {
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
		t.enter(i)
	}
}

// enter counts a pod that is not counted.
func (t *Tracker) enter(i int) {
	p := t.pods.At(i)
	if t.measure.unusable != nil || !t.measure.concerns(p) {
		t.records.Set(i, record{})
		return
	}
	s, at := t.measure.state(p)
	t.records.Set(i, record{state: s})
	if s.role != roleNone && p.UID != "" {
		t.twins += t.uids.count(p.UID, t.uid)
		t.uids.add(i, t.uid)
	}
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
	p, r := t.pods.At(i), t.records.At(i)
	switch {
	case r.place > 0:
		t.cut(int(r.place - 1))
	case r.state.availability == waiting:
		t.distant--
	}
	if r.state.role != roleNone && p.UID != "" {
		t.uids.remove(i, t.uid)
		t.twins -= t.uids.count(p.UID, t.uid)
	}
	t.totals.add(r.state, -1)
	t.records.Set(i, record{})
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
