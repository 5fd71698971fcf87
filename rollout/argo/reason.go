// SPDX-License-Identifier: Apache-2.0

package argo

// A Reason is the reason of an action, or of a change that is held back.
type Reason string

// Reasons of actions.
const (
	ReasonNewTemplate    Reason = "NewTemplate"    // the template has no ReplicaSet yet
	ReasonWeight         Reason = "Weight"         // the sizes follow the weight of the step
	ReasonOtherTemplate  Reason = "OtherTemplate"  // its template is neither wanted nor stable
	ReasonStable         Reason = "Stable"         // the stable pods are all kept
	ReasonPreview        Reason = "Preview"        // the new pods are looked at before they are promoted
	ReasonPromotion      Reason = "Promotion"      // the traffic follows the promotion, or the abort
	ReasonTraffic        Reason = "Traffic"        // the requests follow the step, and the pods that can serve them
	ReasonScaleDownDelay Reason = "ScaleDownDelay" // old pods are kept for a while
	// ReasonRestart is the reason of an eviction for a restart, and of a hold: Have of
	// Limit pods are younger than the restart.
	ReasonRestart Reason = "Restart"
	ReasonAborted Reason = "Aborted" // the update is aborted: a user retries, or rolls back
)

// Reasons for which a Rollout waits. Have and Limit of an [kplan.Hold] are the two numbers
// that the comment compares.
const (
	ReasonPaused   Reason = "Paused"   // the Rollout is paused: a user has to resume it
	ReasonApproval Reason = "Approval" // a user has to confirm step Have of Limit, or the promotion if both are 0
	ReasonPause    Reason = "Pause"    // Have of Limit seconds of the pause have passed

	// Pods that are missing. Name is their ReplicaSet.

	ReasonBatchNotReady   Reason = "BatchNotReady"   // Have new pods are available, the step or the promotion asks for Limit
	ReasonPreviewNotReady Reason = "PreviewNotReady" // Have pods of the preview are available, the promotion asks for Limit
	// ReasonStableNotReady means that the stable pods cannot serve the rest of the next
	// weight: Have are available, Limit have to be.
	ReasonStableNotReady    Reason = "StableNotReady"
	ReasonStableUnavailable Reason = "StableUnavailable" // Have pods of the stable template are available, Limit are wanted
	ReasonStableNotCreated  Reason = "StableNotCreated"  // Have pods of the stable ReplicaSet exist, the step asks for Limit
	// ReasonReplicaFailure means that the ReplicaSet cannot create or delete pods: Have
	// exist, Limit are wanted. Its condition [ConditionReplicaFailure] has the message.
	ReasonReplicaFailure Reason = "ReplicaFailure"
	ReasonPodsRemain     Reason = "PodsRemain" // Have pods of the ReplicaSet are left, Limit may be

	ReasonUnverified Reason = "Unverified" // the requests are not led by the weight Have of Limit yet
	ReasonAnalysis   Reason = "Analysis"   // step Have of Limit, or the promotion if both are 0, waits for an analysis or the like
)
