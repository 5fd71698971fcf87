// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"
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

// clock writes a duration as people do, with no more digits than matter: 15m, 1m30s, 2.5s.
func clock(d time.Duration) string {
	switch {
	case d >= time.Minute:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(100 * time.Millisecond)
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// maxPods is how many pods a table names that are all of one kind.
const maxPods = 10
