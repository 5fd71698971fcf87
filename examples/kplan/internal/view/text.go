// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// count returns a number with a noun in the singular or plural.
func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// oneLine returns a text as one line of limited length.
func oneLine(text string) string { return cut(text, 160) }

func clock(d time.Duration) string { return terminal.Clock(d) }

// maxPods is the maximum number of pods of the same kind that a table names.
const maxPods = 10
