// SPDX-License-Identifier: Apache-2.0

// Package argo converts Rollouts of Argo, as package kube converts workloads of
// Kubernetes. The module of their API is no dependency: the types here have the form of
// that API, decode the API server's objects, ignore unknown fields, and encode objects
// that the API server accepts.
//
// Start with [Snapshot].
//
//	RolloutObject, apps/v1 ReplicaSets, Services  --Snapshot-->  rollout/argo.Snapshot
//	the same, and pods, nodes and quotas       --World-->  rollout/sim/cluster.Snapshot
//	rollout/argo.Plan  --Requests, ToStatus-->  writes
//
// [TemplateHash] and [StepHash] are the controller's hashes of a template and of the steps;
// it names ReplicaSets by the first. A Rollout with the template of another workload gets
// it from [Resolve].
//
// The functions of this package do not change their arguments.
package argo
