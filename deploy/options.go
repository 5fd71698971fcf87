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
	// Repair is the set of quirks, which are defects of upstream, to repair. In a pass that
	// a quirk does not affect, its repair changes nothing.
	Repair quirk.Set `json:"repair,omitzero"`

	// Keys are the keys of the annotations that hold revisions and sizes. An unset key is
	// Kubernetes' key.
	Keys revision.Keys `json:"keys,omitzero"`

	// The fields below are policies, which change intended behaviour of upstream. The zero
	// value of each is upstream's behaviour.

	// Terminating determines whether pods that are being deleted use up the surge.
	Terminating TerminatingPolicy `json:"terminating,omitzero"`
	// Paused determines whether the ReplicaSets of a paused Deployment are scaled.
	Paused PausedPolicy `json:"paused,omitzero"`
	// RolloutFirst creates the ReplicaSet of a changed template before it adapts the sizes to
	// changed replicas. If it is unset, the existing ReplicaSets are scaled first.
	RolloutFirst bool `json:"rolloutFirst,omitzero"`
	// WeighByAvailable applies when the replicas are increased in the middle of a rollout. It
	// adds pods to each ReplicaSet in proportion to its available pods instead of its size. A
	// ReplicaSet without available pods then gets none, unless no ReplicaSet has any.
	WeighByAvailable bool `json:"weighByAvailable,omitzero"`
	// Leftover applies when several ReplicaSets are scaled in proportion to their sizes. It
	// determines which of them get the pods that rounding leaves over.
	Leftover LeftoverPolicy `json:"leftover,omitzero"`
	// Policy determines how a rolling update counts pods and which pods are removed first.
	// [rollout.Policy] has an equation for each field. If Policy or Sets is set, [rollout.Step]
	// makes each step of a rolling update. With ScaleNewest, [rollout.Scale] adds pods when the
	// replicas change. The strategy Recreate reads only ProtectedApart, and a partitioned
	// Deployment reads no field. It must be valid: see [rollout.Policy.Valid]. ExactSums,
	// ExactProducts, CapAvailable and CapOld must be unset: set the quirks that they repair in
	// Repair.
	Policy rollout.Policy `json:"policy,omitzero"`
	// Sets holds policies of single ReplicaSets. The key is the name of the ReplicaSet; names
	// of missing ReplicaSets are ignored. A partitioned Deployment does not read Sets.
	Sets map[string]SetPolicy `json:"sets,omitempty"`
	// Adoption determines which of the ReplicaSets without a controller that the selector
	// matches are adopted.
	Adoption AdoptionPolicy `json:"adoption,omitzero"`
	// PausePoints pauses a rolling update before or after it deletes a pod with the annotation
	// of package podorder/pausepoint: see Decide in that package.
	PausePoints bool `json:"pausePoints,omitzero"`
	// Order is the order in which ReplicaSets delete pods. It is read with PausePoints only, to
	// predict which pods a smaller size deletes. It must be the order of the controller of
	// ReplicaSets: if replicaset.Options.Dialect selects an older Kubernetes release, set Chain
	// to the chain of that release; if replicaset.Options.Spread is set, set Stages to the
	// stages that package replicaset then uses. Reconcile replaces Now, Neighbours and Related.
	Order podorder.Order `json:"order,omitzero"`
	// StrictAvailable changes the condition Available of a Deployment with more than 0
	// replicas: it is True only if at least one pod is available, even if maxUnavailable would
	// let all pods be unavailable.
	StrictAvailable bool `json:"strictAvailable,omitzero"`
}

// A TerminatingPolicy determines whether pods that are being deleted use up the surge: see
// KEP-5882, which calls it podReplacementPolicy. A single active ReplicaSet that is scaled, and
// the strategy Recreate, do not read it.
type TerminatingPolicy string

// The policies for terminating pods.
const (
	// TerminationStarted lets the replacement start as soon as a pod is being deleted.
	TerminationStarted TerminatingPolicy = ""
	// TerminationComplete lets the replacement start when the pod is gone. While some
	// ReplicaSet has been synced but does not report its terminating pods, the policy counts
	// no terminating pods at all.
	TerminationComplete TerminatingPolicy = "TerminationComplete"
	// TerminationKnown is TerminationComplete, but adds no pods while some ReplicaSet has been
	// synced and does not report its terminating pods.
	TerminationKnown TerminatingPolicy = "TerminationKnown"
)

// A PausedPolicy determines whether the ReplicaSets of a paused Deployment are scaled. A
// Deployment that is paused at a pause point does not read it.
type PausedPolicy string

// The policies for paused Deployments.
const (
	// PausedFill scales in every pass, even if the replicas have not changed. A single active
	// ReplicaSet gets all replicas. Several share replicas + surge in proportion to their sizes
	// (with the strategy Recreate they keep their sizes). If the new one alone has all replicas
	// available, the others get 0.
	PausedFill PausedPolicy = ""
	// PausedScale scales as PausedFill does, but only after the replicas have changed.
	PausedScale PausedPolicy = "Scale"
	// PausedFreeze never changes sizes, and deletes no old ReplicaSets.
	PausedFreeze PausedPolicy = "Freeze"
)

// A LeftoverPolicy determines which ReplicaSets get the pods that are left over because shares
// are rounded.
type LeftoverPolicy string

// The policies for pods that are left over.
const (
	// LeftoverDefault gives all of them to the largest ReplicaSet. If WeighByAvailable is set or
	// [quirk.ScalingLosesShares] is repaired, it instead gives one each to the ReplicaSets whose
	// shares rounding has reduced most.
	LeftoverDefault LeftoverPolicy = ""
	// LeftoverLargest gives one pod to each ReplicaSet, the largest first.
	LeftoverLargest LeftoverPolicy = "Largest"
	// LeftoverNewest gives one pod to each ReplicaSet, the youngest first.
	LeftoverNewest LeftoverPolicy = "Newest"
)

// An AdoptionPolicy determines which of the ReplicaSets without a controller that its selector
// matches a Deployment adopts. An adopted ReplicaSet with another template is an old
// ReplicaSet, which the rollout scales down.
type AdoptionPolicy string

// The policies for adoption.
const (
	AdoptAll          AdoptionPolicy = ""             // all
	AdoptSameTemplate AdoptionPolicy = "SameTemplate" // only ReplicaSets with the Deployment's template
	AdoptNone         AdoptionPolicy = "None"         // none
)

// A SetPolicy holds the policies of one ReplicaSet. The zero SetPolicy is Kubernetes'
// behaviour.
type SetPolicy struct {
	// Least is the size below which the plan never scales the ReplicaSet down, such as for a
	// template that is still needed. 0 means no lower bound, and less is an error.
	Least int32 `json:"least,omitzero"`
	// Protected is the number of pods that are in use and run until they end by themselves. By
	// default the plan does not scale the ReplicaSet below this number. With
	// [rollout.Policy].ProtectedApart it may, since the caller then counts these pods apart
	// from the size. Less than 0 is an error.
	Protected int32 `json:"protected,omitzero"`
	// Moves means that the caller updates the pods of this old ReplicaSet in place: it moves
	// them to the new ReplicaSet. The new ReplicaSet then does not grow for pods that will move
	// to it. If it would not grow at all, and nothing is in progress, it grows by one pod to
	// make room: see [rollout.InPlace]. The Limit of the old ReplicaSet's hold
	// [reason.MovesInPlace] is the number of pods that may move. Busy means that a pod is being
	// updated in place at present: the new ReplicaSet does not grow to make room.
	Moves bool `json:"moves,omitzero"`
	Busy  bool `json:"busy,omitzero"`
}
