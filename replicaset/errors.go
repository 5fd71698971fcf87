// SPDX-License-Identifier: Apache-2.0

package replicaset

import "github.com/kplan-go/kplan/selector"

// A FieldError reports a field of a [Snapshot] that [Reconcile] rejects:
//
//	Path   string // the field, such as ReplicaSets["web-1"].Replicas
//	Value  any    // what it holds
//	Detail string // what it must hold
//	Err    error  // the cause, or nil
//
//	Error() string   // path: value: detail
//	Unwrap() []error // ErrInvalid and Err
type FieldError = selector.FieldError

// ErrInvalid is wrapped by every error that [Reconcile] returns.
var ErrInvalid = selector.ErrInvalid
