// SPDX-License-Identifier: Apache-2.0

package kplan

import (
	"errors"
	"fmt"
)

// ErrNotExecuted is the error of actions without an outcome.
var ErrNotExecuted = errors.New("the action was not executed")

// ErrGone means that a child to adopt no longer exists. The rest of the plan must not be
// carried out: plan again without the child.
var ErrGone = errors.New("what was to be adopted is gone")

// An Outcome is the result of an action, or of one of its calls. An executor makes the calls in the
// order of the plan and reports each answer unchanged; it neither repeats a call nor chooses another
// name by itself. Finish of the planner then returns the status to write and the error, after which
// the pass is retried: AlreadyExists, for example, leads to the existing ReplicaSet if that is the
// wanted one, and to another hash and name if it is not.
type Outcome struct {
	Answer ServerAnswer
	// Name and UID identify a created object.
	Name string
	UID  string
	// ResourceVersion is the version of the object after the call, if known.
	ResourceVersion string
	Err             error // the error of Failed, optional for other answers, nil for Done
}

// A ServerAnswer is the class of an [Outcome]. It is empty if the action was not executed.
type ServerAnswer string

// The answers of the API server.
const (
	Done                 ServerAnswer = "Done"
	NotFound             ServerAnswer = "NotFound"             // 404: the object is gone
	Invalid              ServerAnswer = "Invalid"              // 422: the child has another controller, no reference, or another UID
	Changed              ServerAnswer = "Changed"              // 409: the object differs from the version that was read
	AlreadyExists        ServerAnswer = "AlreadyExists"        // 409: the name is taken
	NamespaceTerminating ServerAnswer = "NamespaceTerminating" // 403: the namespace is being deleted, and refuses new objects
	Failed               ServerAnswer = "Failed"               // anything else
)

// Failure returns the error of an outcome other than Done.
func (o *Outcome) Failure() error {
	switch {
	case o.Err != nil:
		return o.Err
	case o.Answer == "":
		return ErrNotExecuted
	}
	return fmt.Errorf("the API server answered %s", o.Answer)
}

// Adopted returns the error of an adoption with this outcome, or nil. If the child no
// longer exists, the error is [ErrGone], which is no failure of the pass.
func (o *Outcome) Adopted() error {
	switch o.Answer {
	case Done:
		return nil
	case NotFound:
		return ErrGone
	}
	return o.Failure()
}

// Released returns the error of a release with this outcome: nil also if the child no
// longer exists, or was already released.
func (o *Outcome) Released() error {
	switch o.Answer {
	case Done, NotFound, Invalid:
		return nil
	}
	return o.Failure()
}
