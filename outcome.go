// SPDX-License-Identifier: Apache-2.0

package kplan

import (
	"errors"
	"fmt"
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
