// SPDX-License-Identifier: Apache-2.0

// Package quirk names the quirks of Rollouts of Argo: defects of upstream.
// Plans have them by default; Repair of argo.Options takes the set to repair.
package quirk

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/quirkset"
)

// A Set is a set of quirks. The zero Set is empty. In JSON it is a list of names.
type Set uint64

// The quirks, in the order of [Table].
const (
	AbortLeavesRequests      Set = 1 << iota // an abort with a least size leaves requests with the new pods
	AbortGetsPodsAgain                       // an aborted update gets pods again when stable ones are missing
	StableGoesBeforeRequests                 // stable pods go in the pass that leads all requests to them
	NoPodServesRest                          // a share of less than one stable pod is served by none
	RoutesLost                               // routes that are set before there are pods do not come back
	StablePingPongSelectsAll                 // the stable one of two Services that take turns selects all pods
	ZeroReplicasTakeSteps                    // an update of 0 replicas takes all steps, with pods and pauses
	StepBehindTheEnd                         // the index of the step goes past the end
	OvercountedKeepsOthers                   // one ReplicaSet with too many available pods keeps all other old ones
	PauseBeginsWhilePodsGo                   // a pause begins in the pass that removes pods of other templates
	PausedTwice                              // two analyses without a result pause twice for one reason
	ZeroDelayKeepsForEver                    // a scaleDownDelaySeconds of 0 keeps old pods forever
)

// All is all quirks.
const All = ZeroDelayKeepsForEver<<1 - 1

// Has reports whether q contains all of x.
func (q Set) Has(x Set) bool { return q&x == x }

// String returns the names, separated by commas.
func (q Set) String() string { return quirkset.Format(Table(), q) }

// MarshalJSON encodes the set as the list of its names.
func (q Set) MarshalJSON() ([]byte, error) { return quirkset.Marshal(Table(), q) }

// UnmarshalJSON decodes the output of [Set.MarshalJSON]. An unknown name is an error.
func (q *Set) UnmarshalJSON(data []byte) error { return quirkset.Unmarshal(Table(), data, q) }

// Parse returns the set of the quirks with these names. Unknown names are errors.
func Parse(names ...string) (Set, error) { return quirkset.Parse[Set](Table(), names...) }

const release = ", Argo Rollouts v1.10.2"

const issue = "argoproj/argo-rollouts#"

// Table describes each quirk, in the order of the constants.
func Table() []kplan.Quirk {
	return append(trafficQuirks(), otherQuirks()...)
}

func trafficQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "AbortLeavesRequests",
		Upstream: "With dynamicStableScale the way back after an abort takes the step that serves fewer pods than the new ReplicaSet has. With minPodsPerReplicaSet it never has fewer, and keeps its pods and the requests of that step.",
		Source:   "GetDesiredCanaryWeight" + release,
		Issue:    issue + "4841",
		Input:    "10 replicas, minPodsPerReplicaSet 2, a step of weight 10; aborted, all stable pods are available, and 2 new ones",
		Repair:   "All requests go back when all stable pods are available and the new ReplicaSet has no more than its least size.",
	}, {
		Name:     "AbortGetsPodsAgain",
		Upstream: "With dynamicStableScale an aborted update takes a step back that serves what available stable pods do not. When the Rollout grows or a stable pod is lost, the new ReplicaSet gets pods again, to which no request is led.",
		Source:   "GetDesiredCanaryWeight" + release,
		Issue:    issue + "4973",
		Input:    "8 replicas, a step of weight 25; aborted, 4 stable pods are available, and no new one is left",
		Repair:   "The new ReplicaSet of an aborted update gets no more pods, but for requests that are still led to it.",
	}, {
		Name:     "StableGoesBeforeRequests",
		Upstream: "With dynamicStableScale the size of the stable ReplicaSet follows the weights of the pass before, also when the pass leads more requests to it: its pods go while requests come, and are made again in the next pass.",
		Source:   "reconcileCanaryStableReplicaSet" + release,
		Input:    "4 replicas, at a step of weight 100 with 1 stable pod left; the template is replaced",
		Repair:   "It follows the weight that needs more pods.",
	}, {
		Name:     "NoPodServesRest",
		Upstream: "How many stable pods have to be available for what a weight leaves to them is rounded down. Less than one is none, and requests are led to no pod.",
		Source:   "checkReplicasAvailable" + release,
		Input:    "1 replica, dynamicStableScale, a step of weight 100 and one of weight 10",
		Repair:   "It is rounded up.",
	}, {
		Name:     "RoutesLost",
		Upstream: "A step sets its routes though no new pod is available. The next pass removes them, and nothing sets them again.",
		Source:   "reconcileTrafficRouting" + release,
		Issue:    issue + "4486",
		Input:    "steps setHeaderRoute and setWeight 20; the new ReplicaSet is created",
		Repair:   "The routes of all steps so far are there as long as a new pod is available.",
	}, {
		Name:     "StablePingPongSelectsAll",
		Upstream: "Of two Services that take turns only the one of the update gets a selector. Until the other one has had its turn it selects all pods, those of the update as well.",
		Source:   "reconcilePingAndPongService" + release,
		Issue:    issue + "5006",
		Input:    "2 Services without a hash in their selectors, pong the stable one; an update",
		Repair:   "The stable one selects the stable pods as soon as one of them is available, and all if it is not managed yet.",
	}}
}

func otherQuirks() []kplan.Quirk {
	return []kplan.Quirk{{
		Name:     "ZeroReplicasTakeSteps",
		Upstream: "An update of 0 replicas takes all steps: setCanaryScale and previewReplicaCount start pods, and pauses and promotions wait for a person.",
		Source:   "shouldFullPromote, UseSetCanaryScale" + release,
		Issue:    issue + "4950",
		Input:    "0 replicas, steps of setCanaryScale with 1 replica and a pause",
		Repair:   "No pod is started, and the update is promoted, unless it is aborted.",
	}, {
		Name:     "StepBehindTheEnd",
		Upstream: "If the current step is over in the pass that skips all steps, the index is one past the end, and goes back in the next pass.",
		Source:   "syncRolloutStatusCanary" + release,
		Input:    "steps of weight 25 and 50, at the first; promoted in full with a part of the pods",
		Repair:   "The index ends at the number of steps.",
	}, {
		Name:     "OvercountedKeepsOthers",
		Upstream: "If a ReplicaSet between the stable one and the new one has more available pods than it wants, no pod of others in between goes.",
		Source:   "cleanupUnhealthyReplicas" + release,
		Input:    "a ReplicaSet in between with 2 of 1 pods available, and another one with 1",
		Repair:   "It counts as complete.",
	}, {
		Name:     "PauseBeginsWhilePodsGo",
		Upstream: "A pass that removes unavailable pods of templates in between, when no other pod may go, begins the pause of its step as well.",
		Source:   "reconcileOtherReplicaSets" + release,
		Input:    "at a pause, with an unavailable pod in between and none to spare",
		Repair:   "The pause begins in the next pass, as after other removals.",
	}, {
		Name:     "PausedTwice",
		Upstream: "If the analysis of the step and the one in the background have no result in the same pass, two equal pauses begin.",
		Source:   "CalculatePauseConditions" + release,
		Input:    "an analysis of a step and one in the background, both inconclusive",
		Repair:   "One begins.",
	}, {
		Name:     "ZeroDelayKeepsForEver",
		Upstream: "With a scaleDownDelaySeconds of 0 a blue-green update, or a canary with traffic routing and without dynamicStableScale, sets no deadline for an old ReplicaSet after the promotion, and without one it is not scaled down.",
		Source:   "scaleDownDelayHelper, addScaleDownDelay" + release,
		Issue:    issue + "1992",
		Input:    "a blue-green update with scaleDownDelaySeconds 0; an old ReplicaSet with pods",
		Repair:   "It is scaled down at once.",
	}}
}
