// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"slices"
	"time"
)

// Timeout is how long [Expectations.Satisfied] waits for writes that the cache does not show.
//
// It is ExpectationsTimeout of the controller package of Kubernetes 1.37.
const Timeout = 5 * time.Minute

// Expectations are the creations and deletions that were requested for one owner and that the
// cache has not shown yet. The zero Expectations expect nothing. A method does not change its
// receiver: it returns the new expectations.
//
// They mirror UIDTrackingControllerExpectations of the controller package of Kubernetes 1.37
// for one controller.
type Expectations struct {
	Creations int64     `json:"creations,omitzero"` // negative if more were observed than requested
	Deletions int64     `json:"deletions,omitzero"`
	Pending   []string  `json:"pending,omitempty"` // keys of the objects to be deleted, sorted; see [Deletions]
	At        time.Time `json:"at,omitzero"`       // when they were set; zero if nothing is expected
}

// Creations returns the expectation of n creations, with now as the start of the timeout. Store
// the result in place of earlier expectations.
func Creations(n int64, now time.Time) Expectations {
	return Expectations{Creations: n, At: now.Round(0).UTC()}
}

// Deletions returns the expectation that the objects with these keys are deleted, with now as
// the start of the timeout. Store the result in place of earlier expectations. To expect
// creations as well, add [Expectations.Raise].
//
// The keys are the names of the objects, or their UIDs if an object with the same name may be
// created before the cache shows the deletion. A key counts once, because the cache may show a
// deletion twice: when the object gets its deletion timestamp, and when it is gone.
func Deletions(keys []string, now time.Time) Expectations {
	pending := slices.Clone(keys)
	slices.Sort(pending)
	pending = slices.Compact(pending)
	return Expectations{Deletions: int64(len(pending)), Pending: pending, At: now.Round(0).UTC()}
}

// CreationObserved returns the expectations after the creation of an object was observed.
func (e Expectations) CreationObserved() Expectations { return e.Lower(1, 0) }

// DeletionObserved returns the expectations after the deletion of the object with this key was
// observed. If no such deletion is expected, nothing changes.
func (e Expectations) DeletionObserved(key string) Expectations {
	i, pending := slices.BinarySearch(e.Pending, key)
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

// Expired reports whether the expectations are older than timeout, fulfilled or not. Use it in
// place of Satisfied if [Timeout] is not the right limit for your objects:
//
//	e.Fulfilled() || e.Expired(now, time.Minute)
//
// Expectations with a zero At have expired.
func (e Expectations) Expired(now time.Time, timeout time.Duration) bool {
	return e.At.IsZero() || now.Sub(e.At) > timeout
}

// Satisfied reports whether the controller may plan: the expectations are fulfilled, or older
// than [Timeout].
//
// It mirrors SatisfiedExpectations of the controller package of Kubernetes 1.37.
func (e Expectations) Satisfied(now time.Time) bool {
	return e.Fulfilled() || e.Expired(now, Timeout)
}

// Remaining returns the time from now until [Timeout] has passed, or 0 if the expectations are
// satisfied.
func (e Expectations) Remaining(now time.Time) time.Duration {
	if e.Satisfied(now) {
		return 0
	}
	return e.Expiry().Sub(now)
}

// Expiry returns the first instant at which the expectations are older than [Timeout].
func (e Expectations) Expiry() time.Time { return e.At.Add(Timeout + 1) }

// Outstanding returns the number of expected writes that have not been observed, even if they
// are older than [Timeout].
func (e Expectations) Outstanding() int64 {
	if e.Fulfilled() {
		return 0
	}
	return max(e.Creations, 0) + max(e.Deletions, 0)
}

// Equal reports whether two expectations are the same.
func (e Expectations) Equal(other Expectations) bool {
	return e.Creations == other.Creations && e.Deletions == other.Deletions && e.At.Equal(other.At) &&
		slices.Equal(e.Pending, other.Pending)
}
