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

// count writes a number with the singular or the plural.
func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// oneLine returns a text without line breaks, and not longer than a line.
func oneLine(text string) string { return cut(text, 160) }

func clock(d time.Duration) string { return terminal.Clock(d) }

// maxPods is how many pods a table names that are all of one kind.
const maxPods = 10
