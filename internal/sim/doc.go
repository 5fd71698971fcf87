// Package sim runs the planners against models of a cluster, in virtual time.
//
// # Calm runs
//
// A [Cluster] holds a Deployment, its ReplicaSets and its pods. [Run] lets the
// planners act on it until nothing changes, advances the clock to the next event, and
// starts over: a pod has been scheduled, has become ready, has ended, or a planner has
// asked to be called again. What the planners did is a list of [Step].
//
// [RunDaemonSet] does the same with a DaemonSet and its nodes ([DaemonSetStep]), and
// [RunRollout] with a Deployment that a Rollout releases in steps ([RolloutStep]).
// [Finished], [FinishedDaemonSet] make the state from which an update begins.
//
// # Closed loops
//
// A [World] is a cluster in which everything goes wrong: it has an API server whose
// requests fail, controllers that see the past and crash between two requests, and
// twenty kinds of trouble in all ([Faults]), each of which is counted ([Troubles]).
// An [Observer] sees every plan with what it was made from, and every write with the
// true state around it.
//
// KPLAN_LOOPS is how many loops the test runs, KPLAN_SEED the first seed, and
// KPLAN_LOOP_TRACE prints every event. A failure names the command that replays it.
//
// Equal arguments give equal results: names come from counters, random delays and
// troubles from a seed, and no clock is read.
package sim
