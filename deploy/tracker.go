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
// search the namespace for the Deployment's ReplicaSets, nor count its pods. The zero Tracker
// is the zero Snapshot. [Tracker.Apply] takes the changes, and [Tracker.Plan] always returns
// the same plan as [Reconcile] for the current snapshot.
//
// A change of a ReplicaSet or pod takes O(1) time. A plan reads the ReplicaSets that the
// Deployment controls, adopts or releases, however many others and pods there are. Only with
// Options.PausePoints does a plan that changes sizes read all pods, to find out which of them
// are going to be deleted. Another UID or selector of the Deployment, its deletion, and the
// begin and end of a partition read all ReplicaSets once.
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
