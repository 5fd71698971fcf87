// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

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
