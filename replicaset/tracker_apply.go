// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
)

// A Delta is what changes in a snapshot. What is nil stays as it is. A Tracker keeps the pod New,
// Siblings, the Domains, and copies of the rest. None of these may change afterwards, nor what they
// and the copies refer to, such as labels. A pod that changes is another New, and so on.
type Delta struct {
	// Pod is what happens to one pod, as informers tell it.
	Pod PodEvent
	// ReplicaSet is what the ReplicaSet is from now on. One that is gone is the zero
	// ReplicaSet.
	ReplicaSet *ReplicaSet
	// Siblings are all other ReplicaSets from now on; if there are none any more, they are empty
	// and not nil.
	Siblings []ReplicaSet
	// Domains points to the failure domains from now on, which may be nil.
	Domains *podorder.Domains
	// Expectations are what is expected from now on. Apply does not lower them by what
	// happens to pods: see [Effects].
	Expectations *Expectations
	// Written and Read are the versions that were written and read from now on.
	Written, Read *Versions
}

// Apply takes what has changed.
//
// The events of one pod may come twice. If the pods have resource versions that compare, see
// [CompareVersions], they may also come late: what is older than what is known changes nothing,
// unless it is the removal of the known pod. A pod that has been removed is not remembered, so that
// an addition that comes after its removal adds it again. The events of different pods may come in
// any order.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError], and then nothing has changed: a
// pod without a name; an update of a pod that is not there, which was removed or not added
// yet, or that gives it another name; an event of one pod while there is another one of its
// name, with another UID and no versions to tell which is the later.
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

// applyRest takes what a change says of other things than pods.
func (t *Tracker) applyRest(d *Delta) {
	if d.Siblings != nil {
		if !sameRelatives(t.rest.Siblings, d.Siblings) {
			t.line = nil
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
		t.line = nil
	}
	same := sameMeasure(&t.rest.ReplicaSet, d.ReplicaSet)
	t.rest.ReplicaSet = *d.ReplicaSet
	if !same {
		m := newMeasure(d.ReplicaSet, t.measure.dialect)
		t.recount(&m)
	}
}

// sameMeasure reports whether pods count for the same with both.
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
