package rollout

import "github.com/kplan-go/kplan/selector"

// An ArgoReason says why a plan does, or holds back, something.
type ArgoReason string

// An ArgoHold is what was considered and held back:
//
//	Node   string // ""
//	Name   string // ""
//	Reason ArgoReason
//	Have   int64 // the number that Reason compares
//	Limit  int64 // and what it is compared with
//
//	String() string // one line such as "held back: BatchNotReady (1 of 2)"
type ArgoHold = selector.Hold[ArgoReason]

// Reasons of actions.
const (
	ReasonNewTemplate    ArgoReason = "NewTemplate"    // the template has no ReplicaSet yet
	ReasonWeight         ArgoReason = "Weight"         // the sizes follow the weight of the step
	ReasonOtherTemplate  ArgoReason = "OtherTemplate"  // its template is neither wanted nor stable
	ReasonStable         ArgoReason = "Stable"         // the stable pods are all kept
	ReasonPreview        ArgoReason = "Preview"        // the new pods are looked at before they are promoted
	ReasonPromotion      ArgoReason = "Promotion"      // the traffic follows the promotion, or the abort
	ReasonScaleDownDelay ArgoReason = "ScaleDownDelay" // old pods are kept for a while
	ReasonAborted        ArgoReason = "Aborted"        // the update is given up: a person retries, or rolls back
)

// Reasons for which a Rollout waits. Have and Limit of an [ArgoHold] are the two numbers
// that the comment compares.
const (
	ArgoReasonPaused        ArgoReason = "Paused"        // the Rollout is paused
	ArgoReasonApproval      ArgoReason = "Approval"      // a person has to confirm step Have of Limit
	ArgoReasonPause         ArgoReason = "Pause"         // Have of Limit seconds of the pause have passed
	ArgoReasonBatchNotReady ArgoReason = "BatchNotReady" // Have pods of the step are available, it asks for Limit
)
