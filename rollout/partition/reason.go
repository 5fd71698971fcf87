// SPDX-License-Identifier: Apache-2.0

package partition

// A Reason is the reason why an update waits at a partition.
type Reason string

// The reasons. Have and Limit of a [kplan.Hold] are the two numbers that the comment
// compares.
const (
	ReasonNotObserved    Reason = "NotObserved"    // the workload has observed generation Have of Limit
	ReasonSizeNotReached Reason = "SizeNotReached" // Have pods exist, Limit are wanted
	ReasonTooFewUpdated  Reason = "TooFewUpdated"  // Have pods are updated, Limit are to be
)
