// SPDX-License-Identifier: Apache-2.0

// Package kruise converts objects of OpenKruise, as package kube converts objects of
// Kubernetes: Rollouts and BatchReleases of OpenKruise Rollouts, their workloads, routes
// and Services, Advanced DaemonSets, and in-place updates of pods. The modules of their
// APIs are no dependencies: the types here named …Object have the form of the API, decode
// the API server's objects and encode objects that it accepts.
//
// Start with [Rollout] and [AdvancedDaemonSet].
//
//	RolloutObject       --Rollout-->            rollout/kruise.Rollout
//	BatchReleaseObject  --BatchRelease-->       rollout/batchrelease.Release
//	CloneSetObject      --CloneSet-->           rollout/workload.Workload
//	HTTPRouteObject     --HTTPRoute-->          rollout/traffic.Route
//	apps/v1 DaemonSet, Advanced  --AdvancedDaemonSet-->  daemonset.DaemonSet
//
// [Deployment], [StatefulSet], [AdvancedStatefulSet] and [DaemonSet] return workloads, too;
// [Sets], [Revisions] and [Pods] return the objects of one workload; [Service] and [Ingress]
// return the objects of its traffic. [ToRollout] and [ToBatchRelease] are the inverse. Older
// versions of the API have separate functions and types, named …V1alpha1.
//
// For writes there is one function for each action: see the table in rules.md of package
// kube. The functions return the request and leave the call to the caller, since the
// planners of package rollout have no executor yet. Like the functions of package kube they
// do not change their arguments.
package kruise
