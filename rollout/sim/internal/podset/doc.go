// SPDX-License-Identifier: Apache-2.0

// Package podset plans the passes of the controllers of CloneSets and StatefulSets, of OpenKruise
// and of Kubernetes. It serves simulations of releases on top of them; the packages below rollout
// plan the releases.
//
// Start with [Reconcile], a pass of the controller of a set:
//
//	cluster.Set, its pods --Reconcile--> actions, the next status, when to look again
//
// The rules of a CloneSet. A pass either scales or updates:
//
//   - A partition is the number of pods that stay old. A percentage is rounded up, but never to
//     all of several pods unless it is 100%.
//   - With a surge new pods come first: one for each pod to update or to delete, up to the
//     surge. Without a surge a percentage of unavailable pods is rounded up.
//   - An update without a restart in place marks a pod, and a later pass deletes marked pods.
//     Ready ones among them are limited by the unavailable pods that are allowed.
//
// The rules of StatefulSets:
//
//   - Pods with ordinals below the partition stay old, or return to the old revision. OpenKruise
//     may update pods in any order, and then the partition counts pods.
//   - A set that is not parallel does one thing at a time, and waits for each pod to be
//     available before it looks at the next.
//   - Pods are updated from the highest ordinal down. Kubernetes waits for each one, but in a
//     parallel set it updates all unavailable pods at once. OpenKruise updates unavailable pods
//     and as many available ones as its limit allows.
package podset
