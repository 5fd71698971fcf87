// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A sizing holds the changes of sizes in a pass.
type sizing struct {
	changes []change // in the order of the decision, at most one for each set
	holds   []kplan.Hold
	// moved means that the pass continues the rollout. Removals of unavailable pods do not
	// count if they stop at an old set that reports more available pods than it wants: see
	// [quirk.StatusAheadStopsCleanup].
	moved bool
	// shrinkFirst writes the smaller sizes before the larger ones. The ReplicaSets then never
	// want more pods together, between two writes, than before or after all of them.
	shrinkFirst bool
	failed      bool // the pass ends with an error, without new counts in the status
	// cleaned is the number of unavailable pods removed before a partitioned Deployment is
	// scaled. Upstream leaves them out of status.unavailableReplicas.
	cleaned int64
}

// A change is the next size of a set. If the size is the present one, only the annotations of the
// ReplicaSet are written.
type change struct {
	set       int   // its index in input.sets
	to        int32 // the next size
	unhealthy int32 // how many of the removed pods are removed as unavailable
	reason    kplan.Reason
}

// A draft holds sizes while a pass decides them.
type draft struct {
	in          *input
	sizes       []draftSize // parallel to input.sets
	changed     int32       // the number of sets with a change
	shrinkFirst bool        // as in sizing
}

// A draftSize is the next size of a set, and the change that leads to it.
type draftSize struct {
	to        int32
	unhealthy int32 // as in change
	cleaned   int32 // unavailable pods of the set in sizing.cleaned
	nth       int32 // the position of the change among all changes, from 1; 0 without a change
	reason    kplan.Reason
}

// newDraft returns a draft with the current sizes.
func (in *input) newDraft() draft {
	d := draft{in: in, sizes: make([]draftSize, len(in.sets))}
	for i := range d.sizes {
		d.sizes[i] = draftSize{to: in.sets[i].size}
	}
	return d
}

// resize gives a set a size, but none below the size that Options.Sets lets it keep. If the set
// has the size already, a change is recorded only with refresh and if the annotations are stale:
// it updates them. A size below 0, from a sum that has wrapped around, changes nothing, since the
// API server rejects it.
func (d *draft) resize(i int, to int32, why kplan.Reason, refresh bool) {
	s := &d.sizes[i]
	if 0 <= to && to < s.to && d.in.hasPolicies {
		to = max(to, min(s.to, d.in.leastSize(i)))
	}
	if to < 0 || s.to == to && !(refresh && d.in.annotationsStale(d.in.sets[i].rs.Annotations)) {
		return
	}
	if s.nth == 0 {
		d.changed++
		s.nth = d.changed
	}
	s.to, s.reason = to, why
}

// removeUnavailable removes unavailable pods from old sets: lost[k] pods from old[k].
func (d *draft) removeUnavailable(old []rollout.Set, lost []int32) {
	for k, size := range rollout.Remaining(old, lost) {
		i := old[k].Age
		d.sizes[i].unhealthy += lost[k]
		d.resize(i, size, reason.Unhealthy, false)
	}
}

// removeAvailable removes n further pods from a set, which may be available.
func (d *draft) removeAvailable(i int, n int32) {
	why := reason.RolloutDown
	if i == d.in.newAt {
		why = reason.TakenForOld
	}
	d.resize(i, d.sizes[i].to-n, why, false)
}

// active returns the indexes of the sets that want pods in the draft, oldest first.
func (d *draft) active() []int {
	active := make([]int, 0, len(d.sizes))
	for i := range d.sizes {
		if d.sizes[i].to > 0 {
			active = append(active, i)
		}
	}
	return active
}

// total returns the sum of the drafted sizes of sets.
func (d *draft) total(sets []int) int64 {
	total := int64(0)
	for _, i := range sets {
		total += int64(d.sizes[i].to)
	}
	return total
}

// changes returns the changes in the order of the decision. It leaves out a set whose drafted size
// is its present size, unless its annotations are stale.
func (d *draft) changes() []change {
	return slices.DeleteFunc(d.appendTo(nil), func(c change) bool {
		s := &d.in.sets[c.set]
		return c.to == s.size && !d.in.annotationsStale(s.rs.Annotations)
	})
}

// appendTo appends the changes to a list, in the order of the decision.
func (d *draft) appendTo(changes []change) []change {
	n := len(changes) + int(d.changed)
	changes = slices.Grow(changes, int(d.changed))[:n]
	added := changes[n-int(d.changed):]
	for i := range d.sizes {
		if s := &d.sizes[i]; s.nth > 0 {
			added[s.nth-1] = change{i, s.to, s.unhealthy, s.reason}
		}
	}
	return changes
}

// hold returns a hold of the ReplicaSet with a name, or of the Deployment if the name is empty.
// The comment of each reason in package reason says which numbers have and limit are. A number
// that the comment does not mention is 0.
func hold(name string, why kplan.Reason, have, limit int64) kplan.Hold {
	return kplan.Hold{Name: name, Reason: why, Have: have, Limit: limit}
}
