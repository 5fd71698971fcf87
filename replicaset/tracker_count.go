// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"math"
	"time"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
)

func (t *Tracker) uid(i int) string { return t.pods.At(i).UID }

// add adds a pod after the others.
func (t *Tracker) add(p *podorder.Pod) {
	i := t.pods.Len()
	t.pods.Add(p)
	t.records.Append(record{})
	t.enterNew(i)
	if t.ranking != nil {
		t.ranking.Add(&t.pods, i, t.records.At(i).state.role == roleActive)
	}
}

// replace replaces pod i by another pod with the same name.
func (t *Tracker) replace(i int, p *podorder.Pod) {
	s, at := t.stateOf(p)
	before, uid := t.records.At(i).state, t.uid(i)
	if none := (state{}); s == none && before == none && (t.ranking == nil || t.ranking.Stays(&t.pods, i, p)) { // another owner's pod
		t.pods.Set(i, p)
		return
	}
	same := uid == p.UID && before.registered(uid) && s.registered(uid)
	t.leave(i)
	if !same && before.registered(uid) {
		t.unregister(i)
	}
	if t.ranking != nil {
		t.ranking.Leave(&t.pods, i)
	}
	t.pods.Set(i, p)
	t.enter(i, s, at)
	if t.ranking != nil {
		t.ranking.Enter(&t.pods, i, s.role == roleActive)
	}
	if !same && s.registered(p.UID) {
		t.register(i)
	}
}

// remove removes pod i. The last pod gets the number i.
func (t *Tracker) remove(i int) {
	before := t.records.At(i).state
	if t.leave(i); before.registered(t.uid(i)) {
		t.unregister(i)
	}
	if t.ranking != nil {
		t.ranking.Remove(&t.pods, i)
	}
	if last := t.pods.Len() - 1; i != last {
		r := t.records.At(last)
		if r.state.registered(t.uid(last)) {
			t.duplicates.Move(last, i, t.uid)
		}
		t.records.Set(i, r)
		if r.place > 0 {
			t.queue.Renumber(r.place, i)
		}
	}
	t.pods.Remove(i)
	t.records.Drop()
}

// recount counts all pods with another measure.
func (t *Tracker) recount(m *measure) {
	t.content = content{rest: t.rest, measure: m, pods: t.pods, records: t.records, observed: t.observed}
	for i := range t.pods.Len() {
		t.records.Set(i, record{}) // register reads the records of other pods: none is registered yet
	}
	for i := range t.pods.Len() {
		t.enterNew(i)
	}
}

// stateOf returns the state of a pod. It is empty for ignored pods, and for all pods if the selector
// cannot be used.
func (t *Tracker) stateOf(p *podorder.Pod) (state, time.Time) {
	if t.measure.unusable != nil || !t.measure.concerns(p) {
		return state{}, time.Time{}
	}
	return t.measure.state(p)
}

// enterNew counts pod i and registers it by its UID. The pod must not be counted or registered.
func (t *Tracker) enterNew(i int) {
	p := t.pods.At(i)
	s, at := t.stateOf(p)
	if t.enter(i, s, at); s.registered(p.UID) {
		t.register(i)
	}
}

// enter counts pod i with this state. If it is waiting, at is the time at which it becomes
// available.
func (t *Tracker) enter(i int, s state, at time.Time) {
	t.records.Set(i, record{state: s})
	t.totals.add(s, 1)
	if s.availability != waiting {
		return
	}
	switch instant, fits := tracked.Clock(at); {
	case !fits:
		t.distant++
	case instant <= t.observed:
		t.becomeAvailable(i)
	default:
		t.queue.Push(paged.Due{At: instant, Item: int32(i)}, t.put)
	}
}

// leave removes pod i from the counts.
func (t *Tracker) leave(i int) {
	r := t.records.At(i)
	switch {
	case r.place > 0:
		t.queue.Cut(r.place, t.put)
	case r.state.availability == waiting:
		t.distant--
	}
	t.totals.add(r.state, -1)
	t.records.Set(i, record{})
}

// registered reports whether a pod with this state is registered by its UID, to find equal UIDs.
// Ignored pods and pods without a UID are not registered.
func (s state) registered(uid string) bool { return s.role != roleNone && uid != "" }

func (t *Tracker) isRegistered(i int) bool { return t.records.At(i).state.registered(t.uid(i)) }

func (t *Tracker) register(i int) { t.duplicates.Enter(i, t.pods.Len(), t.isRegistered, t.uid) }

func (t *Tracker) unregister(i int) { t.duplicates.Leave(i, t.uid) }

func (t *Tracker) becomeAvailable(i int) {
	r := t.records.Ref(i)
	t.totals.add(r.state, -1)
	r.state.availability, r.place = available, 0
	t.totals.add(r.state, 1)
}

// advance makes the pods available whose time is not after now. It counts all pods again if now is
// before the time of the last call. It also does so in the first call if pods are waiting: most
// are available by now, and one count is faster than taking each from the queue.
func (t *Tracker) advance(now int64) {
	earlier := now < t.observed || t.observed == math.MinInt64 && t.queue.Len() > 0
	t.observed = now
	if earlier {
		t.recount(t.measure)
	}
	for t.queue.Len() > 0 && t.queue.First().At <= now {
		i := int(t.queue.First().Item)
		t.queue.Cut(1, t.put)
		t.becomeAvailable(i)
	}
}

// put stores the place of a pod in the queue. The queue calls it for each pod that it moves.
func (t *Tracker) put(pod int, place int32) {
	t.records.Ref(pod).place = place
}
