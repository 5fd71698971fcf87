// SPDX-License-Identifier: Apache-2.0

// Package sim runs many workloads, with the planners of this module or with controllers and
// schedulers of your own, in a cluster in virtual time.
//
// Start with [New], which makes a [World] of a cluster.Snapshot: plain values from Go, from JSON, or,
// by package kube, from the output of kubectl.
//
//	Snapshot, Config --New--> World --Put, Scale, Drain, Evict--> changes by users
//	                            |----Step, Run, Settle---------> time passes, up to your limit
//	                            |----View, Snapshot, Report----> the objects, and a record
//
// # Packages
//
// The world consists of packages. Each imports only packages below it:
//
//	record                 steps and histories, for tables and pictures
//	sim                    the run: Config, Put, Step, View
//	internal/chaos         faults that delete pods, and stop nodes and controllers
//	internal/controllers   one controller for each kind
//	internal/podset        plans of CloneSets and StatefulSets
//	internal/control       caches, queue and retries of controllers
//	internal/life          how pods start, become ready, and end; nodes that do not answer
//	scheduler              on which node a pod fits
//	internal/apiserver     requests and answers; quotas and budgets
//	internal/trouble       whether a fault strikes
//	internal/agenda        virtual time
//	internal/store         objects, their versions, and their recent past
//	cluster                the types of objects
//
// # Your own parts
//
//   - the scheduler: [Config].Place, which is scheduler.BinPack by default;
//   - a controller: a [Reconciler] is a function from a view to writes, in addition to ours or,
//     with [Config].Without, instead of them; or a planner that replaces one of ours;
//   - the size: an [Autoscaler] is a function from a view to replicas;
//   - the clock: time passes only with [World.Step], [World.Run] up to an
//     instant, or [World.Settle] until nothing more can change (see rest.go);
//   - people and analyses: [Config].ApproveAfter is the time until a user resumes a waiting
//     Rollout, and [Config].Analysis the course of analyses of Rollouts of Argo;
//   - the times: a cluster.Spread of quantiles for each stage in the life of a pod.
//
// A name may be "namespace/name"; selectors do not look beyond the slash.
//
// # Faults
//
// By default there are no faults. [Config].Faults sets how often each of [Faults] strikes, and
// [AllFaults] sets one rate for all. After [Config].FaultsFor, or [World.Heal], everything is
// healed, and all workloads must come to rest in the wanted state. [World.Report] returns how often
// each fault has struck.
//
// # What you can rely on
//
// Equal snapshots, configurations and calls give equal worlds, event by event: all draws come
// from [Config].Seed. An error ends the world, and every later call returns it: an error of a
// planner or of Place, or that controllers do not come to rest. A World is used by one goroutine at
// a time.
package sim
