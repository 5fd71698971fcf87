// SPDX-License-Identifier: Apache-2.0

// Package sim runs the planners against models of a cluster, in virtual time.
//
// # One engine
//
// A [World] has an API server with its store, controllers that carry out plans request by
// request, nodes, pods that live, and one agenda of what is to happen in virtual time. An
// [Observer] sees every plan with what it was made from, and every write with the true
// state around it. What an action makes of an object is what Apply of its package says.
//
// # Calm runs
//
// In a calm world all [Faults] are off. A [Cluster] holds a Deployment, its ReplicaSets
// and its pods: [Run] lets the planners act on it until nothing changes, advances the
// clock to the next event, and starts over. What the planners did is a list of [Step].
//
// [RunDaemonSet] does the same with a DaemonSet and its nodes ([DaemonSetStep]), and
// [RunRollout] with a Deployment that a Rollout releases in steps ([RolloutStep]).
// [Finished], [FinishedDaemonSet] make the state from which an update begins.
//
// # Closed loops
//
// With faults everything goes wrong: requests fail, controllers see the past and crash
// between two requests, and there are twenty kinds of trouble in all, each of which is
// counted ([Troubles]).
//
// KPLAN_LOOPS is how many loops the test runs, KPLAN_SEED the first seed, and
// KPLAN_LOOP_TRACE prints every event. A failure names the command that replays it.
//
// # Where what is
//
// Files refer downwards, from what runs a world to what it is made of:
//
//	*run.go, *world.go              kinds of worlds, what people do there, and what is told of a run
//	loop.go, events.go, heal.go     the one loop, and what the agenda holds for it
//	monkey.go, nodes.go             what disturbs
//	*controller.go, *pass.go        a controller and what it does with a plan: one of each kind
//	released*.go, collector.go      what Rollouts release; what has lost its owner
//	work.go, sight.go, network.go   what controllers have in common
//	life.go, podend.go              the life of a pod
//	api.go, request.go              requests that change the store
//	world.go, controller.go         the types of the above
//	store.go, table.go, agenda.go   objects and their past; what is to happen
//
// Equal arguments give equal results: names come from counters, random delays and
// troubles from a seed, and no clock is read.
package sim
