// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// Deployments is the [Telling] of a Deployment.
type Deployments struct {
	Images map[string]string // of the containers, by the ID of the template
}

var _ Telling = Deployments{}

func (Deployments) subject(namespace, name string) Subject { return deployment(namespace, name) }

func (Deployments) original() string { return ofKubernetes }

// budget returns the budget of the last plan.
func (Deployments) budget(s *Simulation) rollout.Budget { return s.end().Plan.(deploy.Plan).Budget }

// Bounds returns the limits in a simulation of a Deployment.
func (d Deployments) Bounds(s *Simulation) rollout.Budget { return d.budget(s) }

func (d Deployments) head(s *Simulation) string {
	b := d.budget(s)
	return fmt.Sprintf("%s, at most %d wanted, at least %d available", plural(b.Replicas, "replica"), b.MaxTotal(), b.MinAvailable())
}

func (d Deployments) limits(s *Simulation) (most, least *int32) {
	b := d.budget(s)
	return new(b.MaxTotal()), new(b.MinAvailable())
}

// legend writes the ReplicaSets.
func (d Deployments) legend(w *terminal.Writer, s *Simulation) {
	t := terminal.NewTable("REVISION", "REPLICASET", "IMAGES")
	for _, p := range shownSets(s) {
		t.Row(fmt.Sprint(p.Revision), p.Name, d.Images[p.Template])
	}
	t.WriteTo(w)
	w.Printf("\nREV columns: pods ready/wanted.\n")
}

// shownSets returns the ReplicaSets in the order of their appearance, in their last state. It
// leaves out ReplicaSets that never have or want a pod and that no action names.
func shownSets(s *Simulation) []record.Part {
	if s.sets != nil { // every row asks for them
		return s.sets
	}
	var all []record.Part
	index, active := map[string]int{}, map[string]bool{}
	for i := range s.Steps {
		for _, p := range s.Steps[i].Parts {
			at, known := index[p.Name]
			if !known {
				at = len(all)
				index[p.Name] = at
				all = append(all, p)
			}
			all[at] = p
			active[p.Name] = active[p.Name] || p.Wanted > 0 || p.Ready > 0
		}
		if i < len(s.Steps)-1 {
			for _, a := range s.Steps[i].Plan.(deploy.Plan).Actions {
				active[phraseOf(a).set] = true
			}
		}
	}
	s.sets = slices.DeleteFunc(notNil(all), func(p record.Part) bool { return !active[p.Name] })
	return s.sets
}

func (Deployments) columns(s *Simulation) (list []column) {
	for _, p := range shownSets(s) {
		list = append(list, column{labelOf(p), func(o *record.Part) bool { return o.Name == p.Name }})
	}
	return list
}

func labelOf(p record.Part) string {
	if p.Revision > 0 {
		return fmt.Sprintf("rev %d", p.Revision)
	}
	return p.Name
}

// labels returns the words for each ReplicaSet, by name.
func (Deployments) labels(s *Simulation) map[string]string {
	labels := map[string]string{}
	for _, p := range shownSets(s) {
		labels[p.Name] = labelOf(p)
	}
	return labels
}

// facts returns the images of ReplicaSets.
func (d Deployments) facts(s *Simulation) (list []string) {
	for _, p := range shownSets(s) {
		list = append(list, fmt.Sprintf("%s is %s: %s", labelOf(p), p.Name, d.Images[p.Template]))
	}
	return list
}

func (d Deployments) label(s *Simulation) func(string) string {
	labels := d.labels(s)
	return func(name string) string {
		if l, ok := labels[name]; ok {
			return l
		}
		return name
	}
}

func (d Deployments) does(s *Simulation, p *record.Step) (lines []timeline.Occurrence) {
	label := d.label(s)
	for _, a := range p.Plan.(deploy.Plan).Actions {
		lines = append(lines, timeline.Occurrence{What: short(a, label), Why: deploymentActions.why(reasonOf(a))})
	}
	return lines
}

func (d Deployments) waits(s *Simulation, p *record.Step) (lines []timeline.Occurrence) {
	label := d.label(s)
	for _, h := range p.Plan.(deploy.Plan).Holds {
		name := "deployment"
		if h.Name != "" {
			name = label(h.Name)
		}
		lines = append(lines, timeline.Occurrence{What: name + ": waits", Why: whyNot(h), More: help(adviceOn(h))})
	}
	return lines
}

func (Deployments) stage(*record.Sizes) string { return "" }

func (Deployments) rests(s *Simulation) string {
	d, _ := s.end().Object.(*deploy.Deployment)
	switch {
	case exceeded(s.end().Plan.(deploy.Plan).Status):
		return fmt.Sprintf("the rollout has exceeded its progress deadline after %s", clock(s.took()))
	case d != nil && d.Paused:
		return "the rollout is paused"
	}
	return ""
}
