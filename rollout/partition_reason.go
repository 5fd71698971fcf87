package rollout

import "github.com/kplan-go/kplan/selector"

// A PartitionReason says what a partition waits for.
type PartitionReason string

// A PartitionHold is what a partition waits for:
//
//	Node   string // always ""
//	Name   string // always ""
//	Reason PartitionReason
//	Have   int64 // the number that Reason compares
//	Limit  int64 // and what it is compared with
//
//	String() string // one line such as "held back: TooFewUpdated (1 of 2)"
type PartitionHold = selector.Hold[PartitionReason]

// The reasons. Have and Limit of a [PartitionHold] are the two numbers that the comment
// compares.
const (
	PartitionReasonNotObserved    PartitionReason = "NotObserved"    // the workload has observed generation Have of Limit
	PartitionReasonSizeNotReached PartitionReason = "SizeNotReached" // Have pods exist, Limit are wanted
	PartitionReasonTooFewUpdated  PartitionReason = "TooFewUpdated"  // Have pods are updated, Limit are to be
)
