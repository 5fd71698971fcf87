// SPDX-License-Identifier: Apache-2.0

package command

// Exit codes.
const (
	exitFailure = 1 // bad input, a refusal of kubectl, or a rollout that does not finish or is stuck
	exitUsage   = 2 // bad flags or arguments
	exitTimeout = 3 // the time of --timeout is over

	exitInterrupted = 130 // as for programs that SIGINT ends
)

// A failure is an error in the task of a command. Usage errors are no failures.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// An ended is the end of a command with its own exit code and a message, "" for none.
type ended struct {
	code int
	text string
}

func (e *ended) Error() string { return e.text }
