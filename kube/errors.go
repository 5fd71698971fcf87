// SPDX-License-Identifier: Apache-2.0

package kube

import "github.com/kplan-go/kplan/selector"

// A FieldError reports a field of an API object that cannot be used:
//
//	Path   string // the field as the API spells it, such as spec.strategy.rollingUpdate.maxSurge
//	Value  any    // what it holds
//	Detail string // what it must hold
//	Err    error  // the cause, or nil
//
//	Error() string   // path: value: detail
//	Unwrap() []error // ErrInvalid and Err
type FieldError = selector.FieldError

// ErrInvalid is wrapped by every error of this package.
var ErrInvalid = selector.ErrInvalid
