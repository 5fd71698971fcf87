// SPDX-License-Identifier: Apache-2.0

// Package control has the common parts of all controllers of a simulated cluster.
//
//	store --Look--> view --Worker.Watch--> queue --Step--> Worker.Begin --> pass --> requests
//	                                         ^                                |
//	                                         +--- WakeAt, Retry --------------+
//
// A controller sees the objects up to a version of each kind (view.go), takes one object out of its
// queue at a time (queue.go), plans, and carries the plan out request by request (controller.go).
// After a failure it looks at the object again (queue.go), after 5 ms, 10 ms, 20 ms and so on, as
// client-go's rate limiter of items: replicaset.RetryDelay.
package control
