// SPDX-License-Identifier: Apache-2.0

// Package kube turns Kubernetes API objects into the snapshots that the planners read, and
// planned actions into API objects, patches and delete options. It makes no API calls
// itself: an [Executor] carries out a plan through a [Client], which the caller implements
// with client-go or controller-runtime. Finish of the planner's package then computes the
// new status. Only creations whose outcome is not known are repeated, twice at most: see
// [Retry].
//
// Start with [Snapshot] and [Executor]. One pass of a Deployment:
//
//	objects  --Snapshot-->  deploy.Snapshot  --deploy.Reconcile-->  deploy.Plan
//	                                                                     |
//	API server  <--Client--  Executor.Deployment  <----------------------+
//	     |                          |
//	     |                     deploy.Report  --deploy.Pass.Finish-->  deploy.Result
//	     |                                                             |
//	     +<--Client--  DeploymentStatusRequest  <----------------------+
//
// To read objects there is one function for each kind: [Deployment], [ReplicaSet], [DaemonSet],
// [Pod], [Node], [ControllerRevision], [Template], [LabelSelector]. [Snapshot],
// [ReplicaSetSnapshot], [ReplicationControllerSnapshot] and [DaemonSetSnapshot] return the
// complete input of a planner. [Pods] and [DaemonSetPods] read pods from the list without a
// copy of most of them. [World] returns the start of a simulation. [Default] sets the defaults
// of the API server. Statuses, conditions, selectors, tolerations and numbers of pods can be
// converted in both directions.
//
// To write there is one function for each kind, [DeploymentRequests], [ReplicaSetRequests],
// [ReplicationControllerRequests] and [DaemonSetRequests], for callers that send the writes of
// an action without an Executor. Types and patches of OpenKruise are in package kruise below.
//
// No function changes its arguments. Snapshots share maps, and pointers to numbers, with the
// object, so a snapshot is good until the object changes; objects of an informer's cache never
// do. Objects to write are copies. A nil or missing part is read as empty, or gives an error.
// Objects made up for tests need a name and a UID each, unique within a list, one namespace,
// and owner references whose controller is true.
package kube
