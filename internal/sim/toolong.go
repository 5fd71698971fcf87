// SPDX-License-Identifier: Apache-2.0

package sim

import "errors"

// ErrTooLong tells that a run has used up [Kubelet.Looks].
var ErrTooLong = errors.New("too much for one simulation")

// look counts that a planner looks at so many pods or nodes. It reports whether it may.
func (w *World) look(n int) bool {
	if w.looks == nil {
		return true
	}
	if *w.looks -= int64(n); *w.looks < 0 {
		w.fail(ErrTooLong)
		return false
	}
	return true
}

// looksOfTracker is as how many looks at a pod a plan of a Tracker counts, with all that follows
// from it.
const looksOfTracker = 250
