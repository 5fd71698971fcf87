package selector

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// ErrNotExecuted is the error of actions without an outcome.
var ErrNotExecuted = errors.New("the action was not executed")

// ErrGone says that a child was to be adopted and is not there any more. Nothing that
// was decided with it in mind may be carried out: decide again without it.
var ErrGone = errors.New("what was to be adopted is gone")

// An Outcome is what became of an action, or of one of its calls.
type Outcome struct {
	Answer ServerAnswer
	// Name and UID are those of what was created.
	Name string
	UID  string
	// ResourceVersion is the version that the call has left, if it is known.
	ResourceVersion string
	Err             error // of Failed, and if there is one of the others; Done has none
}

// A ServerAnswer is the kind of an [Outcome]. The empty one is that the action was not
// executed.
type ServerAnswer string

// The answers of the API server.
const (
	Done                 ServerAnswer = "Done"
	NotFound             ServerAnswer = "NotFound"             // 404: the object is gone
	Invalid              ServerAnswer = "Invalid"              // 422: the child has another controller, no reference, or another UID
	Changed              ServerAnswer = "Changed"              // 409: the object is not, or no longer, as it was read
	AlreadyExists        ServerAnswer = "AlreadyExists"        // 409: the name is taken
	NamespaceTerminating ServerAnswer = "NamespaceTerminating" // 403: the namespace is being deleted, and nothing is created in it
	Failed               ServerAnswer = "Failed"               // anything else
)

// Failure returns the error of an outcome that is not Done.
func (o *Outcome) Failure() error {
	switch {
	case o.Err != nil:
		return o.Err
	case o.Answer == "":
		return ErrNotExecuted
	}
	return fmt.Errorf("the API server answered %s", o.Answer)
}

// Adopted returns the error of an adoption with this outcome, nil if it was carried
// out. If the child is gone the error is [ErrGone] and no failure of the pass.
func (o *Outcome) Adopted() error {
	switch o.Answer {
	case Done:
		return nil
	case NotFound:
		return ErrGone
	}
	return o.Failure()
}

// Released returns the error of a release with this outcome: none if the child is gone,
// or somebody else has released it.
func (o *Outcome) Released() error {
	switch o.Answer {
	case Done, NotFound, Invalid:
		return nil
	}
	return o.Failure()
}

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
			if err := o.Adopted(); err == nil {
				claimed = append(claimed, a.Child)
			} else if err != ErrGone {
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
