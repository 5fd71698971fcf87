// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// Options adjusts [Reconcile]. The zero Options decides as Kubernetes 1.37 does
// with its default feature gates, quirks included.
type Options struct {
	// Repair is the quirks of upstream that are repaired. Where a quirk does not show, its
	// repair changes nothing.
	Repair Quirks `json:"repair,omitzero"`

	// Keys are the names of the annotations in which revisions and sizes are kept. The
	// zero Keys are those of Kubernetes.
	Keys revision.Keys `json:"keys,omitzero"`

	// What follows are policies: they change what is wanted. The zero value of
	// each is upstream's behaviour.

	// Terminating says whether pods that are being deleted take up room.
	Terminating TerminatingPolicy `json:"terminating,omitzero"`
	// Paused says what a paused Deployment does with its sizes.
	Paused PausedPolicy `json:"paused,omitzero"`
	// RolloutFirst starts a new template before it scales, if replicas and template
	// have changed at once. Otherwise pods of the old template are started first.
	RolloutFirst bool `json:"rolloutFirst,omitzero"`
	// WeighByAvailable shares out pods that are added in the middle of a rollout in
	// proportion to available pods instead of wanted ones, so that a template that
	// does not start is not fed.
	WeighByAvailable bool `json:"weighByAvailable,omitzero"`
	// Leftover says who gets the pods that rounding leaves over when scaling in
	// proportion.
	Leftover LeftoverPolicy `json:"leftover,omitzero"`
	// Policy says how a rolling update reckons, for those who roll other things than pods or
	// want other pods to go first: see [rollout.Policy], where each has its equation. With one
	// of them a step is [rollout.Step], and scaling is [rollout.Scale]. What a Deployment of
	// strategy Recreate, or one that is rolled by partition, has no use for is not read. The
	// exact sums of [rollout.Policy] are repairs here.
	Policy rollout.Policy `json:"policy,omitzero"`
	// Sets says of ReplicaSets, by name, what they keep and whether their pods move. Of those
	// that are not there nothing is read.
	Sets map[string]SetPolicy `json:"sets,omitempty"`
	// Adoption says which ReplicaSets without a controller the Deployment makes its
	// own if its selector matches them.
	Adoption AdoptionPolicy `json:"adoption,omitzero"`
	// PausePoints makes a rolling update pause at pods that carry the annotation of
	// package podorder/pausepoint; see Decide there.
	PausePoints bool `json:"pausePoints,omitzero"`
	// Order is how the ReplicaSets of the Deployment choose the pods to be deleted, so
	// that pause points stop the ones that would go. Give replicaset.Options the same: a
	// dialect or spreading there is a chain or are stages here. Its Now, Neighbours and
	// Related are replaced.
	Order podorder.Order `json:"order,omitzero"`
	// StrictAvailable reports a Deployment that wants pods as available only if at
	// least one is, even if all may be unavailable.
	StrictAvailable bool `json:"strictAvailable,omitzero"`
}

// A TerminatingPolicy says whether pods that are being deleted take up room in the
// surge (KEP-5882).
type TerminatingPolicy string

// The policies for terminating pods.
const (
	// TerminationStarted starts a replacement as soon as a pod is being deleted.
	TerminationStarted TerminatingPolicy = ""
	// TerminationComplete waits until the pod is gone. A ReplicaSet that does not
	// report its terminating pods counts as having none.
	TerminationComplete TerminatingPolicy = "TerminationComplete"
	// TerminationKnown is TerminationComplete, but starts nothing while some
	// ReplicaSet does not report its terminating pods.
	TerminationKnown TerminatingPolicy = "TerminationKnown"
)

// A PausedPolicy says what a paused Deployment does with its sizes.
type PausedPolicy string

// The policies for paused Deployments.
const (
	// PausedFill fills up to replicas and surge, in proportion, in every pass.
	PausedFill PausedPolicy = ""
	// PausedScale scales if replicas have changed, and otherwise leaves sizes alone.
	PausedScale PausedPolicy = "Scale"
	// PausedFreeze leaves sizes alone.
	PausedFreeze PausedPolicy = "Freeze"
)

// A LeftoverPolicy says who gets the pods that rounding leaves over.
type LeftoverPolicy string

// The policies for leftovers.
const (
	// LeftoverDefault gives all to the largest ReplicaSet or, with
	// [ScalingLosesShares] repaired, one each to those that rounding has cut most.
	LeftoverDefault LeftoverPolicy = ""
	// LeftoverLargest gives one each, the largest ReplicaSet first.
	LeftoverLargest LeftoverPolicy = "Largest"
	// LeftoverNewest gives one each, the youngest ReplicaSet first.
	LeftoverNewest LeftoverPolicy = "Newest"
)

// An AdoptionPolicy says which ReplicaSets without a controller a Deployment adopts.
// One with another template becomes an old one and is rolled away.
type AdoptionPolicy string

// The policies for adoption.
const (
	AdoptAll          AdoptionPolicy = ""             // every one that the selector matches
	AdoptSameTemplate AdoptionPolicy = "SameTemplate" // those with the Deployment's template
	AdoptNone         AdoptionPolicy = "None"         // none
)

// A SetPolicy is what is said of one ReplicaSet beside its counts. The zero SetPolicy is
// Kubernetes'.
type SetPolicy struct {
	// Least is how many pods it keeps, whatever is decided: a lower bound for a template that
	// somebody still needs.
	Least int32 `json:"least,omitzero"`
	// Protected is how many of its pods are in use and stay until they end by themselves. It
	// keeps as many, unless [rollout.Policy].ProtectedApart lets it want none while they stay.
	Protected int32 `json:"protected,omitzero"`
	// Moves says that its pods move to the new ReplicaSet where they are, by the hand of
	// whoever says so, and Busy that some are on the move: the plan leaves growth to them, and
	// tells of those that may move now by a hold [ReasonMovesInPlace].
	Moves bool `json:"moves,omitzero"`
	Busy  bool `json:"busy,omitzero"`
}
