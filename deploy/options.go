// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// Options adjusts [Reconcile]. The zero Options decides as Kubernetes 1.37 does
// with its default feature gates, quirks included.
type Options struct {
	// Repair is the set of upstream quirks to repair. Where a quirk does not show, its
	// repair changes nothing.
	Repair quirk.Set `json:"repair,omitzero"`

	// Keys are the names of the annotations for revisions and sizes. The zero Keys are
	// Kubernetes' names.
	Keys revision.Keys `json:"keys,omitzero"`

	// The fields below are policies: they change the desired behaviour. The zero value of
	// each is upstream's behaviour.

	// Terminating determines whether pods that are being deleted take up room.
	Terminating TerminatingPolicy `json:"terminating,omitzero"`
	// Paused determines whether the ReplicaSets of a paused Deployment are scaled.
	Paused PausedPolicy `json:"paused,omitzero"`
	// RolloutFirst starts a new template before it scales, if replicas and template
	// have changed at once. Otherwise pods of the old template are started first.
	RolloutFirst bool `json:"rolloutFirst,omitzero"`
	// WeighByAvailable shares out pods that are added in the middle of a rollout in
	// proportion to available pods instead of wanted ones, so that a template whose pods do
	// not start gets none.
	WeighByAvailable bool `json:"weighByAvailable,omitzero"`
	// Leftover determines which ReplicaSets get the pods that rounding leaves over when scaling
	// in proportion.
	Leftover LeftoverPolicy `json:"leftover,omitzero"`
	// Policy determines how a rolling update counts pods and which pods go first: see
	// [rollout.Policy], which has an equation for each policy. With any of them a step is
	// [rollout.Step], and scaling is [rollout.Scale]. Policies that do not apply to the
	// strategy Recreate, or to a partition, are not read. The exact sums of [rollout.Policy]
	// are repairs here.
	Policy rollout.Policy `json:"policy,omitzero"`
	// Sets has, by name of a ReplicaSet, the pods that it keeps and whether its pods move.
	// Names of ReplicaSets that do not exist are ignored.
	Sets map[string]SetPolicy `json:"sets,omitempty"`
	// Adoption determines which ReplicaSets without a controller the Deployment adopts if its
	// selector matches them.
	Adoption AdoptionPolicy `json:"adoption,omitzero"`
	// PausePoints makes a rolling update pause at pods that carry the annotation of
	// package podorder/pausepoint; see Decide there.
	PausePoints bool `json:"pausePoints,omitzero"`
	// Order is the order in which the ReplicaSets of the Deployment delete pods, so that
	// pause points stop the pods that would go. Use the same order as in
	// replicaset.Options: a dialect or spreading there is a chain or are stages here. Its
	// Now, Neighbours and Related are replaced.
	Order podorder.Order `json:"order,omitzero"`
	// StrictAvailable reports a Deployment that wants pods as available only if at
	// least one is, even if all may be unavailable.
	StrictAvailable bool `json:"strictAvailable,omitzero"`
}

// A TerminatingPolicy determines whether pods that are being deleted take up room in the
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

// A PausedPolicy determines whether the ReplicaSets of a paused Deployment are scaled.
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

// A LeftoverPolicy determines which ReplicaSets get the pods that rounding leaves over.
type LeftoverPolicy string

// The policies for leftovers.
const (
	// LeftoverDefault gives all to the largest ReplicaSet or, with [quirk.ScalingLosesShares]
	// repaired, one each to the ReplicaSets that rounding has cut most.
	LeftoverDefault LeftoverPolicy = ""
	// LeftoverLargest gives one each, the largest ReplicaSet first.
	LeftoverLargest LeftoverPolicy = "Largest"
	// LeftoverNewest gives one each, the youngest ReplicaSet first.
	LeftoverNewest LeftoverPolicy = "Newest"
)

// An AdoptionPolicy determines which ReplicaSets without a controller a Deployment adopts. A
// ReplicaSet with another template becomes an old one and is scaled down by the rollout.
type AdoptionPolicy string

// The policies for adoption.
const (
	AdoptAll          AdoptionPolicy = ""             // every one that the selector matches
	AdoptSameTemplate AdoptionPolicy = "SameTemplate" // every match with the Deployment's template
	AdoptNone         AdoptionPolicy = "None"         // none
)

// A SetPolicy holds the policies of one ReplicaSet. The zero SetPolicy is Kubernetes'
// behaviour.
type SetPolicy struct {
	// Least is the number of pods that it keeps in any case: a lower bound for a template
	// that is still needed.
	Least int32 `json:"least,omitzero"`
	// Protected is the number of its pods that are in use and stay until they end by
	// themselves. It keeps as many, unless [rollout.Policy].ProtectedApart lets it want none
	// while they stay.
	Protected int32 `json:"protected,omitzero"`
	// Moves means that the caller moves its pods to the new ReplicaSet in place, and Busy that
	// some are moving now. Then the plan does not grow the new ReplicaSet, and a hold
	// [reason.MovesInPlace] has the number of pods that may move now.
	Moves bool `json:"moves,omitzero"`
	Busy  bool `json:"busy,omitzero"`
}
