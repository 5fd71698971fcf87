// Package field holds what every planner needs to reject bad input: an error
// that names the field, a list that reports all errors at once, and a search
// for names that occur twice.
package field

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// ErrInvalid is wrapped by every [Error].
var ErrInvalid = errors.New("invalid input")

// An Error reports a field that cannot be used.
type Error struct {
	Path   string // the field, such as ReplicaSets["web-1"].Replicas
	Value  any    // what it holds
	Detail string // what it must hold
	Err    error  // the cause, or nil
}

// Error returns "path: value: detail", or "value: detail" if there is no path.
func (e *Error) Error() string {
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
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrInvalid}
	}
	return []error{ErrInvalid, e.Err}
}

// Errors collects the errors of one call.
type Errors []*Error

// Add records that the field at path holds value but must hold detail.
func (es *Errors) Add(path string, value any, detail string) {
	*es = append(*es, &Error{Path: path, Value: value, Detail: detail})
}

// NotNegative records an error if value is below zero.
func (es *Errors) NotNegative(path string, value int32) {
	if value < 0 {
		es.Add(path, value, "must not be negative")
	}
}

// Join returns the collected errors as one, sorted by path so that the text
// does not depend on the order of the input, or nil if there are none.
func (es Errors) Join() error {
	if len(es) == 0 {
		return nil
	}
	sorted := slices.Clone(es)
	slices.SortFunc(sorted, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Error(), b.Error()))
	})
	sorted = slices.CompactFunc(sorted, func(a, b *Error) bool { return a.Error() == b.Error() })
	errs := make([]error, len(sorted))
	for i, e := range sorted {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// Element returns the path of a list element, which is named and not numbered
// because its number depends on the order of the input.
func Element(list, name string) string {
	return list + "[" + strconv.Quote(name) + "]"
}
