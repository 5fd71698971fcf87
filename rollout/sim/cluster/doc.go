// SPDX-License-Identifier: Apache-2.0

// Package cluster has the nouns of a simulated cluster: a [Snapshot] of it, nodes, and the meaning
// of a pod template to the scheduler and to nodes. Other objects are types of the planners' packages.
//
//	Snapshot --- Nodes ............... room, zone, taints
//	         |-- Templates ........... requests, ports, affinity, times of pods
//	         |-- Deployments, ReplicaSets, ReplicationControllers, DaemonSets, Sets,
//	         |   Rollouts, ArgoRollouts, Objects
//	         |-- Pods, DaemonPods, Revisions
//	         `-- Budgets, Quotas ..... what evictions and new pods are refused by
//
// They are plain values with JSON. Package sim makes a world of them.
package cluster
