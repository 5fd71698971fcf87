// SPDX-License-Identifier: Apache-2.0

package chart

import (
	_ "embed" // the sheet
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// The layout of a picture, in pixels.
const (
	pictureWidth  = 760.0
	leftOfPlot    = 52.0 // at least
	leftOfLabels  = 20.0 // for the unit of the labels
	digitWidth    = 8.0  // largest width of a digit
	rightOfPlot   = 16.0
	titleHeight   = 30.0
	titleLine     = 20.0  // each further line of a title
	titleLength   = 62    // characters in a line
	entryHeight   = 18.0  // of a row of the legend
	entrySymbol   = 24.0  // width of a symbol in the legend
	charWidth     = 7.0   // largest average width of a character in the legend
	podsHeight    = 240.0 // of the plot alone
	trafficHeight = 90.0
	belowPlot     = 40.0 // labels of the time
	marksHeight   = 16.0 // above the plot of the pods
)

// colors distinguish series, also for most people with impaired colour vision.
var colors = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"}

//go:embed style.css
var sheet string

// Style returns the style sheet of pictures. It needs no installed font, and follows the light or
// dark scheme of the reader.
func Style() string {
	_, rules, _ := strings.Cut(sheet, "\n") // after the license line
	return rules
}

// A picture is the state of the output.
type picture struct{ strings.Builder }

func (p *picture) put(format string, values ...any) { fmt.Fprintf(p, format+"\n", values...) }

// text writes a text. It escapes the text as on a terminal, because XML cannot contain every
// character.
func (p *picture) text(x, y float64, attributes, text string) {
	p.put(`<text x="%s" y="%s" %s>%s</text>`, number(x), number(y), attributes, escape(text))
}

func escape(text string) string { return html.EscapeString(terminal.Escape(text)) }

// number returns a coordinate in pixels, rounded to a tenth.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// SVG writes the chart as a picture: the pods, and below them traffic and zones on the same time
// axis.
func (c *Chart) SVG(w io.Writer) error {
	plots := &picture{}
	title := []rune(terminal.Escape(c.Title))
	top := titleHeight + titleLine*float64(max(len(title)-1, 0)/titleLength)
	rows := plots.legend(top, c.entries())
	height := c.plots(plots, top+float64(rows)*entryHeight+8, true)
	p := &picture{}
	p.begin(height, fmt.Sprintf(` width="%s" height="%s"`, number(pictureWidth), number(height)))
	p.put("<title>%s</title>\n<style>\n%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>", escape(c.Title), Style())
	n := 0
	for line := range slices.Chunk(title, titleLength) {
		p.text(leftOfPlot, 20+titleLine*float64(n), `class="title"`, string(line))
		n++
	}
	p.WriteString(plots.String())
	p.put("</svg>")
	_, err := io.WriteString(w, p.String())
	return err
}

// begin writes the head of a picture.
func (p *picture) begin(height float64, size string) {
	p.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s"%s role="img">`, number(pictureWidth), number(height), size)
}

// plots draws all plots below a position, and returns the height of the picture.
func (c *Chart) plots(p *picture, top float64, legends bool) float64 {
	if len(c.Marks) > 0 {
		top += marksHeight
	}
	pods := plot{c, p, c.left(), top, podsHeight, c.highest()*1.1 + 0.5} // with room for the names of spans
	pods.frame("pods", true)
	pods.series(c.Pods, 0)
	for _, b := range c.Bounds {
		p.put(`<path class="%s" d="M%s %sH%s"/>`, b.class(), number(pods.left), number(pods.y(b.Value)), number(pods.x(c.end())))
	}
	pods.marks()
	top += podsHeight + belowPlot
	if c.Traffic != nil {
		top = c.lower(p, top, legends, "percent", []Series{*c.Traffic}, len(c.Pods), 105)
	}
	if len(c.Zones) > 0 {
		zones := Chart{Pods: c.Zones}
		top = c.lower(p, top, legends, "pods", c.Zones, len(c.Pods), zones.most()*1.1+0.5)
	}
	return top
}

// lower draws a plot below the others, with its own legend, and returns its lower end.
func (c *Chart) lower(p *picture, top float64, legends bool, unit string, list []Series, from int, most float64) float64 {
	if legends {
		top += float64(p.legend(top-belowPlot/4, entriesOf(list, from)))*entryHeight - belowPlot/4 + 8
	}
	a := plot{c, p, c.left(), top, trafficHeight, most}
	a.frame(unit, false)
	a.series(list, from)
	return top + trafficHeight + belowPlot
}

// An Entry is an entry of a legend: the class and color of its symbol, and its name.
type Entry struct{ Class, Color, Name string }

// entries returns the legend of the plot of the pods.
func (c *Chart) entries() []Entry {
	list := entriesOf(c.Pods, 0)
	for _, b := range c.Bounds {
		list = append(list, Entry{b.class(), "", b.Name})
	}
	return list
}

// class returns the style class of a bound.
func (b *Bound) class() string {
	if b.Least {
		return "bound least"
	}
	return "bound"
}

// color returns the color of a series by its index in the legends of all plots.
func color(n int) string { return colors[n%len(colors)] }

func entriesOf(series []Series, from int) (list []Entry) {
	for i, s := range series {
		class := "line"
		if s.Stacked {
			class = "area"
		}
		list = append(list, Entry{class, color(from + i), s.Name})
	}
	return list
}

// legend writes a legend below a position, and returns its number of rows.
func (p *picture) legend(top float64, entries []Entry) (rows int) {
	x, rows := leftOfPlot, 1
	for _, e := range entries {
		width := entrySymbol + charWidth*float64(len([]rune(terminal.Escape(e.Name)))) + 18
		if x+width > pictureWidth && x > leftOfPlot {
			x, rows = leftOfPlot, rows+1
		}
		p.entry(x, top+float64(rows)*entryHeight-6, e.Class, e.Color, e.Name)
		x += width
	}
	return rows
}

// entry writes one entry of a legend.
func (p *picture) entry(x, y float64, class, color, name string) {
	switch class {
	case "area":
		p.put(`<rect class="area" x="%s" y="%s" width="18" height="10" fill="%s" stroke="%[3]s"/>`, number(x), number(y-9), color)
	case "bound", "bound least":
		p.put(`<path class="%s" d="M%s %sh18"/>`, class, number(x), number(y-4))
	default:
		p.put(`<path class="line" stroke="%s" d="M%s %sh18"/>`, color, number(x), number(y-4))
	}
	p.text(x+entrySymbol, y, `class="axis"`, name)
}

// highest returns the largest number of pods, sum of stacked series, or bound.
func (c *Chart) highest() float64 {
	most, stacked := c.most(), &Series{}
	for i := range c.Pods {
		if c.Pods[i].Stacked {
			stacked = sum(stacked, &c.Pods[i])
		}
	}
	for _, p := range stacked.Points {
		most = max(most, p.Value)
	}
	for _, b := range c.Bounds {
		most = max(most, b.Value)
	}
	return most
}

// end returns the end of the time axis, a little after the last instant, so that the final state
// is visible.
func (c *Chart) end() time.Duration { return max(c.End+c.End/25, time.Second) }

// left returns the position of the time axis, to the right of the labels of the pods.
func (c *Chart) left() float64 {
	ticks := wholeTicks(0, c.highest(), 8)
	return max(leftOfPlot, leftOfLabels+6+digitWidth*float64(len(ticks[len(ticks)-1].Label)))
}

// A plot is a part of a picture with axes.
type plot struct {
	c           *Chart
	p           *picture
	left        float64
	top, height float64
	most        float64
}

func (a *plot) x(t time.Duration) float64 {
	return a.left + (pictureWidth-a.left-rightOfPlot)*t.Seconds()/a.c.end().Seconds()
}

func (a *plot) y(v float64) float64 { return a.top + a.height*(1-v/a.most) }

// frame draws the spans, axes and labels.
func (a *plot) frame(unit string, named bool) {
	bottom := a.top + a.height
	for _, s := range a.c.Spans {
		a.p.put(`<rect class="span" x="%s" y="%s" width="%s" height="%s"/>`, number(a.x(s.From)), number(a.top), number(a.x(s.To)-a.x(s.From)), number(a.height))
		if named {
			a.p.text(a.x(s.From)+4, a.top+13, `class="axis"`, s.Name)
		}
	}
	labels := 8
	if a.height < podsHeight {
		labels = 3
	}
	for _, t := range wholeTicks(0, a.most, labels) {
		a.p.put(`<path class="grid" d="M%s %sH%s"/>`, number(a.left), number(a.y(t.Value)), number(a.x(a.c.end())))
		a.p.text(a.left-6, a.y(t.Value)+4, `class="axis" text-anchor="end"`, t.Label)
	}
	for _, t := range timeTicks(0, a.c.end().Seconds()) {
		x := a.x(time.Duration(t.Value * float64(time.Second)))
		a.p.put(`<path class="frame" d="M%s %sv4"/>`, number(x), number(bottom))
		a.p.text(x, bottom+17, `class="axis" text-anchor="middle"`, t.Label)
	}
	a.p.put(`<path class="frame" d="M%s %sV%sH%s"/>`, number(a.left), number(a.top), number(bottom), number(a.x(a.c.end())))
	middle := a.top + a.height/2
	a.p.text(14, middle, fmt.Sprintf(`class="axis" text-anchor="middle" transform="rotate(-90 14 %s)"`, number(middle)), unit)
	a.p.text(pictureWidth-rightOfPlot, bottom+32, `class="axis" text-anchor="end"`, "time")
}

// series draws the stacked series as areas, one on top of the other, and above them the others as
// lines. The colors start at index from.
func (a *plot) series(list []Series, from int) {
	below := &Series{}
	for i := range list {
		if s := &list[i]; s.Stacked {
			above := sum(below, s)
			a.p.put(`<path class="area" fill="%s" stroke="%[1]s" d="M%s%sZ"/>`, color(from+i), a.steps(above), a.back(below))
			below = above
		}
	}
	for i := range list {
		if s := &list[i]; !s.Stacked {
			a.p.put(`<path class="line" stroke="%s" d="M%s"/>`, color(from+i), a.steps(s))
		}
	}
}

// steps returns the path of a series from 0 to the end, without its first letter.
func (a *plot) steps(s *Series) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", number(a.x(0)), number(a.y(s.at(0))))
	for _, p := range s.Points {
		fmt.Fprintf(&b, "H%sV%s", number(a.x(p.At)), number(a.y(p.Value)))
	}
	fmt.Fprintf(&b, "H%s", number(a.x(a.c.end())))
	return b.String()
}

// back returns the path of a series from the end to 0.
func (a *plot) back(s *Series) string {
	var b strings.Builder
	fmt.Fprintf(&b, "V%s", number(a.y(s.last())))
	for i := len(s.Points) - 1; i >= 0; i-- {
		before := 0.0
		if i > 0 {
			before = s.Points[i-1].Value
		}
		fmt.Fprintf(&b, "H%sV%s", number(a.x(s.Points[i].At)), number(a.y(before)))
	}
	fmt.Fprintf(&b, "H%s", number(a.x(0)))
	return b.String()
}

// sum adds two series.
func sum(a, b *Series) *Series {
	var s Series
	var left, right float64 // values at the instant
	for p, q := a.Points, b.Points; len(p)+len(q) > 0; {
		at := time.Duration(math.MaxInt64)
		for _, points := range [][]Point{p, q} {
			if len(points) > 0 {
				at = min(at, points[0].At)
			}
		}
		if len(p) > 0 && p[0].At == at {
			left, p = p[0].Value, p[1:]
		}
		if len(q) > 0 && q[0].At == at {
			right, q = q[0].Value, q[1:]
		}
		s.Add(at, left+right)
	}
	return &s
}
