// SPDX-License-Identifier: Apache-2.0

// Package store holds the objects of a simulated cluster with their recent past.
//
//	apiserver, life --Insert, Replace, Remove-> Table --+--> watchers  (told of each write at once)
//	                                                    +--> log       (read by controllers later)
//	controllers ------Since, GetAt, OfAt------> Table as of a version
//
// A stored object is never written to: a change stores another object in its place, so that a
// reader may keep the objects that it has read. Each write has its own version, and tables show their
// objects at an earlier version, as far as they remember, as a stale cache does.
package store
