// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A Delta is what changes in a snapshot. What is nil stays as it is. A Tracker keeps the
// objects New and what the Deployment refers to: they must not change afterwards. An object
// that changes is another New, and so on.
type Delta struct {
	// Deployment is what the Deployment is from now on. One that is gone is the zero
	// Deployment.
	Deployment *Deployment
	// ReplicaSet and Pod are what happens to one ReplicaSet and to one pod, as informers tell
	// it.
	ReplicaSet ReplicaSetEvent
	Pod        replicaset.PodEvent
}

// A ReplicaSetEvent is a change of one ReplicaSet: an addition if Old is nil, a deletion if
// New is, and an update otherwise.
type ReplicaSetEvent struct {
	Old, New *replicaset.ReplicaSet
}

// Apply takes what has changed.
//
// The events of one object may come twice. If its resource versions compare, see
// [replicaset.CompareVersions], they may also come late: what is older than what is known
// changes nothing, unless it is the removal of the known object. An object that has been removed
// is not remembered, so that an addition that comes after its removal adds it again. The events of
// different objects may come in any order, a pod before the ReplicaSet that controls it too.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError], and then nothing has changed: an
// object without a name; an update of one that is not there, which was removed or not added
// yet, or that gives it another name; an event of one object while there is another one of its
// name, with another UID and no versions to tell which is the later.
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
