// SPDX-License-Identifier: Apache-2.0

// Package beside compares the simulated cluster of rollout/sim with a real one: a real API server with the
// real controllers. It contains only tests.
//
// A scenario runs in both at once. The world leads: whenever its scheduler binds a pod, or one of its kubelets
// says that a pod is ready or gone, the test does the same with a real pod. Before it does, and before each
// change by users, both have come to rest, and all sizes must be equal:
//
//	world    --bound, ready, gone--> Observe --compare, then the same--> real pods
//	scenario --apply, evict, lose a node-------------------------------> both
//	real     --which of equal pods went--> plans of the world
//
// So one thing changes at a time, and what the controllers make of it is determined, but for which of several
// equal pods go, and on which of several equal nodes a DaemonSet adds new ones first: there the world follows the
// real cluster. That has no scheduler: the filters of Kubernetes say whether a pod fits the node of the world, and
// that is to be the one with the most room.
//
// Scenarios leave out what no order determines: who of several gets what of a quota, and what StatefulSets of a
// world do not know, maxUnavailable and ordinals.start.
package beside
