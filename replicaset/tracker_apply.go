// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// A Delta is a change of a snapshot. Nil fields change nothing. A Tracker keeps the pod New,
// Siblings and the Domains, and copies of the rest. None of these may be modified afterwards,
// nor the objects that they and the copies refer to, such as labels. To change a pod, pass
// another New, and so on.
type Delta struct {
	// Pod is an event of one pod, as informers send it.
	Pod PodEvent
	// ReplicaSet is the new state of the ReplicaSet. If it is gone, pass the zero ReplicaSet.
	ReplicaSet *ReplicaSet
	// Siblings are all other ReplicaSets; if there are none anymore, pass an empty list and
	// not nil.
	Siblings []ReplicaSet
	// Domains points to the new failure domains, which may be nil.
	Domains *podorder.Domains
	// Expectations are the new expectations. Apply does not lower them by pod events: see
	// [Effects].
	Expectations *Expectations
	// Written and Read are the new versions that were written and read.
	Written, Read *Versions
}

// Apply applies a change to the snapshot.
//
// The events of one pod may come twice. If the pods have resource versions that compare, see
// [CompareVersions], they may also come late: an event older than the known pod changes
// nothing, unless it is the removal of the known pod. Removed pods are forgotten, so an
// addition that comes after the removal adds the pod again. The events of different pods may
// come in any order.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError], and then nothing
// has changed: a pod without a name; an update of an unknown pod, which was removed or not
// added yet, or an update with another name; an event of one pod while there is another pod
// with its name, another UID and no versions to tell which is later.
func (t *Tracker) Apply(d Delta) error {
	t.begin()
	what, slot, err := t.pods.Judge(d.Pod.Old, d.Pod.New)
	if err != nil {
		return err
	}
	t.applyRest(&d)
	switch what {
	case tracked.Add:
		t.add(d.Pod.New)
	case tracked.Replace:
		t.replace(slot, d.Pod.New)
	case tracked.Remove:
		t.remove(slot)
	}
	return nil
}

// applyRest applies the parts of a change other than the pod.
func (t *Tracker) applyRest(d *Delta) {
	if d.Siblings != nil {
		if !sameRelatives(t.rest.Siblings, d.Siblings) {
			t.ranking = nil
		}
		t.rest.Siblings = d.Siblings
	}
	if d.Domains != nil {
		t.rest.Domains = *d.Domains
	}
	if d.Expectations != nil {
		t.rest.Expectations = *d.Expectations
	}
	if d.Written != nil {
		t.rest.Written = *d.Written
	}
	if d.Read != nil {
		t.rest.Read = *d.Read
	}
	if d.ReplicaSet == nil {
		return
	}
	if t.rest.ReplicaSet.ControllerUID != d.ReplicaSet.ControllerUID {
		t.ranking = nil
	}
	same := sameMeasure(&t.rest.ReplicaSet, d.ReplicaSet)
	t.rest.ReplicaSet = *d.ReplicaSet
	if !same {
		m := newMeasure(d.ReplicaSet, t.measure.dialect)
		t.recount(&m)
	}
}

// sameMeasure reports whether pods count in the same way with both ReplicaSets.
func sameMeasure(a, b *ReplicaSet) bool {
	return a.UID == b.UID && a.Name == b.Name && a.Kind == b.Kind && a.APIVersion == b.APIVersion &&
		a.DeletionTimestamp.IsZero() == b.DeletionTimestamp.IsZero() && a.MinReadySeconds == b.MinReadySeconds &&
		tracked.SameSelector(a.Selector, b.Selector) && maps.Equal(a.TemplateLabels, b.TemplateLabels)
}

// sameRelatives reports whether the same pods are neighbours with both lists of siblings.
func sameRelatives(a, b []ReplicaSet) bool {
	return slices.EqualFunc(a, b, func(x, y ReplicaSet) bool {
		return x.UID == y.UID && x.ControllerUID == y.ControllerUID && tracked.SameSelector(x.Selector, y.Selector)
	})
}
