package selector

import (
	"cmp"
	"errors"
	"slices"
)

// ErrNotExecuted is the error of actions without an outcome.
var ErrNotExecuted = errors.New("the action was not executed")

// An Outcome is how the API server answered an action.
type Outcome struct {
	Answer ServerAnswer
	Err    error // of Failed, and if there is one of Invalid; the others ignore it
}

// A ServerAnswer is the kind of an [Outcome]. The empty one is that the action was
// not executed.
type ServerAnswer string

// The answers of the API server.
const (
	Done     ServerAnswer = "Done"
	NotFound ServerAnswer = "NotFound" // 404: the child is gone
	Invalid  ServerAnswer = "Invalid"  // 422: the child has another controller, no reference, or another UID
	Failed   ServerAnswer = "Failed"   // anything else
)

var errInvalidAnswer = errors.New("the API server found the patch invalid")

// ApplyOutcome returns the children that are claimed after the actions of r, in
// order, and the errors of those that failed, in the order of the children. A
// failure does not stop the others. Outcomes belong to the actions in order; an
// action without one counts as failed.
//
// A child that is gone is no failure. Neither is a release that the server finds
// invalid: someone else has done it, or the child is a new one.
//
// It mirrors ClaimPods of the controller package of Kubernetes 1.36.3.
func ApplyOutcome(r Resolution, outcomes []Outcome) (claimed []int, err error) {
	failures := slices.Clone(r.Failures)
	claimed = slices.Clone(r.Keep)
	for i, a := range r.Actions {
		var o Outcome
		if i < len(outcomes) {
			o = outcomes[i]
		}
		switch a := a.(type) {
		case AdoptChild:
			if o.Answer == Done {
				claimed = append(claimed, a.Child)
			} else if o.Answer != NotFound {
				failures = append(failures, Failure{a.Child, o.failure()})
			}
		case ReleaseChild:
			if o.Answer != Done && o.Answer != NotFound && o.Answer != Invalid {
				failures = append(failures, Failure{a.Child, o.failure()})
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

func (o Outcome) failure() error {
	switch {
	case o.Answer == "":
		return ErrNotExecuted
	case o.Err != nil:
		return o.Err
	case o.Answer == Invalid:
		return errInvalidAnswer
	}
	return errors.New("the action failed")
}
