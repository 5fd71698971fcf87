// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
)

// A sizing holds the changes of sizes in a pass.
type sizing struct {
	changes []change // in the order of the decision, one for each ReplicaSet
	holds   []kplan.Hold[Reason]
	// moved means that the rollout has moved. Changes of a pass that a status ahead of its
	// spec has ended do not count.
	moved bool
	// shrinkFirst writes smaller sizes first, so that no prefix of a scaling wants more
	// pods than the whole.
	shrinkFirst bool
	failed      bool  // the pass ends with an error, without new counts in the status
	cleaned     int64 // removed pods that upstream already subtracts when it counts
}

// A change is the next size of a ReplicaSet. A change to the same size updates its
// annotations.
type change struct {
	set       int   // its number
	to        int32 // pods that it will want
	unhealthy int32 // unavailable pods among the removed ones
	reason    Reason
}

// A draft holds sizes while they are being decided.
type draft struct {
	in      *input
	sizes   []drafted // by set
	changed int32     // how many sets
	// shrinkFirst is copied to the sizing.
	shrinkFirst bool
}

type drafted struct {
	to        int32
	unhealthy int32
	cleaned   int32
	nth       int32 // the place of the change, from 1, or 0 if there is none
	reason    Reason
}

// draft returns a draft with the current sizes.
func (in *input) draft() draft {
	d := draft{in: in, sizes: make([]drafted, len(in.sets))}
	for i := range d.sizes {
		d.sizes[i] = drafted{to: in.sets[i].size}
	}
	return d
}

// resize gives a set a size. If the size is right already, refresh updates its annotations;
// without refresh they stay stale, as upstream leaves them. A size that has wrapped around
// below 0 changes nothing: the API server would refuse it.
func (d *draft) resize(i int, to int32, reason Reason, refresh bool) {
	s := &d.sizes[i]
	if 0 <= to && to < s.to && d.in.byPolicy {
		to = max(to, min(s.to, d.in.keeps(i)))
	}
	if to < 0 || s.to == to && !(refresh && d.in.annotationsStale(d.in.sets[i].rs.Annotations)) {
		return
	}
	if s.nth == 0 {
		d.changed++
		s.nth = d.changed
	}
	s.to, s.reason = to, reason
}

// removeUnavailable removes lost unavailable pods from each set.
func (d *draft) removeUnavailable(old []rollout.Set, lost []int32) {
	for k, size := range rollout.Remaining(old, lost) {
		i := old[k].Age
		d.sizes[i].unhealthy += lost[k]
		d.resize(i, size, ReasonUnhealthy, false)
	}
}

// removeAvailable removes n further pods from a set.
func (d *draft) removeAvailable(i int, n int32) {
	reason := ReasonRolloutDown
	if i == d.in.newAt {
		reason = ReasonTakenForOld
	}
	d.resize(i, d.sizes[i].to-n, reason, false)
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

// changes returns the changes, in order, without reverted ones.
func (d *draft) changes() []change {
	return slices.DeleteFunc(d.addTo(nil), func(c change) bool {
		s := &d.in.sets[c.set]
		return c.to == s.size && !d.in.annotationsStale(s.rs.Annotations)
	})
}

// addTo appends the changes, in order, to a list.
func (d *draft) addTo(changes []change) []change {
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
func hold(name string, reason Reason, have, limit int64) kplan.Hold[Reason] {
	return kplan.Hold[Reason]{Name: name, Reason: reason, Have: have, Limit: limit}
}
