// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package command

import "os"

// windowResized is nil on systems without a signal for a new window size. The next redraw uses
// the new size.
var windowResized os.Signal
