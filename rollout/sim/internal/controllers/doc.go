// SPDX-License-Identifier: Apache-2.0

// Package controllers has the controllers of a simulated cluster: one file for each kind, which
// plans with the planner of that kind, and carries the plan out.
//
//	deployment.go   deploy          replicaset.go  replicaset      daemonset.go  daemonset
//	set.go          podset          kruise.go      rollout/kruise  batch.go      rollout/batchrelease
//	argo.go         rollout/argo    own.go         controllers of the caller
//	collector.go    garbage collection
//
// To add a controller, write a control.Worker, as argo.go is one, give it a Role in store/kind.go, and start it
// in start.go. If its objects are new, they need as well:
//
//	cluster/snapshot.go           a type, and a field of Snapshot
//	store/kind.go, store/store.go a Kind with its name, and a Table
//	sim: put.go, view.go, scale.go  what users put, see and scale; change.go and apiserver/server.go remove it
//	record/runs.go                its steps and sizes
package controllers
