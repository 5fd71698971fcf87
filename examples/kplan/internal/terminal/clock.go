// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"strings"
	"time"
)

// Clock returns a duration in a short form for people: 15m, 1m30s, 2.5s.
func Clock(d time.Duration) string {
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
