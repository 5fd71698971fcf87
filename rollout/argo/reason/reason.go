// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of Rollouts of Argo.
package reason

import "github.com/kplan-go/kplan"

// Reasons of actions.
const (
	NewTemplate    kplan.Reason = "NewTemplate"    // the template has no ReplicaSet yet
	Weight         kplan.Reason = "Weight"         // the sizes follow the weight of the step
	OtherTemplate  kplan.Reason = "OtherTemplate"  // its template is neither wanted nor stable
	Stable         kplan.Reason = "Stable"         // the stable pods are all kept
	Preview        kplan.Reason = "Preview"        // the new pods are looked at before they are promoted
	Promotion      kplan.Reason = "Promotion"      // the traffic follows the promotion, or the abort
	Traffic        kplan.Reason = "Traffic"        // the requests follow the step, and the pods that can serve them
	ScaleDownDelay kplan.Reason = "ScaleDownDelay" // old pods are kept for a while
	// Restart is the reason of an eviction for a restart, and of a hold: Have of
	// Limit pods are younger than the restart.
	Restart kplan.Reason = "Restart"
	Aborted kplan.Reason = "Aborted" // the update is aborted: a user retries, or rolls back
)

// Reasons for which a Rollout waits. Have and Limit of an [kplan.Hold] are the two numbers
// that the comment compares.
const (
	Paused   kplan.Reason = "Paused"   // the Rollout is paused: a user has to resume it
	Approval kplan.Reason = "Approval" // a user has to confirm step Have of Limit, or the promotion if both are 0
	Pause    kplan.Reason = "Pause"    // Have of Limit seconds of the pause have passed

	// Pods that are missing. Name is their ReplicaSet.

	BatchNotReady   kplan.Reason = "BatchNotReady"   // Have new pods are available, the step or the promotion asks for Limit
	PreviewNotReady kplan.Reason = "PreviewNotReady" // Have pods of the preview are available, the promotion asks for Limit
	// StableNotReady means that the stable pods cannot serve the rest of the next
	// weight: Have are available, Limit have to be.
	StableNotReady    kplan.Reason = "StableNotReady"
	StableUnavailable kplan.Reason = "StableUnavailable" // Have pods of the stable template are available, Limit are wanted
	StableNotCreated  kplan.Reason = "StableNotCreated"  // Have pods of the stable ReplicaSet exist, the step asks for Limit
	// ReplicaFailure means that the ReplicaSet cannot create or delete pods: Have
	// exist, Limit are wanted. Its condition ReplicaFailure has the message.
	ReplicaFailure kplan.Reason = "ReplicaFailure"
	PodsRemain     kplan.Reason = "PodsRemain" // Have pods of the ReplicaSet are left, Limit may be

	Unverified kplan.Reason = "Unverified" // the requests are not led by the weight Have of Limit yet
	Analysis   kplan.Reason = "Analysis"   // step Have of Limit, or the promotion if both are 0, waits for an analysis or the like
)
