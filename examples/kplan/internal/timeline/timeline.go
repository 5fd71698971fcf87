// SPDX-License-Identifier: Apache-2.0

// Package timeline writes simulated rollouts in formats that other tools open: traces, metrics,
// diagrams, tables, and a page. It escapes texts from outside first as on a terminal, so that
// none has an invisible character, and then as each format requires.
package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A Timeline is the rollout of one workload. Its texts are not escaped.
type Timeline struct {
	Kind, Namespace, Name string
	Done                  bool
	Verdict               string   // the end of the rollout, as a sentence
	Facts                 []string // bounds, departures and assumptions, a sentence each
	Columns               []Column
	Steps                 []Step    // at least one: the last is the end
	Numbers               []Numbers // at the start and after each change, also between steps
	Chart                 *chart.Chart
	History               *record.History
	Labels                map[string]string // of ReplicaSets by their names, such as "rev 2"
}

// A Column is a number that each step shows.
type Column struct {
	Name  string
	Ready bool // cells are of the form ready/wanted, or "-"
}

// A Step is a pass that changed something, or the end.
type Step struct {
	At     time.Duration
	Cells  []string // one for each column
	Events []Occurrence
}

// The Numbers are the cells from an instant on.
type Numbers struct {
	At    time.Duration
	Cells []string // one for each column
}

// Note records the numbers from an instant on. The last call for an instant wins.
func (t *Timeline) Note(at time.Duration, cells []string) {
	switch n := len(t.Numbers); {
	case n > 0 && t.Numbers[n-1].At == at:
		t.Numbers[n-1].Cells = cells
	case n == 0 || !slices.Equal(t.Numbers[n-1].Cells, cells):
		t.Numbers = append(t.Numbers, Numbers{at, cells})
	}
}

// An Occurrence is an action of a step, or a condition that it waits for.
type Occurrence struct {
	What, Why string
	More      string // explanation of a wait, and how it ends
	Detail    bool   // diagrams leave it out
}

// Title returns the kind and the name of the workload.
func (t *Timeline) Title() string {
	name := t.Name
	if t.Namespace != "" {
		name = t.Namespace + "/" + name
	}
	return t.Kind + " " + name
}

// end returns the end of the timeline, a little after the last step, so that the final state is
// visible.
func (t *Timeline) end() time.Duration {
	last := t.Steps[len(t.Steps)-1].At
	return max(last+last/25, time.Second)
}

// label returns the display name of a ReplicaSet.
func (t *Timeline) label(set string) string {
	if l := t.Labels[set]; l != "" && l != set {
		return set + " (" + l + ")"
	}
	return set
}

// An instant is all steps at the same time.
type instant struct {
	first, last int // steps, from 0
	at, until   time.Duration
	events      []Occurrence
}

// name returns the numbers of its steps in the table.
func (i *instant) name() string {
	if i.first == i.last {
		return "step " + itoa(i.first+1)
	}
	return "steps " + itoa(i.first+1) + "-" + itoa(i.last+1)
}

// instants groups the steps by time.
func (t *Timeline) instants() (list []instant) {
	for i := range t.Steps {
		s := &t.Steps[i]
		if n := len(list); n > 0 && list[n-1].at == s.At {
			list[n-1].last = i
			list[n-1].events = append(list[n-1].events, s.Events...)
			continue
		}
		if n := len(list); n > 0 {
			list[n-1].until = s.At
		}
		list = append(list, instant{first: i, last: i, at: s.At, events: slices.Clone(s.Events)})
	}
	list[len(list)-1].until = t.end()
	return list
}

// Picture returns the chart with the numbers of the steps.
func (t *Timeline) Picture() *chart.Chart {
	c := *t.Chart
	for _, i := range t.instants() {
		_, number, _ := strings.Cut(i.name(), " ")
		c.Marks = append(c.Marks, chart.Mark{At: i.at, Name: number})
	}
	return &c
}

// String returns the occurrence in one line, escaped.
func (e Occurrence) String() string { return terminal.Escape(e.Text()) }

// Text returns the occurrence in one line, not escaped.
func (e Occurrence) Text() string {
	if e.Why == "" {
		return e.What
	}
	return e.What + " (" + e.Why + ")"
}
