// SPDX-License-Identifier: Apache-2.0

// Package cluster has the nouns of a simulated cluster: what a [Snapshot] holds beside the
// objects of the planners' packages, and what a pod template means to the scheduler and to nodes.
//
//	Snapshot --- Nodes ............... room, zone, taints
//	         |-- Templates ........... requests, ports, affinity, times of pods
//	         |-- Deployments, ReplicaSets, DaemonSets, Sets, Rollouts, ArgoRollouts, Objects
//	         |-- Pods, DaemonPods, Revisions
//	         `-- Budgets, Quotas ..... what refuses
//
// They are plain values with JSON. Package sim makes a world of them.
package cluster
