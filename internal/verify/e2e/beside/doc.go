// SPDX-License-Identifier: Apache-2.0

// Package beside compares the simulated cluster of rollout/sim with a real one: a real API server
// with the real controllers. It contains only tests.
//
// A scenario runs in both at once. The world leads: whenever its scheduler binds a pod, or one of
// its kubelets reports a pod as ready or gone, the test does the same with a real pod. Before that,
// and before each change by users, both clusters must have come to rest with equal sizes:
//
//	world    --bound, ready, gone--> Observe --compare, then the same--> real pods
//	scenario --apply, evict, lose a node-------------------------------> both
//	real     --which of equal pods went--> plans of the world
//
// So one thing changes at a time, and the reaction of the controllers is determined, except for two
// choices: the victims among equal pods, and the first of equal nodes on which a DaemonSet surges.
// There the world follows the real cluster. The real cluster has no scheduler: the filters of
// Kubernetes check that a pod fits the node of the world, which must be the node with the most
// room.
//
// Scenarios leave out results that depend on the order of events, such as the shares of several
// workloads in a quota, and fields that StatefulSets of a world do not support: maxUnavailable and
// ordinals.start.
package beside
