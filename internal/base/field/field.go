// SPDX-License-Identifier: Apache-2.0

// Package field holds the common parts of input validation: a list that reports all errors at once,
// and a search for duplicate names.
package field

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/kplan-go/kplan"
)

// Errors collects the errors of one call.
type Errors []*kplan.FieldError

// Add records that the field at path holds value and is not as detail demands.
func (es *Errors) Add(path string, value any, detail string) {
	*es = append(*es, &kplan.FieldError{Path: path, Value: value, Detail: detail})
}

// NotNegative records an error if value is below zero.
func (es *Errors) NotNegative(path string, value int32) {
	if value < 0 {
		es.Add(path, value, "must not be negative")
	}
}

// Join returns the collected errors as one, or nil if there are no errors. They are sorted by path,
// so that the text does not depend on the order of the input.
func (es Errors) Join() error {
	if len(es) == 0 {
		return nil
	}
	sorted := slices.Clone(es)
	slices.SortFunc(sorted, func(a, b *kplan.FieldError) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Error(), b.Error()))
	})
	sorted = slices.CompactFunc(sorted, func(a, b *kplan.FieldError) bool { return a.Error() == b.Error() })
	errs := make([]error, len(sorted))
	for i, e := range sorted {
		errs[i] = e
	}
	return errors.Join(errs...)
}

// Element returns the path of a list element by name, not by index, because the index depends on
// the order of the input.
func Element(list, name string) string {
	return list + "[" + strconv.Quote(name) + "]"
}
