// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"
	"time"
)

// Delays between two deletions of failed pods on a node.
const (
	firstDelay   = time.Second
	longestDelay = 15 * time.Minute
	forgetAfter  = 2 * longestDelay
)

// A BackoffKey identifies a delay. A new observed generation starts without delay.
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

func compareKeys(a, b BackoffKey) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.UID, b.UID))
}

// Sorted returns a copy in order, as the methods need it. Of several entries with one key the
// youngest stays.
func (b Backoff) Sorted() Backoff {
	list := slices.Clone(b)
	slices.SortFunc(list, func(x, y BackoffEntry) int {
		return cmp.Or(compareKeys(x.BackoffKey, y.BackoffKey), y.Since.Compare(x.Since), cmp.Compare(y.Delay, x.Delay))
	})
	return slices.CompactFunc(list, func(x, y BackoffEntry) bool { return x.BackoffKey == y.BackoffKey })
}

func (b Backoff) find(key BackoffKey) (int, bool) {
	return slices.BinarySearchFunc(b, key, func(e BackoffEntry, k BackoffKey) int { return compareKeys(e.BackoffKey, k) })
}

// Until returns the end of the delay that holds at now, and whether one does.
func (b Backoff) Until(key BackoffKey, now time.Time) (time.Time, bool) {
	i, ok := b.find(key)
	if !ok || b[i].stale(now) {
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

// Advance returns the table after a failed pod was deleted: the delay starts with a
// second, and doubles up to 15 minutes until it is forgotten after 30.
func (b Backoff) Advance(key BackoffKey, now time.Time) Backoff {
	next := BackoffEntry{BackoffKey: key, Delay: firstDelay, Since: now}
	i, ok := b.find(key)
	if !ok {
		return slices.Insert(slices.Clone(b), i, next)
	}
	if !b[i].stale(now) {
		next.Delay = longer(b[i].Delay)
	}
	list := slices.Clone(b)
	list[i] = next
	return list
}

func longer(d time.Duration) time.Duration { return 2 * min(max(d, 0), longestDelay/2) }

func (e *BackoffEntry) stale(now time.Time) bool { return now.Sub(e.Since) > forgetAfter }

// Sweep returns the table without entries that are forgotten at now: nil if there are no others.
func (b Backoff) Sweep(now time.Time) Backoff {
	list := slices.DeleteFunc(slices.Clone(b), func(e BackoffEntry) bool { return e.stale(now) })
	if len(list) == 0 {
		return nil
	}
	return list
}

// clone returns a copy: nil if there are no entries.
func (b Backoff) clone() Backoff { return append(Backoff(nil), b...) }

// after returns the table without entries that are forgotten at now, and with the delays that
// start at now, which replace earlier delays of the same keys.
func (b Backoff) after(started []BackoffEntry, now time.Time) Backoff {
	if len(started) == 0 {
		return b.Sweep(now)
	}
	fresh := Backoff(started).Sorted()
	rest := slices.DeleteFunc(b.Sweep(now), func(e BackoffEntry) bool {
		_, replaced := fresh.find(e.BackoffKey)
		return replaced
	})
	return append(rest, fresh...).Sorted()
}
