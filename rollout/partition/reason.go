// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan"

// Reasons for which an update waits at a partition. Have and Limit of a [kplan.Hold] are the two
// numbers that the comment
// compares.
const (
	ReasonNotObserved    kplan.Reason = "NotObserved"    // the workload has observed generation Have of Limit
	ReasonSizeNotReached kplan.Reason = "SizeNotReached" // Have pods exist, Limit are wanted
	ReasonTooFewUpdated  kplan.Reason = "TooFewUpdated"  // Have pods are updated, Limit are to be
)
