// SPDX-License-Identifier: Apache-2.0

// Package cluster has the types of a simulated cluster: a [Snapshot] of it, nodes, and the
// properties of a pod template for the scheduler and nodes. Other objects are types of the
// planners' packages.
//
//	Snapshot --- Nodes ............... room, zone, taints
//	         |-- Templates ........... requests, ports, affinity, times of pods
//	         |-- Deployments, ReplicaSets, ReplicationControllers, DaemonSets, Sets,
//	         |   Rollouts, ArgoRollouts, Objects
//	         |-- Pods, DaemonPods, Revisions
//	        `-- Budgets, Quotas ..... limits of evictions and of new pods
//
// They are plain values with JSON. Package sim makes a world of them.
package cluster
