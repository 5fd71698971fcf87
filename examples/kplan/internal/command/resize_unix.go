// SPDX-License-Identifier: Apache-2.0

//go:build unix

package command

import (
	"os"
	"syscall"
)

// windowResized is the signal of a new window size.
var windowResized os.Signal = syscall.SIGWINCH
