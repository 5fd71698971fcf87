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
// in start.go; its options are in env.go and, for users, in config.go and world.go of package sim. A new kind of
// objects needs as well:
//
//	cluster/snapshot.go                    a type, and a field of Snapshot
//	store/kind.go, store/store.go          a Kind with its name, and a Table
//	apiserver/server.go                    its removal
//	sim: config.go                         a Kind for users
//	sim: put.go, valid.go                  its creation, changes and checks
//	sim: view.go, scale.go, change.go      its views, sizes and removal by users
//	sim: rest.go                           its share of the work of a world
//	record/runs.go, parts.go, sizes.go     its steps and sizes
package controllers
