// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"strconv"
)

// A RefusalReason is the reason of a [Refusal].
type RefusalReason string

// The reasons of refusals. Each comment is the text of the error.
const (
	RefusedNotFound      RefusalReason = "NotFound"      // unable to find specified revision N in history
	RefusedNoHistory     RefusalReason = "NoHistory"     // no rollout history found for deployment "NAME"
	RefusedNoLast        RefusalReason = "NoLast"        // no last revision to roll back to
	RefusedNegative      RefusalReason = "Negative"      // revision must be a positive integer: N
	RefusedNotShown      RefusalReason = "NotShown"      // unable to find the specified revision
	RefusedUndoPaused    RefusalReason = "UndoPaused"    // you cannot rollback a paused deployment; …
	RefusedPaused        RefusalReason = "Paused"        // is already paused
	RefusedNotPaused     RefusalReason = "NotPaused"     // is not paused
	RefusedRestartPaused RefusalReason = "RestartPaused" // can't restart paused deployment (…)
	RefusedUnreadable    RefusalReason = "Unreadable"    // cannot get the revision of deployment "NAME": …
	RefusedOther         RefusalReason = "Other"         // desired revision (N) is different from the running revision (M)
	RefusedDeadline      RefusalReason = "Deadline"      // deployment "NAME" exceeded its progress deadline
	RefusedRestore       RefusalReason = "Restore"       // failed restoring revision N: …
)

// A Refusal is the error of a command that kubectl refuses. Its text is exactly kubectl's.
type Refusal struct {
	Reason  RefusalReason
	Name    string // of the Deployment
	Number  int64  // the requested revision
	Running int64  // the present revision of the Deployment, for RefusedOther
	Err     error  // the cause, or nil
}

// Unwrap returns r.Err.
func (r *Refusal) Unwrap() error { return r.Err }

// Error returns kubectl's text.
func (r *Refusal) Error() string {
	number, name := strconv.FormatInt(r.Number, 10), strconv.Quote(r.Name)
	switch r.Reason {
	case RefusedNotFound:
		return "unable to find specified revision " + number + " in history"
	case RefusedNoHistory:
		return "no rollout history found for deployment " + name
	case RefusedNoLast:
		return "no last revision to roll back to"
	case RefusedNegative:
		return "revision must be a positive integer: " + number
	case RefusedNotShown:
		return "unable to find the specified revision"
	case RefusedUndoPaused:
		return "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
	case RefusedPaused:
		return "is already paused"
	case RefusedNotPaused:
		return "is not paused"
	case RefusedRestartPaused:
		return "can't restart paused deployment (run rollout resume first)"
	case RefusedUnreadable:
		return fmt.Sprintf("cannot get the revision of deployment %s: %v", name, r.Err)
	case RefusedOther:
		return fmt.Sprintf("desired revision (%d) is different from the running revision (%d)", r.Number, r.Running)
	case RefusedDeadline:
		return "deployment " + name + " exceeded its progress deadline"
	case RefusedRestore:
		return fmt.Sprintf("failed restoring revision %d: %v", r.Number, r.Err)
	}
	return string(r.Reason)
}
