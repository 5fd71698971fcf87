// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
)

// An outcome is a simulated rollout with its workload, or an error.
type outcome struct {
	result rolled
	of     Subject
	err    error
}

// A rolled document is a simulated rollout. Unfinished returns the reason why it did not finish,
// or "".
type rolled interface {
	document
	Unfinished() string
}

// unfinished returns an error if a rollout did not finish.
func unfinished(o outcome) error {
	if text := o.result.Unfinished(); text != "" {
		return o.of.Invalid(errors.New(text))
	}
	return nil
}
