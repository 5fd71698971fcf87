// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
)

// A Tracker is a [Snapshot] that is kept up to date, so that a plan after each event does not
// look for the Deployment's ReplicaSets in the whole namespace, nor count its pods. The zero
// Tracker is the zero Snapshot. [Tracker.Apply] takes what changes, and [Tracker.Plan] returns
// what [Reconcile] returns for the snapshot as it is by then, always.
//
// A change of a ReplicaSet or pod takes O(1) time. A plan reads the ReplicaSets that the
// Deployment controls, adopts or releases, however many others and pods there are. Only with
// Options.PausePoints does a plan that changes sizes read all pods, because it asks which of
// them are going to go. Another UID or selector of the Deployment, its deletion, and the begin
// and end of a partition look at all ReplicaSets once.
//
// It belongs to one goroutine. A copy by assignment is not a Tracker of its own: see
// [Tracker.Clone]. In JSON it is its Snapshot. examples/controller, a complete controller,
// says in its README.md what to see to when informers feed one.
type Tracker struct {
	rest   Snapshot // all but the lists
	claims *claims  // nil before anything was applied
	roster
}

// Plan returns what Reconcile(t.Snapshot(), now, opts) does. The error is that of
// [Reconcile].
func (t *Tracker) Plan(now time.Time, opts Options) (p Plan, err error) {
	t.begin()
	in := input{tracked: &t.roster}
	if err = in.admit(&t.rest, now, &opts); err == nil {
		in.plan(&p)
	}
	return p, err
}

// Snapshot returns the snapshot that t is kept up to date with. It takes O(N) time.
func (t *Tracker) Snapshot() Snapshot {
	s := t.rest
	s.ReplicaSets, s.Pods = t.sets.List(), t.pods.List()
	return s
}

// Finish returns what Finish(t.Snapshot(), p, r, now, opts) does: see [Finish]. It needs
// ReplicaSets only if a call has failed, or has created one whose name the plan expected to be
// taken, and all of the snapshot only if the plan adopts or releases some.
func (t *Tracker) Finish(p Plan, r Report, now time.Time, opts Options) Result {
	t.begin()
	s := t.rest
	if len(r.Outcomes) == len(p.Actions) && !slices.ContainsFunc(r.Outcomes, func(o kplan.Outcome) bool { return o.Answer != kplan.Done }) &&
		!p.createsTaken() {
		return Finish(s, p, r, now, opts)
	}
	for i := range t.near.Len() {
		s.ReplicaSets = append(s.ReplicaSets, *t.nearAt(i))
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

// Clone returns a Tracker of its own that stands for the same snapshot: what is applied to
// one of the two, the other does not see. It takes the same time however many objects there
// are, and the first changes of each of the two take more than others, for parts of the lists
// are copied as they change.
func (t *Tracker) Clone() Tracker {
	return Tracker{rest: t.rest, claims: t.claims, roster: t.roster.clone()}
}

// MarshalJSON encodes the snapshot.
func (t Tracker) MarshalJSON() ([]byte, error) { return json.Marshal(t.Snapshot()) }

// UnmarshalJSON decodes a snapshot. The error, if it is not one of JSON, is that of
// [Tracker.Apply], or two ReplicaSets or two pods have one name.
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
