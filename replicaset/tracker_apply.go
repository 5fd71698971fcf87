// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/expect"
)

// A Delta is a change of a snapshot. Nil fields change nothing. A Tracker shares Pod.New,
// Siblings, Domains, and all maps, slices and pointers in the other fields with the caller:
// do not modify them after Apply. To change a pod, pass another pod as Pod.New.
type Delta struct {
	// Pod is an event of one pod, as informers send it. The zero PodEvent is no event.
	Pod PodEvent
	// ReplicaSet is the new state of the ReplicaSet. If the ReplicaSet was deleted, pass the
	// zero ReplicaSet.
	ReplicaSet *ReplicaSet
	// Siblings are all other ReplicaSets of the namespace. If there are none, pass an empty
	// list and not nil.
	Siblings []ReplicaSet
	// Domains points to the new failure domains. The Domains themselves may be nil: then each
	// node is its own domain.
	Domains *podorder.Domains
	// Expectations are the new expectations. Apply does not lower them by pod events: see
	// [Effects].
	Expectations *expect.Expectations
	// Written and Read are the new values of these fields of the Snapshot.
	Written, Read *expect.Versions
}

// Apply applies a change to the snapshot.
//
// An event may be applied twice. The events of one pod may also be applied out of order, if
// its resource versions compare, see [expect.CompareVersions]: an event older than the known pod
// changes nothing, unless it is the removal of the known pod. But an addition applied after
// the removal adds the pod again, because a Tracker keeps nothing of removed pods. The events
// of different pods may be applied in any order.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError], and the Tracker
// does not change. These are errors:
//
//   - a pod without a name;
//   - an update of a pod that was not added or was removed;
//   - an update whose Old and New have different names;
//   - an event of a pod if the Tracker has a pod with the same name and another UID, and
//     their versions do not compare.
func (t *Tracker) Apply(d Delta) error {
	t.begin()
	what, slot, err := t.pods.Judge(d.Pod.Old, d.Pod.New)
	if err != nil {
		return err
	}
	t.applyRest(&d)
	t.applyPod(what, slot, d.Pod.New)
	return nil
}

// Replace replaces the snapshot with a complete one, such as the lists of an informer after it
// has listed all objects again. Events that were lost before, such as the deletion of a pod,
// then no longer matter, and older objects replace newer ones. Replace takes O(N) time. A pod
// that has the UID and the resource version of the known pod with its name counts as unchanged:
// the Tracker keeps the known pod and does not count it again.
//
// The Tracker does not keep the list of pods, but it shares Siblings, Domains, and all maps,
// slices and pointers in s with the caller: do not modify them after Replace. The error, if
// any, wraps [kplan.ErrInvalid] and a [kplan.FieldError], and the Tracker does not change: there
// is a pod without a name, or two pods with the same name.
func (t *Tracker) Replace(s Snapshot) error {
	t.begin()
	changes, err := t.pods.Changes(s.Pods)
	if err != nil {
		return err
	}
	t.applyRest(&Delta{ReplicaSet: &s.ReplicaSet, Siblings: append([]ReplicaSet{}, s.Siblings...)})
	t.rest = s
	t.rest.Pods = nil
	for _, c := range changes {
		t.applyPod(c.Verdict, c.Number, c.New)
	}
	return nil
}

func (t *Tracker) applyPod(what tracked.Verdict, i int, p *podorder.Pod) {
	switch what {
	case tracked.Add:
		t.add(p)
	case tracked.Replace:
		t.replace(i, p)
	case tracked.Remove:
		t.remove(i)
	}
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

// sameRelatives reports whether both lists of siblings make the same pods neighbours: it compares
// the fields that decide this.
func sameRelatives(a, b []ReplicaSet) bool {
	return slices.EqualFunc(a, b, func(x, y ReplicaSet) bool {
		return x.UID == y.UID && x.ControllerUID == y.ControllerUID && tracked.SameSelector(x.Selector, y.Selector)
	})
}
