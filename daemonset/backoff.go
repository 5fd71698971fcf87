// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"time"
)

// The delays between two deletions of failed pods on a node, and the time after which a delay is
// forgotten.
const (
	firstDelay   = time.Second
	longestDelay = 15 * time.Minute
	forgetAfter  = 2 * longestDelay
)

// A BackoffKey identifies a delay. With the generation in it, each new observed generation starts
// without delay.
type BackoffKey struct {
	UID        string `json:"uid"`        // of the DaemonSet
	Generation int64  `json:"generation"` // its status.observedGeneration
	Node       string `json:"node"`
}

// A BackoffEntry is the delay after a failed pod was deleted.
type BackoffEntry struct {
	BackoffKey
	Delay time.Duration `json:"delay"`
	Since time.Time     `json:"since"` // when the pod was deleted
}

// A Backoff is the table of delays of failed pods, by node. It is a value: its methods return
// a new one. It is sorted by key, and the zero Backoff is empty.
type Backoff []BackoffEntry

// compareBackoffKeys orders keys by node, generation and UID.
func compareBackoffKeys(a, b BackoffKey) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.UID, b.UID))
}

// Sorted returns a sorted copy, which the other methods need. Of several entries with one key the
// latest stays.
func (b Backoff) Sorted() Backoff {
	list := slices.Clone(b)
	slices.SortFunc(list, func(x, y BackoffEntry) int {
		return cmp.Or(compareBackoffKeys(x.BackoffKey, y.BackoffKey), y.Since.Compare(x.Since), cmp.Compare(y.Delay, x.Delay))
	})
	return slices.CompactFunc(list, func(x, y BackoffEntry) bool { return x.BackoffKey == y.BackoffKey })
}

func (b Backoff) find(key BackoffKey) (int, bool) {
	return slices.BinarySearchFunc(b, key, func(e BackoffEntry, k BackoffKey) int { return compareBackoffKeys(e.BackoffKey, k) })
}

// Until returns the end of the delay that holds at now, and whether one does.
func (b Backoff) Until(key BackoffKey, now time.Time) (time.Time, bool) {
	i, ok := b.find(key)
	if !ok || b[i].forgotten(now) {
		return time.Time{}, false
	}
	end := b[i].Since.Add(b[i].Delay)
	return end, now.Before(end)
}

// Delay returns the delay of a key, 0 if it has none.
func (b Backoff) Delay(key BackoffKey) time.Duration {
	if i, ok := b.find(key); ok {
		return b[i].Delay
	}
	return 0
}

// Advance returns the table after a failed pod was deleted: the delay of the key is one second at
// first, then twice the delay before, up to 15 minutes. A delay is forgotten 30 minutes after the
// last deletion.
func (b Backoff) Advance(key BackoffKey, now time.Time) Backoff {
	next := BackoffEntry{BackoffKey: key, Delay: firstDelay, Since: now}
	i, ok := b.find(key)
	if !ok {
		return slices.Insert(slices.Clone(b), i, next)
	}
	if !b[i].forgotten(now) {
		next.Delay = doubled(b[i].Delay)
	}
	list := slices.Clone(b)
	list[i] = next
	return list
}

// doubled returns the delay after d.
func doubled(d time.Duration) time.Duration { return 2 * min(max(d, 0), longestDelay/2) }

// forgotten reports whether the last deletion was too long ago to matter.
func (e *BackoffEntry) forgotten(now time.Time) bool { return now.Sub(e.Since) > forgetAfter }

// Sweep returns the table without entries that are forgotten at now: nil if there are no others.
func (b Backoff) Sweep(now time.Time) Backoff {
	list := slices.DeleteFunc(slices.Clone(b), func(e BackoffEntry) bool { return e.forgotten(now) })
	if len(list) == 0 {
		return nil
	}
	return list
}

// clone returns a copy: nil if there are no entries.
func (b Backoff) clone() Backoff { return append(Backoff(nil), b...) }

// withStarted returns the table without entries that are forgotten at now, and with the delays that
// start at now, which replace earlier delays of the same keys.
func (b Backoff) withStarted(started []BackoffEntry, now time.Time) Backoff {
	if len(started) == 0 {
		return b.Sweep(now)
	}
	added := Backoff(started).Sorted()
	rest := slices.DeleteFunc(b.Sweep(now), func(e BackoffEntry) bool {
		_, replaced := added.find(e.BackoffKey)
		return replaced
	})
	return append(rest, added...).Sorted()
}
