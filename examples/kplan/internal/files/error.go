// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// An Error is an error in the input, with its place.
type Error struct {
	File   string // as the user named it, or "standard input"
	Object string // such as Deployment "web", or "" if it is the file as a whole
	Err    error
}

// Error returns one line: the file, the object and the first error.
func (e *Error) Error() string {
	text := firstLine(e.Err)
	if e.Object != "" {
		text = terminal.Shorten(e.Object) + ": " + text
	}
	if e.File != "" {
		text = e.File + ": " + text
	}
	return text
}

// Cause returns the cause of an error in one line, without its place.
func Cause(err error) string {
	var in *Error
	if errors.As(err, &in) {
		err = in.Err
	}
	return firstLine(err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// firstLine returns the first of several joined errors and the number of others, in one line.
func firstLine(err error) string {
	var joined interface{ Unwrap() []error }
	text := err.Error()
	if errors.As(err, &joined) && strings.Contains(text, "\n") {
		first, rest := joined.Unwrap()[0], len(joined.Unwrap())-1
		text = fmt.Sprintf("%s (and %d more)", first, rest)
	}
	return terminal.Shorten(strings.ReplaceAll(text, "\n", " "))
}
