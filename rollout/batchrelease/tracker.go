// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"encoding/json"
	"time"

	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// look at all pods. The zero Tracker is the zero Snapshot. [Tracker.Apply] takes what changes,
// and [Tracker.Plan] returns what [Reconcile] returns for the snapshot as it is by then, always.
// Its pods are in the order of their names, in whatever order they came.
//
// A change of a pod takes O(log N) time for N pods. A plan counts pods in groups of those that
// have the same labels of a release, revision and template, and takes the time for the groups, of
// which a release has a few for each batch, and for the pods that it labels. The hash of the release
// plan and the strategy of a Deployment are read only when they change. The time of Reconcile takes
// what looks at pods one by one: a rollback in batches, and ordinals by
// [workload.OrdinalsLabelledByList].
//
// It belongs to one goroutine. A copy by assignment is not a Tracker of its own: see
// [Tracker.Clone]. In JSON it is its Snapshot.
type Tracker struct {
	rest   Snapshot // all but the pods
	read   reading  // of that
	pods   tracked.Table[workload.Pod, ofPods]
	groups groups
}

// A Delta is what changes in a snapshot. What is nil stays as it is. A Tracker keeps what it
// refers to, which must not change afterwards.
type Delta struct {
	// Rest is all but the pods from now on: the Pods of it are not read.
	Rest *Snapshot
	// Pod is what happens to one pod, as informers tell it. One that has finished is gone.
	Pod PodEvent
}

// A PodEvent is a change of one pod: an addition if Old is nil, a deletion if New is, and an
// update otherwise.
type PodEvent struct {
	Old, New *workload.Pod
}

// ofPods is the kind of pods. They have no versions here.
type ofPods struct{}

func (ofPods) Word() string                 { return "pod" }
func (ofPods) Path() string                 { return "Pod" }
func (ofPods) Name(p *workload.Pod) string  { return p.Name }
func (ofPods) UID(p *workload.Pod) string   { return p.UID }
func (ofPods) Version(*workload.Pod) string { return "" }

// Apply takes what has changed.
//
// The events of one pod may come twice, and the last one says what it is. Those of different pods
// may come in any order.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError], and then nothing has changed: a pod
// without a name; an update of one that is not there, which was removed or not added yet, or that
// gives it another name; an event of one pod while there is another one of its name, with another
// UID.
func (t *Tracker) Apply(d Delta) error {
	what, i, err := t.pods.Judge(d.Pod.Old, d.Pod.New)
	if err != nil {
		return err
	}
	if d.Rest != nil {
		t.read.follow(&t.rest, d.Rest)
		t.rest = *d.Rest
		t.rest.Pods = nil
	}
	switch what {
	case tracked.Add:
		t.pods.Add(d.Pod.New)
		t.groups.add(standingOf(d.Pod.New), t.pods.Len()-1, &t.pods)
	case tracked.Replace:
		was, is := standingOf(t.pods.At(i)), standingOf(d.Pod.New)
		if was == is {
			t.pods.Set(i, d.Pod.New)
			break
		}
		t.groups.remove(was, i, &t.pods)
		t.pods.Set(i, d.Pod.New)
		t.groups.add(is, i, &t.pods)
	case tracked.Remove:
		t.remove(i)
	}
	return nil
}

// remove removes a pod, whose number the last one takes.
func (t *Tracker) remove(i int) {
	last := t.pods.Len() - 1
	was, moves := standingOf(t.pods.At(i)), standingOf(t.pods.At(last))
	t.groups.remove(was, i, &t.pods)
	if i != last {
		t.groups.remove(moves, last, &t.pods)
	}
	if t.pods.Remove(i); i != last {
		t.groups.add(moves, i, &t.pods)
	}
}

// Plan returns what Reconcile(t.Snapshot(), now, opts) does. The error is that of [Reconcile].
func (t *Tracker) Plan(now time.Time, opts Options) (Plan, error) {
	return reconcile(&t.rest, &t.read, t, now, opts)
}

// Snapshot returns the snapshot that t is kept up to date with. It takes O(N log N) time.
func (t *Tracker) Snapshot() Snapshot {
	s := t.rest
	s.Pods = t.list()
	return s
}

// Clone returns a Tracker of its own that stands for the same snapshot: what is applied to
// one of the two, the other does not see. It takes a time for the groups, however many pods they
// have, and the first changes of each of the two take more than others, for parts of the lists
// are copied as they change.
func (t *Tracker) Clone() Tracker { return Tracker{t.rest, t.read, t.pods.Clone(), t.groups.clone()} }

// MarshalJSON encodes the snapshot.
func (t Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. The error, if it is not one of JSON, is that of
// [Tracker.Apply], or two pods have one name.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as of any other value
	}
	var loaded Tracker
	err := loaded.pods.Load(s.Pods, func(p *workload.Pod) error { return loaded.Apply(Delta{Pod: PodEvent{New: p}}) })
	if err == nil {
		_ = loaded.Apply(Delta{Rest: &s}) // only a pod can be refused
		*t = loaded
	}
	return err
}
