// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"errors"

	"github.com/kplan-go/kplan/selector"
)

// A FieldError reports a value that cannot be used:
//
//	Path   string // the field, such as Annotations["deployment.kubernetes.io/revision"]
//	Value  any    // what it holds
//	Detail string // what it must hold
//	Err    error  // the cause, or nil
//
//	Error() string   // path: value: detail
//	Unwrap() []error // ErrInvalid and Err
type FieldError = selector.FieldError

// ErrInvalid is wrapped by every [FieldError]. What a controller or kubectl does not do
// is another error, and does not wrap it.
var ErrInvalid = selector.ErrInvalid

// ErrNoCollisionCount is the error of [FirstAttempt] without a collision count. Its text
// is upstream's, and so is that of the errors that wrap [ErrStaleCollisions].
var ErrNoCollisionCount = errors.New("collisionCount should not be nil")

// ErrStaleCollisions is wrapped by the error of [DaemonSetTaken] if the name of a revision
// was made with another collision count than the one there is.
var ErrStaleCollisions = errors.New("stale collision count")
