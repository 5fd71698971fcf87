// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
)

// Chart returns the rollout as a picture: the ready pods of each ReplicaSet. Between steps they
// are as the recording tells.
func (s Simulation) Chart() *chart.Chart {
	steps := numbers(s.History, s.Zones)
	c := &chart.Chart{Title: titleOf("Deployment", s.Namespace, s.Name), End: s.Result.Steps[len(s.Result.Steps)-1].Time}
	for _, column := range s.columns() {
		series := chart.Series{Name: column.label + " ready", Stacked: true}
		for _, step := range steps {
			for _, rs := range step.ReplicaSets {
				if rs.Name == column.name {
					series.Add(step.Time, float64(rs.Ready))
				}
			}
		}
		c.Pods = append(c.Pods, series)
	}
	total, available := chart.Series{Name: "wanted"}, chart.Series{Name: "available"}
	for _, step := range steps {
		total.Add(step.Time, float64(step.Total))
		available.Add(step.Time, float64(step.Available))
	}
	c.Pods = append(c.Pods, total, available)
	b := s.Result.Bounds
	c.Bounds = []chart.Bound{
		{Name: fmt.Sprintf("at most %d wanted", b.MaxTotal()), Value: float64(b.MaxTotal())},
		{Name: fmt.Sprintf("at least %d available", b.MinAvailable()), Value: float64(b.MinAvailable()), Least: true},
	}
	for _, zone := range zonesOf(s.Result) {
		series := chart.Series{Name: "in " + zone}
		for _, step := range steps {
			series.Add(step.Time, float64(step.Zones[zone]))
		}
		c.Zones = append(c.Zones, series)
	}
	return c
}

// titleOf names a workload.
func titleOf(kind, namespace, name string) string {
	return (&timeline.Timeline{Kind: kind, Namespace: namespace, Name: name}).Title()
}

// Chart returns the update as a picture: the pods of both templates.
func (s DaemonSimulation) Chart() *chart.Chart {
	c := &chart.Chart{Title: titleOf("DaemonSet", s.Namespace, s.Name), End: s.end().Time}
	before, now, available := chart.Series{Name: "old", Stacked: true}, chart.Series{Name: "new", Stacked: true}, chart.Series{Name: "available"}
	for _, step := range s.Recording.DaemonSet() {
		before.Add(step.Time, float64(step.Pods-step.Updated))
		now.Add(step.Time, float64(step.Updated))
		available.Add(step.Time, float64(step.Status.NumberAvailable))
	}
	least := s.leastAvailable(s.end().Budget)
	c.Pods = []chart.Series{before, now, available}
	c.Bounds = []chart.Bound{{Name: fmt.Sprintf("at least %d available", least), Value: float64(least), Least: true}}
	return c
}
