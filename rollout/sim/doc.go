// SPDX-License-Identifier: Apache-2.0

// Package sim runs many workloads, with the planners of this module or with controllers and
// schedulers of your own, in a cluster in virtual time.
//
// Start with [New], which makes a [World] of a [Snapshot]: what there is, as plain values,
// from Go, from JSON, or by package kube from what kubectl prints.
//
//	Snapshot, Config --New--> World --Put, Scale, Drain, Evict--> what is wanted
//	                            |----Step, Run, Settle---------> time passes, up to where you say
//	                            |----View, Snapshot, Report----> what there is, what has happened
//
// # What is in it
//
// Deployments with ReplicaSets and pods, DaemonSets, CloneSets and StatefulSets, Rollouts of
// OpenKruise that release those, canaries and blue-green updates of Argo ([ArgoRollout]), and
// objects of kinds of your own ([Object]). Controllers ask an API server, write by write, which
// has versions, conflicts, quotas ([Quota]) and evictions ([Budget]). Pods are scheduled, pull,
// start, become ready, fail, and end; how long each takes is a [Spread] of quantiles. Nodes have
// room for pods, zones and taints, and may stop to answer.
//
// A name may be "namespace/name"; selectors do not look beyond the slash.
//
// # What is yours
//
//   - the scheduler: [Config].Place, which is [BinPack] by default;
//   - a controller: a [Reconciler] is a function from what it sees to writes, beside ours or,
//     with [Config].Without, instead of them; or a planner in the place of one of ours;
//   - the size: an [Autoscaler] is a function from what it sees to replicas;
//   - the clock: nothing happens but what you ask for with [World.Step], [World.Run] up to an
//     instant, or [World.Settle] until nothing is left to happen;
//   - the times: a Spread of quantiles, [Exactly] one duration, or anything [Between] two.
//
// # Faults
//
// By default nothing goes wrong but what you do. [Config].Faults says how often each of [Faults]
// strikes, and [AllFaults] lets all of them: requests are lost or repeated, others write first,
// caches show the past, controllers crash between two writes and forget, pods and nodes fail.
// After [Config].FaultsFor, or [World.Heal], the world is whole again, and everything must come
// to rest with what is wanted. [World.Report] tells how often each has struck, and which never
// did: a test under a fault that never struck has shown nothing.
//
// # What you can rely on
//
// Equal snapshots, configurations and calls give equal worlds, event by event: all draws come
// from [Config].Seed. The error of a planner, of Place, or that controllers do not come to rest,
// ends the world: every later call returns it. A World is used by one goroutine at a time.
//
// The planners are those of packages deploy, replicaset, daemonset, rollout/kruise and
// rollout/argo; the engine is that in which they prove themselves, under twenty kinds of
// trouble that strike in some seventy ways.
package sim
