// SPDX-License-Identifier: Apache-2.0

// Package kube turns Kubernetes API objects into the snapshots that the planners
// read, and planned actions into API objects, patches and delete options. It makes no
// API calls of its own: an [Executor] carries out a plan through a [Client], which whoever
// calls it makes of client-go or controller-runtime, and Finish of the package that made
// the plan tells what follows. Nothing but creations whose outcome is not known is
// repeated, and these twice at most: see [Retry].
//
// Start with [Snapshot] and [Executor]. One pass of a Deployment:
//
//	objects  --Snapshot-->  deploy.Snapshot  --deploy.Reconcile-->  deploy.Plan
//	                                                                     |
//	API server  <--Client--  Executor.Deployment  <----------------------+
//	     |                          |
//	     |                     deploy.Report  --deploy.Finish-->  deploy.Result
//	     |                                                             |
//	     +<--Client--  DeploymentStatusRequest  <----------------------+
//
// Inbound there is one function for each noun: [Deployment], [ReplicaSet], [DaemonSet],
// [Pod], [Node], [ControllerRevision], [Template], [LabelSelector], and [Snapshot],
// [ReplicaSetSnapshot], [ReplicationControllerSnapshot] and [DaemonSetSnapshot] for all
// that a planner reads at once. [Pods] and [DaemonSetPods] are pods that are read where they
// are, without a copy of most of them. [World] is what a simulation starts from. [Default] fills in what an API server would.
// Statuses, conditions, selectors, tolerations and numbers of pods have conversions with a
// way back.
//
// Outbound there is one function for each kind, [DeploymentRequests], [ReplicaSetRequests],
// [ReplicationControllerRequests] and [DaemonSetRequests], for those who send the writes of
// an action themselves. What OpenKruise has, and Kubernetes has not, is in package kruise
// below.
//
// No function changes its arguments. Inbound functions share maps, and pointers to
// numbers, with the object, so a snapshot is good until the object changes; objects of an
// informer's cache never do. Outbound functions copy. What is nil or missing is read as
// empty, or gives an error. Objects made up for tests need a name and a UID each, unique
// within a list, one namespace, and owner references whose controller is true.
package kube
