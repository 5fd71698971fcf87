// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// marks draws a triangle above the plot for each mark, and its name if there is room.
func (a *plot) marks() {
	free := 0.0
	for _, m := range a.c.Marks {
		x := a.x(m.At)
		a.p.put(`<path class="mark" d="M%s %sl-4 -6h8z"/>`, number(x), number(a.top-1))
		half := charWidth * float64(len([]rune(terminal.Escape(m.Name)))) / 2
		if x-half < free {
			continue
		}
		a.p.text(x, a.top-9, `class="axis" text-anchor="middle"`, m.Name)
		free = x + half + charWidth
	}
}

// A Layout is the position of the time axis in a picture, from its left side to its end.
type Layout struct {
	Width, Left, Right float64
	End                time.Duration
}

// Inline returns only the plots, without title, legends and style, for a page with [Style] that
// draws the rest.
func (c *Chart) Inline() (svg string, l Layout) {
	plots := &picture{}
	height := c.plots(plots, 8, false)
	p := &picture{}
	p.begin(height, "")
	p.put("<title>%s</title>", escape(c.Title))
	p.WriteString(plots.String())
	p.put("</svg>")
	return p.String(), Layout{pictureWidth, c.left(), pictureWidth - rightOfPlot, c.end()}
}

// Legend returns the entries for the lines and areas of all plots.
func (c *Chart) Legend() []Entry {
	list := c.entries()
	if c.Traffic != nil {
		list = append(list, entriesOf([]Series{*c.Traffic}, len(c.Pods))...)
	}
	return append(list, entriesOf(c.Zones, len(c.Pods))...)
}
