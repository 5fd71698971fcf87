// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan"
)

// ApplyOutcome returns the indexes of the children that are claimed after the actions of r, in
// ascending order, and one error that joins r.Failures and the errors of failed actions, ordered by
// child. A failure does not stop the other actions. Outcomes are in the order of the actions; an action without an outcome
// counts as failed.
//
// A child that is gone is not claimed, and this is no failure: unlike a plan with [kplan.ErrGone], the
// other claims still count. Neither is a release that the server finds invalid: the
// reference was already removed, or the child is a new object.
//
// It mirrors ClaimPods of the controller package of Kubernetes.
func ApplyOutcome(r Resolution, outcomes []kplan.Outcome) (claimed []int, err error) {
	failures := slices.Clone(r.Failures)
	claimed = slices.Clone(r.Keep)
	for i, a := range r.Actions {
		var o kplan.Outcome
		if i < len(outcomes) {
			o = outcomes[i]
		}
		switch a := a.(type) {
		case AdoptChild:
			if err := o.Adopted(); err == nil {
				claimed = append(claimed, a.Child)
			} else if err != kplan.ErrGone {
				failures = append(failures, Failure{a.Child, err})
			}
		case ReleaseChild:
			if err := o.Released(); err != nil {
				failures = append(failures, Failure{a.Child, err})
			}
		}
	}
	slices.Sort(claimed)
	slices.SortStableFunc(failures, func(a, b Failure) int { return cmp.Compare(a.Child, b.Child) })
	errs := make([]error, len(failures))
	for i, f := range failures {
		errs[i] = f
	}
	return claimed, combined(errs)
}
