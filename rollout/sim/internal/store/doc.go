// SPDX-License-Identifier: Apache-2.0

// Package store holds the objects of a simulated cluster with their recent past.
//
//	api, life, nodes --Insert, Replace, Remove--> Table --+--> watchers  (told of each write at once)
//	                                                      +--> log       (read by controllers later)
//	controllers      --Since, GetAt, OfAt---------------> Table as of a version
//
// A stored object is never written to: a change stores another object in its place, so that a
// reader keeps what it has read. Each write has a version of its own, and tables tell what they
// held at an earlier version, as far as they remember. That is what a stale cache shows.
package store
