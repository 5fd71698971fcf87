// SPDX-License-Identifier: Apache-2.0

// Package reason names the reasons of actions and holds in plans of ReplicaSets.
package reason

import "github.com/kplan-go/kplan"

// Reasons of actions and holds. The comments of holds say what Have and Limit of the
// [kplan.Hold] are; without them both are 0.
const (
	Orphan       kplan.Reason = "Orphan"       // the pod is selected and has no controller
	NoMatch      kplan.Reason = "NoMatch"      // the pod is controlled but not selected
	TooFew       kplan.Reason = "TooFew"       // fewer active pods than wanted
	TooMany      kplan.Reason = "TooMany"      // more active pods than wanted
	Burst        kplan.Reason = "Burst"        // Have pods to create or delete, at most Limit in one plan
	Expectations kplan.Reason = "Expectations" // Have expected writes have not been seen yet; Limit is 0
	Expired      kplan.Reason = "Expired"      // Have expected writes were not seen in time; planned anyway; Limit is 0
	StalePods    kplan.Reason = "StalePods"    // the cache has read pods up to version Have; Limit was written
	StaleOwner   kplan.Reason = "StaleOwner"   // the cache has read ReplicaSets up to version Have; Limit was written
	BadSelector  kplan.Reason = "BadSelector"  // the selector cannot be used; the plan has no actions
	Terminating  kplan.Reason = "Terminating"  // Have pods are being deleted; Limit pods are missing
	Protected    kplan.Reason = "Protected"    // Have pods must not be deleted, so fewer than Limit are deleted
	Deleting     kplan.Reason = "Deleting"     // the ReplicaSet is being deleted; Have pods are active, Limit wanted
	NotReady     kplan.Reason = "NotReady"     // Have of Limit active pods are ready
	NotAvailable kplan.Reason = "NotAvailable" // Have of Limit ready pods are available
)
