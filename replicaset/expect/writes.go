// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"maps"
	"time"
)

// Writes are the versions that a controller has written of objects, until its cache shows them.
// Keep one for each owner, with the owner and its children in it. While it is not empty, do not
// plan. The keys are the UIDs of the objects, or their names. A nil Writes is empty. A method
// does not change its receiver: it returns the new writes, which may be the receiver if nothing
// changes.
//
// Unlike [Versions] they need no version up to which the cache has read, and so serve caches of
// several namespaces and old releases of client-go. An object that is deleted before the cache
// shows it never shows: call Forget when its deletion is observed, and Expire.
type Writes[K comparable] map[K]Write

// A Write is a version that was written.
type Write struct {
	Version string    `json:"version"`
	At      time.Time `json:"at"` // when it was written
}

// Wrote returns the writes after the object with the key was written, with its new version. The
// later of two versions of an object counts, or the last one if they do not compare.
func (w Writes[K]) Wrote(key K, version string, now time.Time) Writes[K] {
	if old, ok := w[key]; ok && later(old.Version, version) == old.Version {
		return w
	}
	next := make(Writes[K], len(w)+1)
	maps.Copy(next, w)
	next[key] = Write{version, now.Round(0).UTC()}
	return next
}

// Observed returns the writes after the cache showed the object with the key in a version. The
// write of the object is dropped, unless that version is older.
func (w Writes[K]) Observed(key K, version string) Writes[K] {
	c, compare := CompareVersions(version, w[key].Version)
	if compare && c < 0 {
		return w
	}
	return w.Forget(key)
}

// Forget returns the writes without the object with the key, which is gone.
func (w Writes[K]) Forget(key K) Writes[K] {
	if _, ok := w[key]; !ok {
		return w
	}
	return w.without(func(k K, _ Write) bool { return k == key })
}

// Expire returns the writes that are not older than timeout.
func (w Writes[K]) Expire(now time.Time, timeout time.Duration) Writes[K] {
	return w.without(func(_ K, o Write) bool { return now.Sub(o.At) > timeout })
}

// without returns the writes that drop does not select.
func (w Writes[K]) without(drop func(K, Write) bool) Writes[K] {
	next := maps.Clone(w)
	maps.DeleteFunc(next, drop)
	if len(next) == 0 {
		return nil
	}
	return next
}
