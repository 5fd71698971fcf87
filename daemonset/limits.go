// SPDX-License-Identifier: Apache-2.0

package daemonset

import "math"

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
