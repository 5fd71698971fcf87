// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector/claim"
)

// A Tracker holds a [Snapshot] and keeps it current. [Tracker.Apply] applies a change to the
// snapshot, and [Tracker.Plan] returns the plan that [Reconcile] returns for it. The zero Tracker
// holds the zero Snapshot.
//
// A change of a ReplicaSet or pod takes O(1) time. A plan reads only the ReplicaSets that the
// Deployment controls, adopts or releases, and no pods. With Options.PausePoints a plan reads all
// pods while an old ReplicaSet wants pods, to find out which of them will be deleted. A change of
// the Deployment reads all ReplicaSets once if it changes the UID or the selector, marks the
// Deployment as being deleted, or sets or unsets Partitioned.
//
// A Tracker must not be used by several goroutines at once, or copied by value: go vet reports such
// copies, and the methods of a copy panic. Use [Tracker.Clone]. In JSON a Tracker is its Snapshot.
// Encode a pointer: package encoding/json does not call MarshalJSON for a Tracker that it cannot
// address, and encodes {}. The README.md of examples/controller, a complete controller, lists the
// rules for feeding a Tracker from informers.
type Tracker struct {
	self tracked.Self
	content
}

// content is everything in a Tracker that a clone gets.
type content struct {
	rest   Snapshot // without ReplicaSets and Pods, which are in the roster
	claims *claims  // nil before the first call of begin
	roster
}

// Plan returns the plan and the error of Reconcile(t.Snapshot(), now, opts).
func (t *Tracker) Plan(now time.Time, opts Options) (p Plan, err error) {
	t.begin()
	in := input{tracked: &t.roster}
	if err = in.admit(&t.rest, now, &opts); err == nil {
		in.plan(&p)
	}
	return p, err
}

// Snapshot returns the current snapshot. It takes O(N) time.
func (t *Tracker) Snapshot() Snapshot {
	t.begin()
	s := t.rest
	s.ReplicaSets, s.Pods = t.sets.List(), t.pods.List()
	return s
}

// Clone returns a separate Tracker with the same snapshot: changes of one do not affect the other.
// It takes O(1) time. Later changes of either Tracker copy the parts of the lists that they change.
func (t *Tracker) Clone() *Tracker {
	t.begin()
	c := &Tracker{content: content{t.rest, t.claims, t.roster.clone()}}
	c.begin()
	return c
}

// MarshalJSON encodes the snapshot.
func (t *Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot; null changes nothing. It returns an error of package
// encoding/json or of [Tracker.Replace]. After an error the Tracker has not changed.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	t.begin()
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err
	}
	var loaded Tracker
	if err := loaded.Replace(s); err != nil {
		return err
	}
	t.content = loaded.content
	return nil
}

// Replace replaces the snapshot with the lists of a cache, such as those that an informer has after
// it has listed the objects again. Then events that were lost no longer matter, such as the deletion
// of a pod, and older objects replace later ones. It takes O(N) time. A ReplicaSet or pod that has
// the UID and the resource version of the one with its name in the old snapshot is taken for
// unchanged and costs little more than reading it.
//
// The Tracker keeps no part of the two lists, but shares the maps, slices and pointers in the
// objects: do not modify them afterwards. An error wraps [kplan.ErrInvalid] and reports objects of a
// list without a name or with the same name; nothing has changed then.
func (t *Tracker) Replace(s Snapshot) error {
	t.begin()
	sets, err := t.sets.Changes(s.ReplicaSets)
	pods, wrong := t.pods.Changes(s.Pods)
	if err := errors.Join(err, wrong); err != nil {
		return err
	}
	t.rest.Deployment = s.Deployment
	t.follow(&s.Deployment)
	for _, c := range sets {
		t.applySet(c.Verdict, c.Number, c.New)
	}
	for _, c := range pods {
		t.applyPod(c.Verdict, c.Number, c.New)
	}
	return nil
}

// A Delta is a change of a snapshot. Zero fields change nothing. A Tracker keeps the objects in New
// and the pointers, slices and maps of the Deployment: do not modify them afterwards. To report a
// changed object, pass a new object.
type Delta struct {
	// Deployment is the present Deployment. After its deletion pass the zero Deployment.
	Deployment *Deployment
	// ReplicaSet and Pod are events of one ReplicaSet and one pod, as informers deliver them.
	ReplicaSet ReplicaSetEvent
	Pod        replicaset.PodEvent
}

// A ReplicaSetEvent is a change of one ReplicaSet: an addition if Old is nil, a deletion if New is
// nil, an update if both are set, and no event if both are nil.
type ReplicaSetEvent struct {
	Old, New *replicaset.ReplicaSet
}

// Apply applies a change to the snapshot.
//
// An event may be applied twice. If the resource versions of an object can be compared (see
// CompareVersions of package expect), its events may also be late: an event with an older
// version than the object in the snapshot changes nothing, unless it is the deletion of this
// object. Removed objects are not remembered: an addition that is applied after the deletion of
// the object adds it again. Events of different objects may be applied in any order, such as a
// pod before its ReplicaSet.
//
// An error wraps [kplan.ErrInvalid] and one [kplan.FieldError]; nothing has changed then. The
// errors are: an object without a name; an update of an object that is not in the snapshot; an
// update that changes the name; an event of an object while an object with another UID has its
// name, if their resource versions do not tell which object is later.
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

func (t *Tracker) applySet(verdict tracked.Verdict, i int, rs *replicaset.ReplicaSet) {
	switch verdict {
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
				t.relevant.Set(int(place-1), int32(i))
			}
		}
		t.places.Drop()
		t.sets.Remove(i)
	}
}

func (t *Tracker) applyPod(verdict tracked.Verdict, i int, p *podorder.Pod) {
	if verdict == tracked.Replace || verdict == tracked.Remove {
		t.countPod(t.pods.At(i), -1)
	}
	switch verdict {
	case tracked.Add:
		t.pods.Add(p)
	case tracked.Replace:
		t.pods.Set(i, p)
	case tracked.Remove:
		t.pods.Remove(i)
	}
	if verdict == tracked.Add || verdict == tracked.Replace {
		t.countPod(p, 1)
	}
}

// The claims of a Deployment determine which ReplicaSets its plans read.
type claims struct {
	in    input // only the Deployment is set: the zero Options adopt all matching orphans, so that no other Options read more
	owner claim.Owner
}

func newClaims(d *Deployment) *claims {
	c := &claims{in: input{d: *d}}
	c.owner, _ = c.in.owner() // an invalid selector selects nothing here, and is an error of Plan
	return c
}

// same reports whether plans of a Deployment read the same ReplicaSets as before.
func (c *claims) same(d *Deployment) bool {
	b := &c.in.d
	return b.UID == d.UID && b.DeletionTimestamp.IsZero() == d.DeletionTimestamp.IsZero() &&
		(b.Partitioned == nil) == (d.Partitioned == nil) && tracked.SameSelector(b.Selector, d.Selector)
}

// begin initializes the claims of a zero Tracker. It panics if the Tracker is a copy by value.
func (t *Tracker) begin() {
	t.self.Check("deploy")
	if t.claims == nil {
		t.claims = newClaims(&t.rest.Deployment)
	}
}

// follow adapts the list of ReplicaSets that plans read to a changed Deployment.
func (t *Tracker) follow(d *Deployment) {
	if t.claims.same(d) {
		return
	}
	t.claims, t.relevant = newClaims(d), paged.List[int32]{}
	for i := range t.sets.Len() {
		t.places.Set(i, 0)
		t.file(i)
	}
}

// isRead reports whether a plan, or [Pass.Finish] after it, reads a ReplicaSet.
func (c *claims) isRead(rs *replicaset.ReplicaSet) bool {
	return rs.ControllerUID == c.in.d.UID || c.in.verdict(&c.owner, rs) != claim.Ignore
}

// file adds the ReplicaSet with index i to the list of ReplicaSets that plans read, or removes it
// from the list, as isRead says.
func (t *Tracker) file(i int) {
	switch isRead := t.claims.isRead(t.sets.At(i)); {
	case !isRead:
		t.unfile(i)
	case t.places.At(i) == 0:
		t.relevant.Append(int32(i))
		t.places.Set(i, int32(t.relevant.Len()))
	}
}

// unfile removes the ReplicaSet with index i from the list of ReplicaSets that plans read, if it is
// in the list. The last element of the list takes its place.
func (t *Tracker) unfile(i int) {
	place := t.places.At(i)
	if place == 0 {
		return
	}
	last := t.relevant.At(t.relevant.Len() - 1)
	t.relevant.Set(int(place-1), last)
	t.places.Set(int(last), place)
	t.places.Set(i, 0)
	t.relevant.Drop()
}

// countPod adds n to the number of running pods of a pod's controller, unless the pod has ended.
func (t *Tracker) countPod(p *podorder.Pod, n int32) {
	if !p.Finished() {
		t.running.Add(p.ControllerUID, n)
	}
}
