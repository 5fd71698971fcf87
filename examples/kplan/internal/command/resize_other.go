// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package command

import "os"

// windowResized is nil where no signal tells of another size of the window: it is seen when that is drawn
// anew the next time.
var windowResized os.Signal
