// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan"

// Reasons why an update waits at a partition. The comments say what Have and Limit of the
// [kplan.Hold] are.
const (
	ReasonNotObserved    kplan.Reason = "NotObserved"    // the observed generation is Have, the generation Limit
	ReasonSizeNotReached kplan.Reason = "SizeNotReached" // Have pods exist, Limit pods are wanted
	ReasonTooFewUpdated  kplan.Reason = "TooFewUpdated"  // Have pods are updated, fewer than Limit
)
