// SPDX-License-Identifier: Apache-2.0

// Package argo does for the Rollouts of Argo what package kube does for the workloads of
// Kubernetes. The module of their API is no dependency: the types here have the form of
// that API, decode what the API server sends, pass over what they do not know, and encode
// what it accepts.
//
// Start with [Snapshot].
//
//	RolloutObject, apps/v1 ReplicaSets, Services  --Snapshot-->  rollout/argo.Snapshot
//	the same, and pods, nodes and quotas       --World-->  rollout/sim/cluster.Snapshot
//	rollout/argo.Plan  --Requests, ToStatus-->  what to send
//
// [TemplateHash] and [StepHash] are the hashes by which the controller knows a template and
// the steps, and names ReplicaSets. A Rollout that has the template of another workload
// gets it from [Resolve].
//
// Nothing here changes its arguments.
package argo
