// SPDX-License-Identifier: Apache-2.0

// Package chart draws the course of a rollout over time, on a terminal and as SVG.
package chart

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Chart is several series and marks on one time axis.
type Chart struct {
	Title   string
	End     time.Duration
	Pods    []Series // numbers of pods
	Traffic *Series  // percent of the requests to new pods, or nil
	Bounds  []Bound
	Spans   []Span
	Marks   []Mark
	Zones   []Series // numbers of pods by zone, in a separate plot; nil without zones
}

// A Series is a number that changes at points.
type Series struct {
	Name    string
	Points  []Point // in order of time
	Stacked bool    // drawn as an area on top of other stacked series
}

// A Point is an instant and the number from then on.
type Point struct {
	At    time.Duration
	Value float64
}

// A Bound is an upper or lower limit of the number of pods.
type Bound struct {
	Name  string
	Value float64
	Least bool // a lower limit
}

// A Span is a named period, such as a pause.
type Span struct {
	Name     string
	From, To time.Duration
}

// A Mark is a named instant, such as a step.
type Mark struct {
	At   time.Duration
	Name string
}

// Add adds a point if the number changes.
func (s *Series) Add(at time.Duration, value float64) {
	n := len(s.Points)
	switch {
	case n > 0 && s.Points[n-1].At == at:
		s.Points[n-1].Value = value
	case n == 0 || s.Points[n-1].Value != value:
		s.Points = append(s.Points, Point{at, value})
	}
}

// at returns the number at an instant, 0 before the first point.
func (s *Series) at(t time.Duration) float64 {
	value := 0.0
	for _, p := range s.Points {
		if p.At > t {
			break
		}
		value = p.Value
	}
	return value
}

func (s *Series) last() float64 {
	if len(s.Points) == 0 {
		return 0
	}
	return s.Points[len(s.Points)-1].Value
}

// most returns the largest number of pods.
func (c *Chart) most() float64 {
	most := 1.0
	for _, s := range c.Pods {
		for _, p := range s.Points {
			most = max(most, p.Value)
		}
	}
	return most
}

// The width of the time axis on a terminal, in characters.
const (
	leastWidth = 20
	mostWidth  = 72
)

// axis returns the width of the time axis next to labels and numbers with the given width.
func axis(w *terminal.Writer, labels int) int {
	if w.Width() == 0 {
		return mostWidth
	}
	return min(max(w.Width()-labels, leastWidth), mostWidth)
}

// Text draws the chart with one row for each series, and one for the spans.
func (c *Chart) Text(w *terminal.Writer) {
	label, number := 0, 0
	for _, s := range c.rows() {
		label = max(label, len([]rune(terminal.Escape(s.Name))))
		number = max(number, len(fmt.Sprint(s.last())))
	}
	width := axis(w, label+len("  ")+len(" ")+number)
	w.Printf("%-*s  0s%*s\n", label, "", width-2, terminal.Clock(c.End))
	most := c.most()
	for _, s := range c.Pods {
		c.row(w, &s, label, width, most)
	}
	if c.Traffic != nil {
		c.row(w, c.Traffic, label, width, 100)
	}
	if len(c.Spans) > 0 {
		w.Printf("%-*s  %s\n", label, "pauses", c.spans(width))
	}
}

// rows returns all rows with a label.
func (c *Chart) rows() []Series {
	rows := append([]Series{{Name: "pauses"}}, c.Pods...)
	if c.Traffic != nil {
		rows = append(rows, *c.Traffic)
	}
	return rows
}

// instant returns the time of a column.
func (c *Chart) instant(column, width int) time.Duration {
	return time.Duration(float64(c.End) * float64(column) / float64(width-1))
}

// row draws a series as a line of blocks, and its last number.
func (c *Chart) row(w *terminal.Writer, s *Series, label, width int, most float64) {
	const blocks = " ▁▂▃▄▅▆▇█"
	levels := []rune(blocks)
	var line strings.Builder
	for i := range width {
		share := s.at(c.instant(i, width)) / most
		line.WriteRune(levels[int(math.Ceil(min(max(share, 0), 1)*float64(len(levels)-1)))])
	}
	w.Printf("%-*s  %s %v\n", label, s.Name, line.String(), s.last())
}

func (c *Chart) spans(width int) string {
	line := []rune(strings.Repeat(" ", width))
	for _, s := range c.Spans {
		first := -1
		for i := range width {
			if t := c.instant(i, width); t >= s.From && t <= s.To {
				line[i] = '░'
				if first < 0 {
					first = i
				}
			}
		}
		for i, r := range []rune(s.Name) {
			if at := first + i; first >= 0 && at < width && c.instant(at, width) <= s.To {
				line[at] = r
			}
		}
	}
	return strings.TrimRight(string(line), " ")
}
