// Package sim runs the planners against a model of a cluster, in virtual time.
//
// A [Cluster] holds a Deployment, its ReplicaSets and its pods. [Run] lets the
// planners act on it until nothing changes, advances the clock to the next event,
// and starts over: a pod has been scheduled, has become ready, has ended, or a
// planner has asked to be called again. What the planners did is a list of [Step].
//
// Equal arguments give equal results: names come from counters, random delays from
// a seed, and no clock is read.
package sim
