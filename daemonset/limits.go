// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"math"

	"github.com/kplan-go/kplan/rollout"
)

// A Budget limits the changes of a rolling update at one time. Surge comes first: if it is not
// 0, Unavailable is not looked at.
type Budget struct {
	Desired     int32 `json:"desired"`     // nodes that should run a pod
	Surge       int32 `json:"surge"`       // nodes with a second pod
	Unavailable int32 `json:"unavailable"` // nodes without an available pod
}

// Resolve turns the limits of a DaemonSet into nodes: both are rounded up, and if both
// come out as 0 for any nodes at all, unavailable is 1. Unset limits are 0. With
// [OnDelete] neither counts.
func Resolve(s Strategy, surge, unavailable rollout.IntOrPercent, desired int32) Budget {
	if s != RollingUpdate && s != "" {
		surge, unavailable = rollout.IntOrPercent{}, rollout.IntOrPercent{}
	}
	above, below := rollout.ResolveNodes(desired, surge, unavailable)
	return Budget{Desired: desired, Surge: above, Unavailable: below}
}

// SurgeAllowed reports whether a node may have one pod too many during an update: the surge of
// one node is not 0.
func SurgeAllowed(s Strategy, surge rollout.IntOrPercent) bool {
	return (s == RollingUpdate || s == "") && surge.OfUp(1) > 0
}

const defaultBurst = 250

// Burst returns how many pods a plan may create, how many it may delete, and how many
// it may update in place: a share of desired, rounded down, and 250 if it is unset.
func Burst(burst rollout.IntOrPercent, desired int32) int32 {
	if burst.IsZero() {
		return defaultBurst
	}
	return max(burst.Of(desired), 0)
}

// SlowStart returns the size of the batch of creations after a batch of size previous (0 at
// the start), if left creations remain: 1, then twice the previous size. All creations of a
// batch run at once. If one of them fails and some remain, stop: the next plan goes on.
//
//	SlowStart(0, 10) // 1, then 2, 4 and the 3 that are left
func SlowStart(previous, left int) int {
	left = max(left, 0)
	if previous <= 0 {
		return min(1, left)
	}
	return previous + min(previous, left-previous)
}

// base returns the number of nodes that percentages are shares of: the desired nodes of the
// last status, or if [SharesOfLastStatus] is repaired the nodes desired now.
func (st *state) base() int32 {
	if st.opts.Repair.Has(SharesOfLastStatus) {
		return st.desired
	}
	return st.ds.Status.DesiredNumberScheduled
}

// burst returns how many pods may be created, deleted or updated in place at once.
func (st *state) burst() int {
	b := Burst(st.ds.Burst, st.base())
	if b == 0 && st.opts.Repair.Has(BurstRoundsToZero) && st.ds.Burst.OfUp(1) > 0 {
		return 1 // otherwise nothing would ever be written
	}
	return int(b)
}

// inOrder returns how many of the pods that an update may delete have to be sorted: pods
// beyond the burst are only counted, unless they are updated in place or marked.
func (st *state) inOrder() int {
	if st.ds.PreDelete != nil || st.ds.RollingType == InPlaceIfPossible {
		return math.MaxInt
	}
	return st.burst()
}

// reserved returns the number of nodes on which old pods stay.
func (st *state) reserved() int32 { return max(st.ds.Partition.Of(st.base()), 0) }

// A cause is the reason why pods or nodes wait, with the two numbers that it compares. Without
// a reason nothing waits.
type cause struct {
	reason      Reason
	have, limit int64
}

// changes are the pods that one step of a pass creates and deletes, cut to the burst.
type changes struct {
	marks           []Deletion // the hook holds these pods
	create          []int32    // nodes that get a pod
	remove          []Deletion
	tooManyToCreate cause
	tooManyToRemove cause
}

func (c *changes) any() bool { return len(c.create)+len(c.remove) > 0 }

// limited returns the changes to write now. Before are the pods that an earlier step of the
// pass has found held by the hook.
func (st *state) limited(create []int32, remove, before []Deletion) (c changes) {
	remove, c.marks = st.free(remove, before)
	b := st.burst()
	c.tooManyToCreate, c.tooManyToRemove = beyond(len(create), b), beyond(len(remove), b)
	c.create, c.remove = create[:min(b, len(create))], remove[:min(b, len(remove))]
	return c
}

func beyond(n, burst int) (c cause) {
	if n > burst {
		c = cause{ReasonBurst, int64(n), int64(burst)}
	}
	return c
}

// free returns the wanted deletions that may happen, and the pods that the hook holds and that
// are not in before. Marks are not limited by the burst.
func (st *state) free(remove, before []Deletion) (free, marks []Deletion) {
	hook := st.ds.PreDelete
	if hook == nil {
		return remove, nil
	}
	known := make(map[string]bool, len(before))
	for _, d := range before {
		known[d.Pod.Name] = true
	}
	for _, d := range remove {
		if !hook.Holds(d.Pod) {
			free = append(free, d)
		} else if !known[d.Pod.Name] {
			known[d.Pod.Name] = true
			marks = append(marks, d)
		}
	}
	return free, marks
}
