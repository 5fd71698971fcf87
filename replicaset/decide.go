// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset/reason"
)

// A decision holds the pods that a pass creates or deletes, and the changes that it holds back.
type decision struct {
	create  int32           // pods to create
	victims podorder.Choice // pods to delete
	holds   []kplan.Hold
}

// decide decides the number of pods to create, or the pods to delete.
func (in *input) decide(c *counts) decision {
	n := in.numbers(c).change()
	d := decision{create: n.create, holds: n.holds}
	if n.remove == 0 {
		return d
	}
	switch {
	case c.onlyVictim:
		d.victims.Victims = []int{0}
	case in.refs != nil:
		d.victims = c.draft.ChooseFrom(in.refs, int(n.remove))
	case c.draft != nil:
		d.victims = c.draft.Choose(in.Pods, c.front, int(n.remove))
	default:
		order := in.order()
		d.victims = order.Choose(in.Pods, c.candidates(), int(n.remove))
	}
	if d.victims.Missing > 0 {
		d.holds = append(d.holds, newHold(reason.Protected, int64(d.victims.Protected), int64(n.remove)))
	}
	return d
}

// numbers holds the input of the decision how many pods to create or delete.
type numbers struct {
	wanted, active, ready, available int32
	terminating                      int32 // pods that must end before they are replaced, or 0
	burst                            int32
	outstanding                      int64 // expected writes that have not been seen
	waiting                          bool  // for these writes; if false, they have timed out
	deleting                         bool  // the ReplicaSet is being deleted
}

func (in *input) numbers(c *counts) (n numbers) {
	n.wanted, n.active, n.ready, n.available, n.burst = in.replicas, c.active, c.ready, c.available, in.burst
	n.outstanding, n.waiting, n.deleting = in.outstanding, in.waiting, in.owner.Deleting
	if in.opts.Terminating == ReplaceTerminated {
		n.terminating = c.terminating
	}
	return n
}

// A change is the number of pods to create or delete. The holds say why the change is smaller
// than the difference to the wanted pods, or why the ReplicaSet is not available yet.
type change struct {
	create, remove int32
	holds          []kplan.Hold
}

// change returns the change of the number of active pods, up to the burst (Size in rules.md):
//
//	create = min(burst, max(0, wanted - active - terminating))
//	remove = min(burst, max(0, active - wanted))
//
// Both are 0 while the pass waits for expectations, and if the ReplicaSet is being deleted.
func (n numbers) change() (c change) {
	missing, surplus := int64(n.wanted)-int64(n.active), int64(n.active)-int64(n.wanted)
	switch {
	case n.waiting:
		return change{holds: []kplan.Hold{newHold(reason.Expectations, n.outstanding, 0)}}
	case missing == 0:
		return change{holds: n.waitHolds()}
	case n.deleting:
		return change{holds: []kplan.Hold{newHold(reason.Deleting, int64(n.active), int64(n.wanted))}}
	case n.outstanding > 0:
		c.holds = append(c.holds, newHold(reason.Expired, n.outstanding, 0))
	}
	if missing > 0 && n.terminating > 0 {
		c.holds = append(c.holds, newHold(reason.Terminating, int64(n.terminating), missing))
		missing = max(0, missing-int64(n.terminating))
	}
	if size := max(missing, surplus); size > int64(n.burst) {
		c.holds = append(c.holds, newHold(reason.Burst, size, int64(n.burst)))
	}
	c.create = int32(max(0, min(missing, int64(n.burst))))
	c.remove = int32(max(0, min(surplus, int64(n.burst))))
	return c
}

// shrinks reports whether the change deletes pods.
func (n numbers) shrinks() bool { return n.active > n.wanted && !n.waiting && !n.deleting }

// waitHolds returns the hold of a ReplicaSet of the right size with pods that are not ready or not
// available.
func (n numbers) waitHolds() []kplan.Hold {
	switch {
	case n.ready < n.active:
		return []kplan.Hold{newHold(reason.NotReady, int64(n.ready), int64(n.active))}
	case n.available < n.ready:
		return []kplan.Hold{newHold(reason.NotAvailable, int64(n.available), int64(n.ready))}
	}
	return nil
}

func newHold(reason kplan.Reason, have, limit int64) kplan.Hold {
	return kplan.Hold{Reason: reason, Have: have, Limit: limit}
}
