// SPDX-License-Identifier: Apache-2.0

// Package podset says what the controllers of CloneSets and StatefulSets do next: those of
// OpenKruise, and of Kubernetes. It serves simulations of releases over them; what a release
// itself does is planned by the packages below rollout.
//
// Start with [Reconcile], a pass of the controller that the kind of a set has:
//
//	cluster.Set, its pods --Reconcile--> actions, the next status, when to look again
//
// The rules of a CloneSet, of which a pass either scales or updates:
//
//   - A partition is how many pods stay old. A percentage is rounded up, and lets one of
//     several go unless it is 100%.
//   - With a surge new pods come first: as many as there are pods to update and to delete,
//     up to the surge. Without one a share of unavailable pods is rounded up.
//   - An update without a restart in place marks a pod, and a later pass deletes the marked
//     ones, of which as many may be ready as may become unavailable.
//
// The rules of StatefulSets:
//
//   - Pods with ordinals below the partition stay old, and are made old again. Those of
//     OpenKruise may be updated in any order, and then the partition counts pods.
//   - A set that is not parallel does one thing at a time, and waits for each pod to be
//     available before it looks at the next.
//   - Pods are updated from the highest ordinal down. Kubernetes waits for each one, but
//     updates all pods of a parallel set at once that are unavailable anyway; OpenKruise
//     lets as many be unavailable as the limit says, and updates those that are
//     unavailable anyway.
package podset
