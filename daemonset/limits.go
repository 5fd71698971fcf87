// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"math"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// A Budget limits the changes of a rolling update at one time. If Surge is not 0, Unavailable is
// ignored.
type Budget struct {
	Desired     int32 `json:"desired"`     // nodes that should run a pod
	Surge       int32 `json:"surge"`       // nodes with a second pod
	Unavailable int32 `json:"unavailable"` // nodes without an available pod
}

// Resolve returns the limits of a DaemonSet as numbers of nodes. Both are rounded up, and if both
// are 0, Unavailable is 1, unless no node is desired. Unset limits are 0. With [OnDelete] both
// limits count as unset.
func Resolve(s Strategy, surge, unavailable rollout.IntOrPercent, desired int32) Budget {
	if s != RollingUpdate && s != "" {
		surge, unavailable = rollout.IntOrPercent{}, rollout.IntOrPercent{}
	}
	above, below := rollout.ResolveNodes(desired, surge, unavailable)
	return Budget{Desired: desired, Surge: above, Unavailable: below}
}

// SurgeAllowed reports whether a node may have a second pod during an update: the surge, as a share
// of one node, is not 0.
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

// shareBase returns the number of nodes that the partition and the burst are shares of: the desired
// nodes in the last status or, with quirk.SharesOfLastStatus repaired, in this pass.
func (st *state) shareBase() int32 {
	if st.opts.Repair.Has(quirk.SharesOfLastStatus) {
		return st.desired
	}
	return st.ds.Status.DesiredNumberScheduled
}

// burst returns how many pods may be created, deleted or updated in place at once.
func (st *state) burst() int {
	b := Burst(st.ds.Burst, st.shareBase())
	if b == 0 && st.opts.Repair.Has(quirk.BurstRoundsToZero) && st.ds.Burst.OfUp(1) > 0 {
		return 1 // otherwise nothing would ever be written
	}
	return int(b)
}

// inOrder returns how many of the pods that an update may delete have to be sorted: the burst,
// since further pods are only counted. With a PreDelete hook all pods have to be sorted, because the
// burst does not limit how many pods are marked for the hook. So do all pods with updates in place,
// because some of them cannot be updated in place.
func (st *state) inOrder() int {
	if st.ds.PreDelete != nil || st.ds.RollingType == InPlaceIfPossible {
		return math.MaxInt
	}
	return st.burst()
}

// reserved returns the partition: the number of nodes that are not updated.
func (st *state) reserved() int32 { return max(st.ds.Partition.Of(st.shareBase()), 0) }

// A cause is a hold of the DaemonSet as a whole, with Have and Limit of the hold. Without a reason
// there is no hold.
type cause struct {
	reason      kplan.Reason
	have, limit int64
}

// changes are the pods that one step of a pass creates and deletes, cut to the burst.
type changes struct {
	marks           []Deletion // pods to mark for the PreDelete hook
	create          []int32    // nodes that get a pod
	remove          []Deletion
	tooManyToCreate cause
	tooManyToRemove cause
}

func (c *changes) any() bool { return len(c.create)+len(c.remove) > 0 }

// limited returns the changes of a step, without the deletions that the hook holds, and cut to the
// burst. Before are the pods that an earlier step of the pass has found held by the hook.
func (st *state) limited(create []int32, remove, before []Deletion) (c changes) {
	remove, c.marks = st.unheld(remove, before)
	b := st.burst()
	c.tooManyToCreate, c.tooManyToRemove = overBurst(len(create), b), overBurst(len(remove), b)
	c.create, c.remove = create[:min(b, len(create))], remove[:min(b, len(remove))]
	return c
}

// overBurst returns the cause of n creations or deletions if they exceed the burst.
func overBurst(n, burst int) (c cause) {
	if n > burst {
		c = cause{reason.Burst, int64(n), int64(burst)}
	}
	return c
}

// unheld returns the deletions of pods that the hook does not hold, and as marks the deletions of
// pods that it holds and that are not in before. Marks are not limited by the burst.
func (st *state) unheld(remove, before []Deletion) (allowed, marks []Deletion) {
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
			allowed = append(allowed, d)
		} else if !known[d.Pod.Name] {
			known[d.Pod.Name] = true
			marks = append(marks, d)
		}
	}
	return allowed, marks
}
