// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A sizing holds the changes of sizes in a pass. A method that returns one decides, and changes
// nothing.
type sizing struct {
	changes []change // in the order of the decision, one for each ReplicaSet
	holds   []kplan.Hold
	// moved means that the rollout has moved. Changes of a pass that a status ahead of its
	// spec has ended do not count.
	moved bool
	// shrinkFirst writes smaller sizes first, so that no prefix of a scaling wants more
	// pods than the whole.
	shrinkFirst bool
	failed      bool  // the pass ends with an error, without new counts in the status
	cleaned     int64 // unavailable pods removed before scaling by partition, which upstream's status no longer counts
}

// A change is the next size of a ReplicaSet. A change to the same size updates its
// annotations.
type change struct {
	set       int   // its index in input.sets
	to        int32 // pods that it will want
	unhealthy int32 // unavailable pods among the removed ones
	reason    kplan.Reason
}

// A draft holds sizes while they are being decided.
type draft struct {
	in      *input
	sizes   []draftSize // by set
	changed int32       // the number of sets with a change
	// shrinkFirst is copied to the sizing.
	shrinkFirst bool
}

// A draftSize is the next size of a set, and the change that leads to it.
type draftSize struct {
	to        int32
	unhealthy int32 // as in change
	cleaned   int32 // unavailable pods removed before scaling by partition
	nth       int32 // the place of the change among all, from 1, or 0 if there is none
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

// resize gives a set a size. If the size is right already, refresh updates its annotations;
// without refresh they stay stale, as upstream leaves them. A size that has wrapped around
// below 0 changes nothing: the API server would refuse it.
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

// removeUnavailable removes unavailable pods from old sets: of each as many as lost has.
func (d *draft) removeUnavailable(old []rollout.Set, lost []int32) {
	for k, size := range rollout.Remaining(old, lost) {
		i := old[k].Age
		d.sizes[i].unhealthy += lost[k]
		d.resize(i, size, reason.Unhealthy, false)
	}
}

// removeAvailable removes n further pods from a set.
func (d *draft) removeAvailable(i int, n int32) {
	why := reason.RolloutDown
	if i == d.in.newAt {
		why = reason.TakenForOld
	}
	d.resize(i, d.sizes[i].to-n, why, false)
}

// active returns the indexes of the sets that want pods, oldest first.
func (d *draft) active() []int {
	active := make([]int, 0, len(d.sizes))
	for i := range d.sizes {
		if d.sizes[i].to > 0 {
			active = append(active, i)
		}
	}
	return active
}

// total returns how many pods the sets want.
func (d *draft) total(sets []int) int64 {
	total := int64(0)
	for _, i := range sets {
		total += int64(d.sizes[i].to)
	}
	return total
}

// changes returns the changes in the order of the decision. A set that has its former size again
// is left out, unless its annotations are stale.
func (d *draft) changes() []change {
	return slices.DeleteFunc(d.appendTo(nil), func(c change) bool {
		s := &d.in.sets[c.set]
		return c.to == s.size && !d.in.annotationsStale(s.rs.Annotations)
	})
}

// appendTo appends the changes, in order, to a list.
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

// hold returns the hold of the ReplicaSet with a name, or of the Deployment if the name is empty.
// The comment of the reason says how have and limit compare; both are 0 if it names neither.
func hold(name string, why kplan.Reason, have, limit int64) kplan.Hold {
	return kplan.Hold{Name: name, Reason: why, Have: have, Limit: limit}
}
