// SPDX-License-Identifier: Apache-2.0

// Package kruise does for the objects of OpenKruise what package kube does for those of
// Kubernetes: Rollouts and BatchReleases of OpenKruise Rollouts, what they drive and route,
// Advanced DaemonSets, and updates of pods in place. The modules of their APIs are no
// dependencies: the types here named …Object have the form of the API, decode what the API
// server sends and encode what it accepts.
//
// Start with [Rollout] and [AdvancedDaemonSet].
//
//	RolloutObject       --Rollout-->            rollout/kruise.Rollout
//	BatchReleaseObject  --BatchRelease-->       rollout/batchrelease.Release
//	CloneSetObject      --CloneSet-->           rollout/workload.Workload
//	HTTPRouteObject     --HTTPRoute-->          rollout/traffic.Route
//	apps/v1 DaemonSet, Advanced  --AdvancedDaemonSet-->  daemonset.DaemonSet
//
// [Deployment], [StatefulSet], [AdvancedStatefulSet] and [DaemonSet] give workloads as
// well; [Sets], [Revisions] and [Pods] give what belongs to one; [Service] and [Ingress]
// what carries its traffic. [ToRollout] and [ToBatchRelease] go back. Older versions of the
// API have functions and types of their own, whose names end in V1alpha1.
//
// Outbound there is one function for each action: the file rules.md of package kube has the
// table. They say what to send and leave the call to the caller, for the planners of package
// rollout have no executor yet. Like those of package kube they change no arguments.
package kruise
