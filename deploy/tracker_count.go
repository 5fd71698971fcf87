// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan/internal/base/paged"
	"github.com/kplan-go/kplan/internal/base/tracked"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/selector/claim"
)

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
	t.claims, t.near = newClaims(d), paged.List[int32]{}
	for i := range t.sets.Len() {
		t.places.Set(i, 0)
		t.file(i)
	}
}

// concerns reports whether a plan, or Finish after it, reads a ReplicaSet.
func (c *claims) concerns(rs *replicaset.ReplicaSet) bool {
	return rs.ControllerUID == c.in.d.UID || c.in.verdict(&c.owner, rs) != claim.Ignore
}

// file adds a ReplicaSet to the list of ReplicaSets that plans read, or removes it.
func (t *Tracker) file(i int) {
	switch concern := t.claims.concerns(t.sets.At(i)); {
	case !concern:
		t.unfile(i)
	case t.places.At(i) == 0:
		t.near.Append(int32(i))
		t.places.Set(i, int32(t.near.Len()))
	}
}

// unfile removes a ReplicaSet from the list of ReplicaSets that plans read. The last one
// takes its place.
func (t *Tracker) unfile(i int) {
	place := t.places.At(i)
	if place == 0 {
		return
	}
	last := t.near.At(t.near.Len() - 1)
	t.near.Set(int(place-1), last)
	t.places.Set(int(last), place)
	t.places.Set(i, 0)
	t.near.Drop()
}

// countPod counts a pod once more, or once less.
func (t *Tracker) countPod(p *podorder.Pod, n int32) {
	if !p.Finished() {
		t.running.Add(p.ControllerUID, n)
	}
}
