// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"errors"
	"fmt"
)

// ErrInvalid is wrapped by every error about bad input, in all packages of this module.
var ErrInvalid = errors.New("invalid input")

// A FieldError reports a field that cannot be used. It is the same type in all packages
// of this module.
type FieldError struct {
	Path   string // the field, such as ReplicaSets["web-1"].Replicas, or "" if the value stands alone
	Value  any    // what it holds
	Detail string // what it must hold
	Err    error  // the cause, or nil; of a selector the class, such as ErrRequired
}

// Error returns "path: value: detail", or "value: detail" if there is no path.
func (e *FieldError) Error() string {
	path := e.Path
	if path != "" {
		path += ": "
	}
	if s, ok := e.Value.(string); ok {
		return fmt.Sprintf("%s%q: %s", path, s, e.Detail)
	}
	return fmt.Sprintf("%s%v: %s", path, e.Value, e.Detail)
}

// Unwrap makes errors.Is find [ErrInvalid] and the cause.
func (e *FieldError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrInvalid}
	}
	return []error{ErrInvalid, e.Err}
}
