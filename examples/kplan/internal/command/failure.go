// SPDX-License-Identifier: Apache-2.0

package command

// Exit codes.
const (
	exitFailure = 1 // bad input, a refusal of kubectl, or a rollout that does not finish or is stuck
	exitUsage   = 2 // bad flags or arguments
	exitTimeout = 3 // the time of --timeout is over

	exitInterrupted = 130 // as of programs that the signal ends
)

// A failure is an error of what a command was asked to do, as opposed to how it
// was asked.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// An ended is an end with an exit code of its own, of which the user is told, if at all.
type ended struct {
	code int
	text string
}

func (e *ended) Error() string { return e.text }
