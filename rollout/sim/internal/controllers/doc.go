// SPDX-License-Identifier: Apache-2.0

// Package controllers has the controllers of a simulated cluster: one file for each kind, which
// plans with the planner of that kind, and carries the plan out.
//
//	deployment.go   deploy          replicaset.go  replicaset      daemonset.go  daemonset
//	set.go          podset          kruise.go      rollout/kruise  batch.go      rollout/batchrelease
//	argo.go         rollout/argo    own.go         controllers of the caller
//	collector.go    garbage collection
//
// To add a controller, write a control.Worker, give it a Role and, if its objects are new, a Kind and a
// Table of package store, and start it in start.go.
package controllers
