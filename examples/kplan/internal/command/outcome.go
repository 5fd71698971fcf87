// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
)

// An outcome is a simulated rollout and what it is of, or why there is none.
type outcome struct {
	result rolled
	of     subject
	err    error
}

// A rolled document is a simulated rollout, which tells why it was not completed, or "".
type rolled interface {
	document
	Unfinished() string
}

// A subject is an object that a rollout is of.
type subject interface {
	ID() manifest.ID
	Invalid(error) error
}

// unfinished returns an error if a rollout has not been completed.
func unfinished(o outcome) error {
	if text := o.result.Unfinished(); text != "" {
		return o.of.Invalid(errors.New(text))
	}
	return nil
}
