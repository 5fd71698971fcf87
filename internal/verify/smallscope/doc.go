// SPDX-License-Identifier: Apache-2.0

// Package smallscope explores every state that small workloads can reach: a model
// checker over the planners.
//
// A [System] is one workload with its controllers and its cluster. A state is a small value
// without pointers; pods are counts wherever it does not matter which one is meant. From a
// state lead the moves of everybody. A controller plans, carries out its next write, finds
// it refused or crashes. A pod starts, fails or ends. A user changes the template or the
// size or pauses, so many times. [Explore] goes through all of them, breadth first, so that
// the trace to a violation is a shortest one. It checks
//
//   - what a system says of each state and each plan, such as its bounds;
//   - that from every state the goal can be reached without faults, crashes and people,
//     which with fairness means that nothing is ever stuck or goes in circles.
//
// # Staleness
//
// A view that is one step behind needs no state of its own. A plan is made in one move
// and carried out in others, and between them anything may happen: that is a plan from
// an older view. That a controller does not see its own last write is a move as well: it
// carries the write out and plans with the state from before. A ReplicaSet, which
// remembers what it has not seen, has a cache for each pod.
//
// Of a Deployment, bounds are wider by exactly what was not seen: by the pods of a write
// that its controller did not see, and by the pods that a status called available when
// they were gone. Whatever is lost to faults counts as well.
//
// Of a Rollout, a controller plans and carries out its first write in one move; that
// something else comes between the two is a view that is one step behind, and is bounded
// in number. Its status and that of its BatchRelease are written only if the object is
// as it was seen, and so is the Deployment.
//
// # Objects
//
// What a Rollout, its BatchRelease and its Deployment hold is too much for a small value,
// so that a state has their numbers: equal objects have the same. Messages are left out,
// generations are 1 once they are observed, and times are now or long ago, or only the
// latter where nothing waits.
//
// # Writes
//
// What a write makes of an object is what Apply of its planner's package makes of the
// snapshot with that object. Since both are small values, each is asked once.
//
// # Crashes and drops
//
// A crash forgets the rest of a plan. So does a write that is refused where the plan
// ends with the first failure, whether it had its effect or not. Where the writes of a
// plan do not depend on each other, each can be dropped alone.
//
// # Scopes
//
// The tests explore a reduced scope. With KPLAN_SMALLSCOPE=full in the environment they
// explore Deployments of up to 4 replicas and 3 ReplicaSets, plain and in 4 batches,
// Rollouts of up to 4 steps, ReplicaSets of up to 5 pods and DaemonSets of 4 nodes:
//
//	KPLAN_SMALLSCOPE=full go test -v -run TestScopes -timeout 30m ./internal/verify/smallscope
package smallscope
