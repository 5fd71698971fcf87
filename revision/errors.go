package revision

import "github.com/kplan-go/kplan/selector"

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

// ErrInvalid is wrapped by every [FieldError]. What kubectl or a controller refuses
// is a [Refusal], and does not wrap it.
var ErrInvalid = selector.ErrInvalid
