// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of ReplicaSets.
package reason

import "github.com/kplan-go/kplan"

// Reasons of actions and holds. Have and Limit of a [kplan.Hold] are the numbers in the
// comment.
const (
	Orphan       kplan.Reason = "Orphan"       // the pod is selected and has no controller
	NoMatch      kplan.Reason = "NoMatch"      // the pod is no longer selected
	TooFew       kplan.Reason = "TooFew"       // fewer active pods than wanted
	TooMany      kplan.Reason = "TooMany"      // more active pods than wanted
	Burst        kplan.Reason = "Burst"        // Have pods are missing or surplus, Limit may change at once
	Expectations kplan.Reason = "Expectations" // Have writes have not been seen yet, Limit may be outstanding
	Expired      kplan.Reason = "Expired"      // Have writes have not been seen for too long and are given up
	StalePods    kplan.Reason = "StalePods"    // the pods are of version Have, and version Limit was written
	StaleOwner   kplan.Reason = "StaleOwner"   // the ReplicaSet is of version Have, and version Limit was written
	BadSelector  kplan.Reason = "BadSelector"  // the selector cannot be used, and nothing is done
	Terminating  kplan.Reason = "Terminating"  // Have pods are being deleted, of Limit that are missing
	Protected    kplan.Reason = "Protected"    // Have pods that must not be deleted are in the way of Limit deletions
	Deleting     kplan.Reason = "Deleting"     // the ReplicaSet is being deleted; Have active pods, Limit wanted
	NotReady     kplan.Reason = "NotReady"     // Have pods are ready of Limit active
	NotAvailable kplan.Reason = "NotAvailable" // Have pods are available of Limit ready
)
