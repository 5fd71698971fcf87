// SPDX-License-Identifier: Apache-2.0

// Package timeline writes simulated rollouts in formats that other tools open: traces,
// metrics, diagrams, tables, and a page. Texts of strangers are escaped in each as that needs
// it, and before that as on a terminal, so that none holds a character that is not seen.
package timeline

import (
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A Timeline is how one workload is rolled out. No text in it is escaped.
type Timeline struct {
	Kind, Namespace, Name string
	Done                  bool
	Verdict               string   // how it ends, in a sentence
	Facts                 []string // bounds, departures and assumptions, a sentence each
	Columns               []Column
	Steps                 []Step    // at least one: the last is the end
	Numbers               []Numbers // at the start and whenever one has changed, which may be between steps
	Chart                 *chart.Chart
	History               *record.History
	Labels                map[string]string // of ReplicaSets by their names, such as "rev 2"
}

// A Column is a number that steps tell of.
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

// Numbers are the cells from an instant on.
type Numbers struct {
	At    time.Duration
	Cells []string // one for each column
}

// Note notes the numbers from an instant on. The last of one instant count.
func (t *Timeline) Note(at time.Duration, cells []string) {
	switch n := len(t.Numbers); {
	case n > 0 && t.Numbers[n-1].At == at:
		t.Numbers[n-1].Cells = cells
	case n == 0 || !slices.Equal(t.Numbers[n-1].Cells, cells):
		t.Numbers = append(t.Numbers, Numbers{at, cells})
	}
}

// An Occurrence is something that a step does, or that it waits for.
type Occurrence struct {
	What, Why string
	More      string // what a wait means, and what ends it
	Detail    bool   // diagrams leave it out
}

// Title names the workload.
func (t *Timeline) Title() string {
	name := t.Name
	if t.Namespace != "" {
		name = t.Namespace + "/" + name
	}
	return t.Kind + " " + name
}

// end returns when the timeline ends: a little after the last step, so that what is then is
// seen.
func (t *Timeline) end() time.Duration {
	last := t.Steps[len(t.Steps)-1].At
	return max(last+last/25, time.Second)
}

// label returns what a ReplicaSet is called.
func (t *Timeline) label(set string) string {
	if l := t.Labels[set]; l != "" && l != set {
		return set + " (" + l + ")"
	}
	return set
}

// An instant is what happens at one time.
type instant struct {
	first, last int // steps, from 0
	at, until   time.Duration
	events      []Occurrence
}

// name says which steps of the table it is.
func (i *instant) name() string {
	if i.first == i.last {
		return "step " + itoa(i.first+1)
	}
	return "steps " + itoa(i.first+1) + "-" + itoa(i.last+1)
}

// instants puts the steps of one time together.
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

// String writes the event in a line, escaped.
func (e Occurrence) String() string { return terminal.Escape(e.Text()) }

// Text is the event in a line, not escaped.
func (e Occurrence) Text() string {
	if e.Why == "" {
		return e.What
	}
	return e.What + " (" + e.Why + ")"
}
