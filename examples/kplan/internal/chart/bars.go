// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"math"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Bar shows two numbers. Light must not be less than Full.
type Bar struct {
	Name  string
	Full  float64
	Light float64 // +Inf is beyond the axis
	Text  string  // after the bar
}

// mostLabel is the longest label of a bar, in characters.
const mostLabel = 24

// Bars draws bars in rows on a common axis that ends at most: full up to Full, and lighter up to
// Light.
func Bars(w *terminal.Writer, title, end string, most float64, bars []Bar) {
	label, text := len([]rune(title)), 0
	for _, b := range bars {
		label = max(label, min(len([]rune(terminal.Escape(b.Name))), mostLabel))
		text = max(text, len([]rune(b.Text)))
	}
	width := axis(w, label+len("  ")+len("  ")+text)
	w.Printf("%-*s  0%*s\n", label, title, width-1, end)
	cells := func(n float64) int { return int(math.Ceil(min(n/max(most, 1e-9), 1) * float64(width))) }
	for _, b := range bars {
		full := cells(b.Full)
		all := max(full, cells(b.Light))
		line := strings.Repeat("█", full) + strings.Repeat("░", all-full) + strings.Repeat(" ", width-all)
		w.Printf("%-*s  %s  %s\n", label, terminal.Escape(terminal.Cut(b.Name, mostLabel)), line, b.Text)
	}
}
