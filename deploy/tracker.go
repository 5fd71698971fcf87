// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector/claim"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// search the namespace for the Deployment's ReplicaSets, nor count its pods. The zero Tracker
// is the zero Snapshot. [Tracker.Apply] takes the changes, and [Tracker.Plan] always returns
// the same plan as [Reconcile] for the current snapshot.
//
// A change of a ReplicaSet or pod takes O(1) time. A plan reads the ReplicaSets that the
// Deployment controls, adopts or releases, however many others and pods there are. Only with
// Options.PausePoints does a plan read all pods, while an old ReplicaSet wants pods, to find out
// which of them are going to be deleted. Another UID or selector of the Deployment, its deletion,
// and the begin and end of a partition read all ReplicaSets once.
//
// It belongs to one goroutine. A copy by assignment is not a separate Tracker: see
// [Tracker.Clone]. In JSON it is its Snapshot. The README.md of examples/controller, a
// complete controller, lists the rules for feeding a Tracker from informers.
type Tracker struct {
	rest   Snapshot // without its lists
	claims *claims  // nil before anything was applied
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
	s := t.rest
	s.ReplicaSets, s.Pods = t.sets.List(), t.pods.List()
	return s
}

// Finish returns the result of Finish(t.Snapshot(), p, r, now, opts): see [Finish]. It reads
// ReplicaSets only if a call has failed, or has created a ReplicaSet under a name that the
// plan expected to be taken. It reads the whole snapshot only if the plan also adopts or
// releases some.
func (t *Tracker) Finish(p Plan, r Report, now time.Time, opts Options) Result {
	t.begin()
	s := t.rest
	if len(r.Outcomes) == len(p.Actions) && !slices.ContainsFunc(r.Outcomes, func(o kplan.Outcome) bool { return o.Answer != kplan.Done }) &&
		!p.createsTaken() {
		return Finish(s, p, r, now, opts)
	}
	for i := range t.relevant.Len() {
		s.ReplicaSets = append(s.ReplicaSets, *t.relevantAt(i))
	}
	for _, a := range p.Actions {
		switch a := a.(type) {
		case AdoptReplicaSet, ReleaseReplicaSet:
			return Finish(t.Snapshot(), p, r, now, opts)
		case CreateReplicaSet:
			if i := t.sets.Find(a.Name); i >= 0 && t.places.At(i) == 0 {
				s.ReplicaSets = append(s.ReplicaSets, *t.sets.At(i))
			}
		}
	}
	return Finish(s, p, r, now, opts)
}

// Clone returns a separate Tracker with the same snapshot: changes of one do not affect the
// other. It takes constant time. Later changes of either Tracker copy the parts of the lists
// that they change.
func (t *Tracker) Clone() Tracker {
	return Tracker{rest: t.rest, claims: t.claims, roster: t.roster.clone()}
}

// MarshalJSON encodes the snapshot.
func (t Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. It returns an error of JSON or of [Tracker.Apply], or
// an error if two ReplicaSets or two pods have the same name.
func (t *Tracker) UnmarshalJSON(data []byte) error {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil || string(data) == "null" {
		return err // null changes nothing, as of any other value
	}
	var loaded Tracker
	_ = loaded.Apply(Delta{Deployment: &s.Deployment}) // only a ReplicaSet or a pod can be refused
	err := loaded.sets.Load(s.ReplicaSets, func(rs *replicaset.ReplicaSet) error {
		return loaded.Apply(Delta{ReplicaSet: ReplicaSetEvent{New: rs}})
	})
	if err == nil {
		err = loaded.pods.Load(s.Pods, func(p *podorder.Pod) error { return loaded.Apply(Delta{Pod: replicaset.PodEvent{New: p}}) })
	}
	if err == nil {
		*t = loaded
	}
	return err
}

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

// The claims of a Deployment decide which ReplicaSets its plans read.
type claims struct {
	in    input // only the Deployment is set; without options all matching orphans are adopted
	owner claim.Owner
}

func newClaims(d *Deployment) *claims {
	c := &claims{in: input{d: *d}}
	c.owner, _ = c.in.owner() // a selector that cannot be used selects nothing, and fails the plan
	return c
}

// same reports whether plans of a Deployment read the same ReplicaSets as before.
func (c *claims) same(d *Deployment) bool {
	b := &c.in.d
	return b.UID == d.UID && b.DeletionTimestamp.IsZero() == d.DeletionTimestamp.IsZero() &&
		(b.Partitioned == nil) == (d.Partitioned == nil) && tracked.SameSelector(b.Selector, d.Selector)
}

// begin initializes the zero Tracker.
func (t *Tracker) begin() {
	if t.claims == nil {
		t.claims = newClaims(&t.rest.Deployment)
	}
}

// follow looks at all ReplicaSets again if plans read other ones now.
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

// isRead reports whether a plan, or Finish after it, reads a ReplicaSet.
func (c *claims) isRead(rs *replicaset.ReplicaSet) bool {
	return rs.ControllerUID == c.in.d.UID || c.in.verdict(&c.owner, rs) != claim.Ignore
}

// file adds a ReplicaSet to the list of ReplicaSets that plans read, or removes it.
func (t *Tracker) file(i int) {
	switch isRead := t.claims.isRead(t.sets.At(i)); {
	case !isRead:
		t.unfile(i)
	case t.places.At(i) == 0:
		t.relevant.Append(int32(i))
		t.places.Set(i, int32(t.relevant.Len()))
	}
}

// unfile removes a ReplicaSet from the list of ReplicaSets that plans read. The last one
// takes its place.
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

// countPod counts a pod once more, or once less.
func (t *Tracker) countPod(p *podorder.Pod, n int32) {
	if !p.Finished() {
		t.running.Add(p.ControllerUID, n)
	}
}
