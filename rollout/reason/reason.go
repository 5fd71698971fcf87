// SPDX-License-Identifier: Apache-2.0

// Package reason names the limits that keep a set from changing further in a step of a rolling
// update: see rollout.Wait. The comments give the meaning of its numbers Have and Limit.
package reason

import "github.com/kplan-go/kplan"

// Reasons to wait. Plans of Deployments have holds with the same names.
const (
	SurgeExhausted kplan.Reason = "SurgeExhausted" // Have pods are wanted (by some policies: exist), Limit are allowed
	Terminating    kplan.Reason = "Terminating"    // Have pods are wanted or terminating, Limit may be
	MinAvailable   kplan.Reason = "MinAvailable"   // Have pods stay available, Limit must
	StatusBehind   kplan.Reason = "StatusBehind"   // Have pods of the new set exist, it wants Limit: see rollout.Policy.WaitForNew
	StatusAhead    kplan.Reason = "StatusAhead"    // Have pods of the set are available, it wants Limit
	Kept           kplan.Reason = "Kept"           // the set wants Have pods, and keeps Limit: see rollout.Counting.Keeps
	OnDelete       kplan.Reason = "OnDelete"       // old pods stay until a user deletes them: Have pods exist, Limit may
	MovesInPlace   kplan.Reason = "MovesInPlace"   // pods move in place: of an old set Have exist and Limit may move; the new one wants Have, of Limit
)
