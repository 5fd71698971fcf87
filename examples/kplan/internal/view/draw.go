// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"math"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// Draw draws the strategies side by side: the time in which half and nine tenths of their rollouts
// finish, and the minimum of available pods.
func (c Comparison) Draw(w *terminal.Writer) {
	var times, available []chart.Bar
	longest, peak := time.Duration(0), int32(0)
	for i := range c.Trials {
		t := &c.Trials[i]
		half, _ := t.quantile(50)
		most, finished := t.quantile(90)
		longest, peak = max(longest, half, most), max(peak, t.Peak)
		bar := chart.Bar{Name: t.Strategy, Full: half.Seconds(), Light: most.Seconds(), Text: t.quantileText(50)}
		if !finished {
			bar.Light = math.Inf(1)
		}
		if c.Runs > 1 {
			bar.Text += ", " + t.quantileText(90)
		}
		times = append(times, bar)
		available = append(available, chart.Bar{Name: t.Strategy, Full: float64(t.LeastAvailable), Text: fmt.Sprint(t.LeastAvailable)})
	}
	title := "TIME"
	if c.Runs > 1 {
		title = "TIME P50, P90"
	}
	chart.Bars(w, title, clock(longest), longest.Seconds(), times)
	w.Printf("\n")
	chart.Bars(w, "MIN AVAILABLE", fmt.Sprint(peak), float64(peak), available)
}
