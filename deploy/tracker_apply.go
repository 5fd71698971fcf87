// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A Delta is a change of a snapshot. Nil fields change nothing. A Tracker keeps the objects
// New and the pointers, slices and maps of the Deployment: do not change them afterwards.
// Pass a changed object as another New.
type Delta struct {
	// Deployment is the new state of the Deployment; the zero Deployment if it is gone.
	Deployment *Deployment
	// ReplicaSet and Pod are events of one ReplicaSet and of one pod, as informers deliver
	// them.
	ReplicaSet ReplicaSetEvent
	Pod        replicaset.PodEvent
}

// A ReplicaSetEvent is a change of one ReplicaSet: an addition if Old is nil, a deletion if
// New is, and an update otherwise.
type ReplicaSetEvent struct {
	Old, New *replicaset.ReplicaSet
}

// Apply applies a change to the snapshot.
//
// The events of one object may come twice. If its resource versions compare, see
// [replicaset.CompareVersions], they may also come late: an event that is older than the known
// object changes nothing, unless it removes this object. An object that has been removed is not
// remembered, so that an addition that comes after its removal adds it again. The events of
// different objects may come in any order, a pod before the ReplicaSet that controls it too.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError], and then nothing has
// changed: an object without a name; an update of an object that was removed or not added yet; an
// update that changes the name; an event of an object while another object has its name, with
// another UID and without versions that say which is later.
func (t *Tracker) Apply(d Delta) error {
	t.begin()
	ofSet, set, err := t.sets.Judge(d.ReplicaSet.Old, d.ReplicaSet.New)
	if err != nil {
		return err
	}
	ofPod, pod, err := t.pods.Judge(d.Pod.Old, d.Pod.New)
	if err != nil {
		return err
	}
	if d.Deployment != nil {
		t.rest.Deployment = *d.Deployment
		t.follow(d.Deployment)
	}
	t.applySet(ofSet, set, d.ReplicaSet.New)
	t.applyPod(ofPod, pod, d.Pod.New)
	return nil
}

func (t *Tracker) applySet(what tracked.Verdict, i int, rs *replicaset.ReplicaSet) {
	switch what {
	case tracked.Add:
		t.sets.Add(rs)
		t.places.Append(0)
		t.file(t.sets.Len() - 1)
	case tracked.Replace:
		t.sets.Set(i, rs)
		t.file(i)
	case tracked.Remove:
		t.unfile(i)
		if last := t.sets.Len() - 1; i != last {
			place := t.places.At(last)
			if t.places.Set(i, place); place > 0 {
				t.near.Set(int(place-1), int32(i))
			}
		}
		t.places.Drop()
		t.sets.Remove(i)
	}
}

func (t *Tracker) applyPod(what tracked.Verdict, i int, p *podorder.Pod) {
	if what == tracked.Replace || what == tracked.Remove {
		t.countPod(t.pods.At(i), -1)
	}
	switch what {
	case tracked.Add:
		t.pods.Add(p)
	case tracked.Replace:
		t.pods.Set(i, p)
	case tracked.Remove:
		t.pods.Remove(i)
	}
	if what == tracked.Add || what == tracked.Replace {
		t.countPod(p, 1)
	}
}
