// SPDX-License-Identifier: Apache-2.0

package claim

import "github.com/kplan-go/kplan/internal/base/zero"

// A Verdict is the result of a decision about a child.
type Verdict string

// The verdicts.
const (
	Keep    Verdict = "Keep"    // it is claimed already
	Adopt   Verdict = "Adopt"   // the owner becomes its controller
	Release Verdict = "Release" // the owner ceases to be its controller
	Ignore  Verdict = "Ignore"  // it is not claimed, and nothing is done
)

// A Reason is the reason for a verdict.
type Reason string

// Reasons of decisions.
const (
	ReasonOwned              Reason = "Owned"              // Keep: it is controlled by the owner and matches
	ReasonOrphan             Reason = "Orphan"             // Adopt: it has no controller and matches
	ReasonNoMatch            Reason = "NoMatch"            // Release, Ignore: the selector does not match
	ReasonRejected           Reason = "Rejected"           // Release, Ignore: the selector matches, the caller's condition does not
	ReasonOwnedByOther       Reason = "OwnedByOther"       // Ignore: it has another controller
	ReasonControllerDeleting Reason = "ControllerDeleting" // Ignore: the owner is being deleted
	ReasonObjectDeleting     Reason = "ObjectDeleting"     // Ignore: the orphan is being deleted
	ReasonOtherNamespace     Reason = "OtherNamespace"     // Ignore: the orphan is in another namespace
	ReasonTerminating        Reason = "Terminating"        // Ignore: it would be kept, but is being deleted; [DecideActive]
	ReasonInactive           Reason = "Inactive"           // Ignore: it is finished or being deleted; [DecideActive]
)

// A Decision is a verdict about a child, and its reason.
type Decision struct {
	Verdict Verdict `json:"verdict"`
	Reason  Reason  `json:"reason"`
}

// String returns "Adopt (Orphan)".
func (d Decision) String() string { return string(d.Verdict) + " (" + string(d.Reason) + ")" }

// Decide decides about the child c of o. It reads few fields: of a child with another
// controller only the controller, of other children the labels first. It allocates nothing
// and keeps neither pointer.
//
// It mirrors BaseControllerRefManager.ClaimObject of the controller package of
// Kubernetes.
func Decide(o *Owner, c *Child) Decision {
	o, c = zero.Or(o), zero.Or(c)
	if c.ControllerUID != o.UID && c.Controlled() {
		return Decision{Ignore, ReasonOwnedByOther}
	}
	if !c.Controlled() {
		return decideOrphan(o, c)
	}
	switch {
	case o.matches(c):
		return Decision{Keep, ReasonOwned}
	case o.Deleting:
		return Decision{Ignore, ReasonControllerDeleting}
	}
	return Decision{Release, o.mismatch(c)}
}

func decideOrphan(o *Owner, c *Child) Decision {
	switch {
	case o.Deleting:
		return Decision{Ignore, ReasonControllerDeleting}
	case !o.matches(c):
		return Decision{Ignore, o.mismatch(c)}
	case c.Deleting:
		return Decision{Ignore, ReasonObjectDeleting}
	case o.Namespace != "" && o.Namespace != c.Namespace:
		return Decision{Ignore, ReasonOtherNamespace}
	}
	return Decision{Adopt, ReasonOrphan}
}

// mismatch returns the reason why a child does not match the owner.
func (o *Owner) mismatch(c *Child) Reason {
	if c.Rejected && o.Selector.Matches(c.Labels) {
		return ReasonRejected
	}
	return ReasonNoMatch
}
