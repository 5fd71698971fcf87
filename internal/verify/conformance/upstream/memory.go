// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
)

// A Memory is a controller's state of one owner from earlier passes.
type Memory struct {
	Expected Expected
	Delays   []NodeDelay // of DaemonSets, by key
}

// Expected are creations and deletions that were requested and not observed yet. At is zero if
// there were none ever.
type Expected struct {
	Creations, Deletions int64
	Pending              []string // names of pods to be deleted; not for DaemonSets, which only count
	At                   time.Time
}

// A NodeDelay is the backoff before a failed pod is deleted.
type NodeDelay struct {
	Key   string // see DelayKey
	Delay time.Duration
	Since time.Time
}

// DelayKey is the key of a delay.
func DelayKey(uid string, generation int64, node string) string {
	return fmt.Sprintf("%s/%d/%s", uid, generation, node)
}

// Remember returns the controller's state of an owner.
func (l *Live) Remember(owner metav1.Object) (m Memory) {
	if l.counted == nil {
		return m
	}
	if e, found, err := l.counted.GetExpectations(key(owner)); err == nil && found {
		m.Expected.Creations, m.Expected.Deletions = e.GetExpectations()
		m.Expected.At = *field[time.Time](e, "timestamp")
	}
	if l.named != nil {
		for _, k := range l.named.GetUIDs(key(owner)).List() {
			_, name, _ := strings.Cut(k, "/")
			m.Expected.Pending = append(m.Expected.Pending, name)
		}
	}
	if l.backoff != nil {
		m.Delays = l.delays()
	}
	return m
}

func (l *Live) delays() (list []NodeDelay) {
	table := reflect.ValueOf(*l.backoff).Elem().FieldByName("perItemBackoff")
	for _, k := range table.MapKeys() {
		since := table.MapIndex(k).Elem().FieldByName("lastUpdate")
		list = append(list, NodeDelay{k.String(), (*l.backoff).Get(k.String()), *(*time.Time)(unsafe.Pointer(since.UnsafeAddr()))})
	}
	slices.SortFunc(list, func(a, b NodeDelay) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// Recall replaces the controller's state of an owner by m.
func (l *Live) Recall(owner metav1.Object, m Memory) {
	l.Forget(owner)
	if e := m.Expected; !e.At.IsZero() {
		if l.named != nil {
			keys := make([]string, len(e.Pending))
			for i, name := range e.Pending {
				keys[i] = owner.GetNamespace() + "/" + name
			}
			ensure(l.named.ExpectDeletions(logr.Discard(), key(owner), keys))
		}
		ensure(l.counted.SetExpectations(logr.Discard(), key(owner), int(e.Creations), int(e.Deletions)))
		set, _, err := l.counted.GetExpectations(key(owner))
		ensure(err)
		*field[time.Time](set, "timestamp") = e.At
	}
	if l.backoff != nil {
		b := newBackoff()
		for _, d := range m.Delays {
			b.Clock = stopped{at: d.Since}
			for b.Get(d.Key) < d.Delay {
				b.Next(d.Key, d.Since)
			}
		}
		b.Clock = clock.RealClock{}
		*l.backoff = b
	}
}

func ensure(err error) {
	if err != nil {
		panic(err)
	}
}

// Observe sends events to the controller for the changes of pods from before to after. The caches
// have been filled before.
func (l *Live) Observe(before, after []metav1.Object) {
	find := func(list []metav1.Object, o metav1.Object) metav1.Object {
		for _, other := range list {
			if reflect.TypeOf(other) == reflect.TypeOf(o) && key(other) == key(o) {
				return other
			}
		}
		return nil
	}
	const kind = "Pod"
	for _, o := range after {
		if reflect.TypeOf(o).Elem().Name() != kind {
			continue
		}
		for _, h := range l.informers[kind].handlers {
			if old := find(before, o); old == nil {
				h.OnAdd(o, false)
			} else {
				h.OnUpdate(old, o)
			}
		}
	}
	for _, old := range before {
		if reflect.TypeOf(old).Elem().Name() == kind && find(after, old) == nil {
			l.informers[kind].deleted(old)
		}
	}
}
