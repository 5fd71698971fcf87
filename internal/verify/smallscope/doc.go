// SPDX-License-Identifier: Apache-2.0

// Package smallscope explores every state that small workloads can reach: a model
// checker over the planners.
//
// A [System] is one workload with its controllers and its cluster. A state is a small value
// without pointers; it counts pods wherever their identity does not matter. From each state,
// every actor can make moves. A controller plans, carries out its next write, has it refused,
// or crashes. A pod starts, fails or ends. A user changes the template or the size or pauses,
// up to a number of times. [Explore] visits all states, breadth first, so that the trace to a
// violation is a shortest one. It checks
//
//   - the properties of each state and each plan that a system defines, such as its bounds;
//   - that from every state the goal can be reached without faults, crashes and users, which
//     with fairness means that no rollout gets stuck or goes in circles.
//
// # Staleness
//
// A stale view of one step needs no extra state. A plan is made in one move and carried out in
// others, and any moves may come between them: that is a plan from an older view. A controller
// that does not see its own last write is a move as well: it carries the write out and plans
// with the state before it. A ReplicaSet controller, which remembers unseen writes, has a
// cache for each pod.
//
// The bounds of a Deployment are wider by exactly the unseen changes: by the pods of a write
// that its controller did not see, and by the pods that a status called available when they
// were gone. Pods lost to faults count as well.
//
// The controller of a Rollout plans and carries out its first write in one move. A view that
// is one step old stands for a move between the two, and the number of such views is bounded.
// The status of a Rollout or BatchRelease is written only if the object is still as it was
// seen, and so is the Deployment.
//
// # Objects
//
// A Rollout, its BatchRelease and its Deployment are too large for a small value, so a state
// holds their numbers: equal objects have the same number. Messages are left out, generations
// are 1 once they are observed, and times are now or long ago, or only long ago where no
// controller waits for time.
//
// # Writes
//
// The effect of a write on an object comes from Apply of its planner's package, called with a
// snapshot of that object. Since both are small values, each effect is computed once.
//
// # Crashes and drops
//
// A crash drops the rest of a plan. A refused write also drops the rest where a plan ends with
// the first failure, whether the write had an effect or not. Where the writes of a plan do not
// depend on each other, each can be dropped alone.
//
// # Scopes
//
// The tests explore a reduced scope. With KPLAN_SMALLSCOPE=full in the environment they
// explore Deployments of up to 4 replicas and 3 ReplicaSets, plain and in 4 batches,
// Rollouts of up to 4 steps, ReplicaSets of up to 5 pods and DaemonSets of 4 nodes:
//
//	KPLAN_SMALLSCOPE=full go test -v -run TestScopes -timeout 30m ./internal/verify/smallscope
package smallscope
