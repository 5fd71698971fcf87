// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// Timeline returns the rollout for export to other tools.
func (s Simulation) Timeline() *timeline.Timeline {
	t := &timeline.Timeline{
		Kind: s.Subject().Kind, Namespace: s.Namespace, Name: s.Name, Chart: s.Chart(), History: s.History, Facts: []string{s.Of.head(&s)},
	}
	ready := len(s.Of.columns(&s))
	for i, title := range s.titles(false) {
		if title == "ZONES" {
			title += " " + strings.Join(s.zones(), "/")
		}
		t.Columns = append(t.Columns, timeline.Column{Name: lower(title), Ready: i < ready})
	}
	if of, ok := s.Of.(interface {
		labels(*Simulation) map[string]string
		facts(*Simulation) []string
	}); ok {
		t.Labels, t.Facts = of.labels(&s), append(t.Facts, of.facts(&s)...)
	}
	for _, r := range s.rows() {
		z := &s.Steps[r.last].Sizes
		step := timeline.Step{At: s.at(z), Cells: s.cells(z), Events: r.lines}
		if stage := s.Of.stage(z); stage != "" {
			step.Events = append([]timeline.Occurrence{{What: stage}}, r.lines...)
		}
		t.Steps = append(t.Steps, step)
	}
	for i := range s.Sizes {
		t.Note(s.at(&s.Sizes[i]), s.cells(&s.Sizes[i]))
	}
	return end(t, s.Unfinished(), s.Policies, s.Of.original(), s.Assumed)
}

// end sets the result and the general facts of a timeline.
func end(t *timeline.Timeline, unfinished string, policies []string, whose string, assumed []string) *timeline.Timeline {
	if unfinished == "" {
		t.Done, t.Verdict = true, fmt.Sprintf("%s after %s", complete.Text, clock(t.Steps[len(t.Steps)-1].At))
	} else {
		t.Verdict = notComplete.Text + ": " + unfinished
	}
	if len(policies) > 0 {
		t.Facts = append(t.Facts, fmt.Sprintf("With %s, unlike %s", strings.Join(policies, " "), whose))
	}
	for _, text := range assumed {
		t.Facts = append(t.Facts, "Assumed: "+text)
	}
	return t
}

// lower returns a column title in the form for other tools.
func lower(title string) string {
	if title == "AVAIL" {
		return "available"
	}
	first, rest, zones := strings.Cut(title, " ")
	if zones && first == "ZONES" {
		return "zones " + rest
	}
	return strings.ToLower(title)
}

// Chart returns a chart of the rollout: the ready pods of each column, traffic, pauses and zones.
func (s Simulation) Chart() *chart.Chart {
	c := &chart.Chart{Title: titleOf(s.Subject().Kind, s.Namespace, s.Name), End: s.took()}
	columns := s.Of.columns(&s)
	for _, column := range columns {
		ready := func(z *record.Sizes) (n int32) {
			for i := range z.Parts {
				if p := &z.Parts[i]; column.of(p) {
					n += p.Ready
				}
			}
			return n
		}
		c.Pods = append(c.Pods, s.series(column.label+" ready", true, ready))
	}
	if len(columns) > 1 {
		c.Pods = append(c.Pods, s.series("wanted", false, total))
	}
	c.Pods = append(c.Pods, s.series("available", false, func(z *record.Sizes) int32 { return z.Available }))
	most, least := s.Of.limits(&s)
	if most != nil {
		c.Bounds = append(c.Bounds, chart.Bound{Name: fmt.Sprintf("at most %d wanted", *most), Value: float64(*most)})
	}
	if least != nil {
		c.Bounds = append(c.Bounds, chart.Bound{Name: fmt.Sprintf("at least %d available", *least), Value: float64(*least), Least: true})
	}
	if s.led() {
		c.Traffic = new(s.series("traffic to new, %", false, func(z *record.Sizes) int32 { return z.Traffic }))
	}
	c.Spans = s.pauses()
	for _, zone := range s.zones() {
		c.Zones = append(c.Zones, s.series("in "+zone, false, func(z *record.Sizes) int32 { return z.Zones[zone] }))
	}
	return c
}

// series returns the values of a number over time.
func (s *Simulation) series(name string, stacked bool, of func(*record.Sizes) int32) chart.Series {
	series := chart.Series{Name: name, Stacked: stacked}
	for i := range s.Sizes {
		series.Add(s.at(&s.Sizes[i]), float64(of(&s.Sizes[i])))
	}
	return series
}

// pauses returns the times at which a Rollout is paused, with the steps.
func (s *Simulation) pauses() (list []chart.Span) {
	var pause *chart.Span
	end := func(at time.Duration) {
		if pause != nil && at > pause.From {
			pause.To = at
			list = append(list, *pause)
		}
		pause = nil
	}
	for i := range s.Sizes {
		z := &s.Sizes[i]
		name := "promotion"
		if z.Step > 0 {
			name = fmt.Sprintf("step %d", z.Step)
		}
		switch at := s.at(z); {
		case !z.Paused:
			end(at)
		case pause == nil || pause.Name != name:
			end(at)
			pause = &chart.Span{Name: name, From: at}
		}
	}
	end(s.took())
	return list
}

// titleOf returns the title for a workload.
func titleOf(kind, namespace, name string) string {
	return (&timeline.Timeline{Kind: kind, Namespace: namespace, Name: name}).Title()
}
