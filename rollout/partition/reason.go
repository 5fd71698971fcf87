// SPDX-License-Identifier: Apache-2.0

package partition

import "github.com/kplan-go/kplan/selector"

// A Reason says what a partition waits for.
type Reason string

// A Hold is what a partition waits for:
//
//	Node   string // always ""
//	Name   string // always ""
//	Reason Reason
//	Have   int64 // the number that Reason compares
//	Limit  int64 // and what it is compared with
//
//	String() string // one line such as "held back: TooFewUpdated (1 of 2)"
type Hold = selector.Hold[Reason]

// The reasons. Have and Limit of a [Hold] are the two numbers that the comment
// compares.
const (
	ReasonNotObserved    Reason = "NotObserved"    // the workload has observed generation Have of Limit
	ReasonSizeNotReached Reason = "SizeNotReached" // Have pods exist, Limit are wanted
	ReasonTooFewUpdated  Reason = "TooFewUpdated"  // Have pods are updated, Limit are to be
)
