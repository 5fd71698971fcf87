// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"slices"
	"strings"
)

// An aggregate is a list of errors with the text that Kubernetes prints.
type aggregate []error

// Error returns the messages without repetitions, and in brackets if there are several.
func (a aggregate) Error() string {
	var once []string
	for _, err := range a {
		if t := err.Error(); !slices.Contains(once, t) {
			once = append(once, t)
		}
	}
	if len(once) == 1 {
		return once[0]
	}
	return "[" + strings.Join(once, ", ") + "]"
}

func (a aggregate) Unwrap() []error { return a }

// combined returns the errors as one error, or nil if there are none.
func combined(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return aggregate(errs)
}
