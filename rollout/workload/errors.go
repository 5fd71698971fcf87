// SPDX-License-Identifier: Apache-2.0

package workload

import "github.com/kplan-go/kplan/selector"

// A FieldError reports a value that cannot be used:
//
//	Path   string // the field, or "" if the value stands alone
//	Value  any    // what it holds
//	Detail string // what it must hold
//	Err    error  // the cause, or nil
//
//	Error() string   // path: value: detail
//	Unwrap() []error // ErrInvalid and Err
type FieldError = selector.FieldError

// ErrInvalid is wrapped by every error of this package.
var ErrInvalid = selector.ErrInvalid
