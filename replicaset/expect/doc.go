// SPDX-License-Identifier: Apache-2.0

// Package expect keeps a controller from planning with a cache that lacks its own last writes.
// It serves controllers of any type, and the planners of packages replicaset and daemonset. It
// has plain values with JSON, and no clock and no lock.
//
// Start with [Creations], [Deletions] and [Expectations.Satisfied]. Without them, a late cache
// costs pods:
//
//	controller                        API server      cache
//	    │ reads ─────────────────────────────────────> no pods
//	    │ 2 are wanted: creates a, b ──> a b
//	    │                                 │ the watch is late,
//	    │                                 │ another event starts a pass
//	    │ reads ─────────────────────────────────────> no pods
//	    │ 2 are wanted: creates c, d ──> a b c d
//	    │                                 └──────────> a b c d
//	    │ deletes two: perhaps the two that serve
//
// In the same way more pods are deleted than planned. The lines that a reconcile needs, with a
// map of Expectations by owner and a lock around it:
//
//	e := expected.get(owner.UID) // before the pods are read
//	pods := list(owner)
//	if !e.Satisfied(now) { return requeueAfter(e.Remaining(now)) } // plan nothing
//	expected.set(owner.UID, expect.Creations(missing, now)) // or Deletions; before the calls
//	expected.change(owner.UID, func(e expect.Expectations) expect.Expectations { return e.Lower(failed, 0) })
//
// The handlers of pod events call [Expectations.CreationObserved] for a new pod, and
// [Expectations.DeletionObserved] for a pod that gets a deletion timestamp or is gone. The order
// matters: with expectations that are read after the pods, an event between the two lowers them
// although the list lacks its pod. Drop the expectations of an owner that is gone. The Example
// has all of this.
//
// Expectations count creations and deletions. For updates, such as a written status, there are
// two other values:
//
//   - [Versions] compare the last write with the version up to which the cache has read.
//   - [Writes] compare each write with the object in the cache.
//
// # With controller-runtime
//
// Since v0.25 the client of a manager can wait for its cache: the option
// EnableReadYourWritesConsistency of client.CacheOptions, which is experimental and off by
// default. Get then waits until the cache has the earlier writes of this client to the object,
// and List until it has all its writes to the kind: creations, also with generateName, updates
// and patches, also of the status, and deletions. If all reads and writes of your controller go
// through this client, you do not need this package, except in these cases:
//
//   - The cache is limited to several namespaces. It has a watch for each, but the client notes
//     one version for all, and may not wait long enough.
//   - Other writes count: of another client or process, evictions, and writes to a typed object
//     if you read it as unstructured. Or other reads do: from the cache, without the client.
//   - An answer is lost. The client does not wait for a call that returned an error, though it
//     may have been carried out. Expectations wait unless you lower them.
//   - A pass must not hold a worker. The client waits within the read, for the writes to all
//     objects of the kind, until the context ends; without ReconciliationTimeout it has no end.
//     A List waits for an object that the cache never shows, because of its selector or because
//     the object is gone, until a later event of the kind. Expectations are about one owner,
//     return at once, and end after [Timeout].
//   - The resource versions are not numbers. The client then returns an error after the write.
//   - There is no such client: in a plan, a test, a simulation, or with an older release.
package expect
