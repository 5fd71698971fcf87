// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

var (
	//go:embed page.css
	pageStyle string
	//go:embed steps.js
	stepsScript string
	//go:embed page.js
	pageScript string
)

// Page writes timelines as one self-contained page with chart, steps, reasons and a slider. Its
// content security policy forbids all scripts except its own, and all external resources.
func Page(w io.Writer, list []*Timeline) error {
	script := stepsScript + pageScript
	sum := sha256.Sum256([]byte(script))
	var titles []string
	for _, t := range list {
		titles = append(titles, t.Title())
	}
	p := &page{}
	p.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'">
<title>%s</title>
<style>
%s%s</style>
</head>
<body>
<main>
`, base64.StdEncoding.EncodeToString(sum[:]), escaped(terminal.Cut(strings.Join(titles, ", "), 80)), chart.Style(), pageStyle)
	for i, t := range list {
		if err := p.section(t, i+1); err != nil {
			return err
		}
	}
	p.put("<footer>Simulated by kplan: what the controllers would do, in a cluster that exists only in memory.</footer>\n</main>\n<script>%s</script>\n</body>\n</html>\n", script)
	_, err := io.WriteString(w, p.String())
	return err
}

// Section returns the section of a timeline, for a page with the same style sheet and a script
// that calls showSteps for it.
func Section(t *Timeline) (string, error) {
	p := &page{}
	err := p.section(t, 1)
	return p.String(), err
}

// A page is the state of the output.
type page struct{ strings.Builder }

func (p *page) put(format string, values ...any) { fmt.Fprintf(p, format, values...) }

// escaped escapes a text from outside for HTML.
func escaped(text string) string { return html.EscapeString(terminal.Escape(text)) }

// section writes the section of a timeline.
func (p *page) section(t *Timeline, n int) error {
	state := "bad"
	if t.Done {
		state = "good"
	}
	p.put("<section aria-labelledby=\"title%d\">\n<h1 id=\"title%[1]d\">%s</h1>\n<p class=\"verdict %s\">%s.</p>\n<ul class=\"facts\">\n", n, escaped(t.Title()), state, escaped(t.Verdict))
	for _, fact := range t.Facts {
		p.put("<li>%s</li>\n", escaped(fact))
	}
	p.put("</ul>\n<ul class=\"legend\">\n")
	for _, e := range t.Chart.Legend() {
		p.put("<li>%s%s</li>\n", symbol(e), escaped(e.Name))
	}
	svg, layout := t.Picture().Inline()
	p.put("</ul>\n<div class=\"chart\">\n%s<div class=\"tip\" hidden></div>\n</div>\n", svg)
	p.put(`<div class="slider"><label for="step%d">Step</label><input id="step%[1]d" type="range" min="1" max="%d" value="1"><output for="step%[1]d"></output></div>
<ul class="events" aria-live="polite"></ul>
`, n, len(t.Steps))
	p.table(t)
	data, err := json.Marshal(dataOf(t, layout))
	p.put("<script type=\"application/json\">%s</script>\n</section>\n", data) // encoding/json escapes <
	return err
}

// symbol returns the symbol of a line of the chart, for the legend.
func symbol(e chart.Entry) string {
	switch e.Class {
	case "area":
		return fmt.Sprintf(`<svg viewBox="0 0 20 12" aria-hidden="true"><rect class="area" x="1" y="1" width="18" height="10" fill="%s" stroke="%[1]s"/></svg>`, e.Color)
	case "bound", "bound least":
		return fmt.Sprintf(`<svg viewBox="0 0 20 12" aria-hidden="true"><line class="%s" x1="0" y1="6" x2="20" y2="6"/></svg>`, e.Class)
	}
	return fmt.Sprintf(`<svg viewBox="0 0 20 12" aria-hidden="true"><line class="line" stroke="%s" x1="0" y1="6" x2="20" y2="6"/></svg>`, e.Color)
}

// table writes all steps, for readers and for browsers without scripts.
func (p *page) table(t *Timeline) {
	p.put("<h2>Steps</h2>\n<div class=\"steps\" tabindex=\"0\" role=\"region\" aria-label=\"Steps\">\n<table>\n<thead><tr><th>Step</th><th>Time</th>")
	for _, c := range t.Columns {
		name := c.Name
		if c.Ready {
			name += ", ready/wanted"
		}
		p.put("<th>%s</th>", strings.ReplaceAll(escaped(name), "/", "/<wbr>"))
	}
	p.put("<th>What happens</th></tr></thead>\n<tbody>\n")
	for i := range t.Steps {
		s := &t.Steps[i]
		p.put("<tr><td><button type=\"button\">%d</button></td><td>%s</td>", i+1, terminal.Clock(s.At))
		for _, cell := range s.Cells {
			p.put("<td>%s</td>", escaped(cell))
		}
		var lines []string
		for _, e := range s.Events {
			lines = append(lines, html.EscapeString(e.String()))
		}
		p.put("<td>%s</td></tr>\n", strings.Join(lines, "<br>"))
	}
	p.put("</tbody>\n</table>\n</div>\n")
}

// A pageData is the input of the script of the page. Texts are escaped as on a terminal, and the
// script inserts them as text. Times are in seconds.
type (
	pageData struct {
		Width  float64      `json:"width"`
		Left   float64      `json:"left"`
		Right  float64      `json:"right"`
		End    float64      `json:"end"`
		Steps  []pageStep   `json:"steps"`
		Series []pageSeries `json:"series"`
	}
	pageStep struct {
		At     float64     `json:"at"`
		Clock  string      `json:"clock"`
		Events []pageEvent `json:"events"`
	}
	pageEvent struct {
		What string `json:"what"`
		Why  string `json:"why,omitempty"`
		More string `json:"more,omitempty"`
	}
	pageSeries struct {
		Name   string       `json:"name"`
		Points [][2]float64 `json:"points"`
	}
)

func dataOf(t *Timeline, l chart.Layout) pageData {
	d := pageData{Width: l.Width, Left: l.Left, Right: l.Right, End: l.End.Seconds()}
	for _, s := range t.Steps {
		step := pageStep{At: s.At.Seconds(), Clock: terminal.Clock(s.At), Events: []pageEvent{}}
		for _, e := range s.Events {
			step.Events = append(step.Events, pageEvent{terminal.Escape(e.What), terminal.Escape(e.Why), terminal.Escape(e.More)})
		}
		d.Steps = append(d.Steps, step)
	}
	list := t.Chart.Pods
	if t.Chart.Traffic != nil {
		list = append(list[:len(list):len(list)], *t.Chart.Traffic)
	}
	for _, s := range append(list[:len(list):len(list)], t.Chart.Zones...) {
		series := pageSeries{Name: terminal.Escape(s.Name), Points: [][2]float64{}}
		for _, p := range s.Points {
			series.Points = append(series.Points, [2]float64{p.At.Seconds(), p.Value})
		}
		d.Series = append(d.Series, series)
	}
	return d
}
