// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"
	"slices"
	"time"
)

// ExpectationTimeout is how long [Reconcile] waits for writes that the cache does not show.
const ExpectationTimeout = 5 * time.Minute

// Expectations are the requested creations and deletions that the cache has not shown yet.
// The zero Expectations expect nothing. A method does not change its receiver: it returns the
// new expectations.
//
// They mirror UIDTrackingControllerExpectations of the controller package of
// Kubernetes for one controller.
type Expectations struct {
	Creations int64     `json:"creations,omitzero"` // negative if more were observed than requested
	Deletions int64     `json:"deletions,omitzero"`
	Pending   []string  `json:"pending,omitempty"` // names of the pods to be deleted, sorted
	At        time.Time `json:"at,omitzero"`       // when they were set; zero if nothing is expected
}

// ExpectCreations returns the expectation of n creations, with now as the start of the
// timeout. Store the result in place of earlier expectations.
func ExpectCreations(n int64, now time.Time) Expectations {
	return Expectations{Creations: n, At: now.Round(0).UTC()}
}

// ExpectDeletions returns the expectation that the pods with these names are deleted, with
// now as the start of the timeout. Store the result in place of earlier expectations. A name
// counts once, because the cache may show a deletion twice: when the pod gets its deletion
// timestamp, and when it is gone.
func ExpectDeletions(names []string, now time.Time) Expectations {
	pending := slices.Clone(names)
	slices.Sort(pending)
	pending = slices.Compact(pending)
	return Expectations{Deletions: int64(len(pending)), Pending: pending, At: now.Round(0).UTC()}
}

// CreationObserved returns the expectations after the creation of a pod was observed.
func (e Expectations) CreationObserved() Expectations { return e.Lower(1, 0) }

// DeletionObserved returns the expectations after the deletion of the pod with this name was
// observed. If no such deletion is expected, nothing changes.
func (e Expectations) DeletionObserved(name string) Expectations {
	i, pending := slices.BinarySearch(e.Pending, name)
	if !pending {
		return e
	}
	e.Pending = slices.Delete(slices.Clone(e.Pending), i, i+1)
	if len(e.Pending) == 0 {
		e.Pending = nil
	}
	return e.Lower(0, 1)
}

// Lower returns the expectations minus this many creations and deletions. It does not change
// Pending. Expectations with a zero At stay as they are.
func (e Expectations) Lower(creations, deletions int64) Expectations {
	if !e.At.IsZero() {
		e.Creations -= creations
		e.Deletions -= deletions
	}
	return e
}

// Raise returns the expectations plus this many creations and deletions: the opposite of Lower.
func (e Expectations) Raise(creations, deletions int64) Expectations {
	return e.Lower(-creations, -deletions)
}

// Fulfilled reports whether all expected writes have been observed.
func (e Expectations) Fulfilled() bool {
	return e.At.IsZero() || e.Creations <= 0 && e.Deletions <= 0
}

// Satisfied reports whether the planner may continue: the expectations are fulfilled, or
// older than [ExpectationTimeout].
func (e Expectations) Satisfied(now time.Time) bool {
	return e.Fulfilled() || now.Sub(e.At) > ExpectationTimeout
}

// Remaining returns the time from now until the expectations time out, or 0 if they are
// satisfied.
func (e Expectations) Remaining(now time.Time) time.Duration {
	if e.Satisfied(now) {
		return 0
	}
	return e.expiry().Sub(now)
}

// expiry returns the first instant at which the expectations have timed out.
func (e Expectations) expiry() time.Time { return e.At.Add(ExpectationTimeout + 1) }

// outstanding returns the number of expected writes that have not been observed, even if they
// have timed out.
func (e Expectations) outstanding() int64 {
	if e.Fulfilled() {
		return 0
	}
	return max(e.Creations, 0) + max(e.Deletions, 0)
}

// Equal reports whether two expectations are the same.
func (e Expectations) Equal(other Expectations) bool {
	return cmp.Or(cmp.Compare(e.Creations, other.Creations), cmp.Compare(e.Deletions, other.Deletions), e.At.Compare(other.At)) == 0 &&
		slices.Equal(e.Pending, other.Pending)
}
