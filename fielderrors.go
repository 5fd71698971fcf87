// SPDX-License-Identifier: Apache-2.0

package kplan

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// FieldErrors collects all errors of one call, so that a user learns of them at once. The zero value
// is an empty list.
type FieldErrors []*FieldError

// Add records that the field at path has the given value, and detail, which says what it must be,
// such as "must not be negative".
func (es *FieldErrors) Add(path string, value any, detail string) {
	*es = append(*es, &FieldError{Path: path, Value: value, Detail: detail})
}

// AddBelow records the field errors of err, one or several joined by [FieldErrors.Join], with paths
// below path: "Policy.OfReady" becomes "Options.Policy.OfReady". It ignores other errors.
func (es *FieldErrors) AddBelow(path string, err error) {
	switch err := err.(type) {
	case *FieldError:
		*es = append(*es, &FieldError{Path: strings.TrimSuffix(path+"."+err.Path, "."), Value: err.Value, Detail: err.Detail, Err: err.Err})
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			es.AddBelow(path, e)
		}
	}
}

// NotNegative records an error if value is below zero.
func (es *FieldErrors) NotNegative(path string, value int32) {
	if value < 0 {
		es.Add(path, value, "must not be negative")
	}
}

// Join returns the collected errors as one, or nil if there are none. Each occurs once; nil
// elements are ignored. They are sorted by path, so that the text does not depend on the order of
// the input.
func (es FieldErrors) Join() error {
	sorted := slices.DeleteFunc(slices.Clone(es), func(e *FieldError) bool { return e == nil })
	if len(sorted) == 0 {
		return nil
	}
	slices.SortFunc(sorted, func(a, b *FieldError) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Error(), b.Error()))
	})
	sorted = slices.CompactFunc(sorted, func(a, b *FieldError) bool { return a.Error() == b.Error() })
	errs := make([]error, len(sorted))
	for i, e := range sorted {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// ElementPath returns the path of the element with a name, such as ReplicaSets["web-1"]. It has the
// name, since the index of an element depends on the order of the input.
func ElementPath(list, name string) string {
	return list + "[" + strconv.Quote(name) + "]"
}
