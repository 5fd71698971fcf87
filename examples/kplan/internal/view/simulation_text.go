// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// complete, notComplete and unchanged are the words for the end of a simulation, in color.
var (
	complete    = terminal.Text{Style: terminal.Good, Text: "Complete"}
	notComplete = terminal.Text{Style: terminal.Bad, Text: "Not complete"}
	unchanged   = terminal.Text{Style: terminal.Good, Text: "Nothing changes"}
)

// maxRows is the maximum number of rows in the table of a simulation.
const maxRows = 100

// Text writes the result of the rollout, the assumptions, and the steps as a table.
func (s Simulation) Text(w *terminal.Writer) {
	w.Printf("%s %s: %s\n", s.Subject().Kind, s.Subject().label(), s.Of.head(&s))
	still := !s.acted() && s.took() == 0 && s.Done
	s.verdict(w, still)
	if !still || len(s.Policies)+len(s.Assumed)+len(s.zones()) > 0 {
		w.Printf("\n")
	}
	writePolicies(w, s.Policies, s.Of.original())
	writeAssumed(w, s.Assumed)
	if still && len(s.zones()) == 0 {
		return
	}
	s.Of.legend(w, &s)
	if zones := s.zones(); len(zones) > 0 {
		w.Printf("ZONES: pods that run in %s.\n", strings.Join(zones, "/"))
	}
	w.Printf("\n")
	s.table(s.Drawn() && w.Width() > 0).WriteTo(w)
	if len(s.zones()) > 0 {
		most, step := s.peakSkew()
		w.Printf("\nPeak skew of zones: %d, by step %d.\n", most, step)
	}
	if s.Drawn() {
		w.Printf("\n")
		s.Chart().Text(w)
	}
}

// verdict writes the result, and the pods and caveats that affect it.
func (s *Simulation) verdict(w *terminal.Writer, still bool) {
	switch text := s.Unfinished(); {
	case still && len(s.Caveats) > 0:
		w.Printf("%v.\n", unchanged)
	case still:
		w.Printf("%v: all pods are new and available.\n", unchanged)
	case text != "":
		w.Printf("%v: %s.\n", notComplete, text)
	default:
		w.Printf("%v after %s.\n", complete, clock(s.took()))
	}
	for _, text := range s.Waiting {
		w.Printf("%s\n", text)
	}
	for _, c := range s.Caveats {
		w.Printf("%s What ends it: %s\n", c.Means, c.Ends)
	}
}

// Drawn reports whether the text includes a chart, as for a Rollout with actions.
func (s Simulation) Drawn() bool { return s.Of.stage(&s.end().Sizes) != "" && s.acted() }

// Draw draws the rollout on a terminal.
func (s Simulation) Draw(w *terminal.Writer) { s.Chart().Text(w) }

// table returns the steps as a table. The actions have two columns or, if below is true, lines
// below the row: the steps of Rollouts have too many numbers for both.
func (s *Simulation) table(below bool) *terminal.Table {
	titles := append([]string{"STEP", "TIME"}, s.titles(true)...)
	t := terminal.NewTable(append(titles, "ACTION", "WHY")...)
	if below {
		t = terminal.NewTable(titles...)
		t.Note("ACTION (WHY)")
	}
	rows := s.rows()
	for i, r := range rows {
		if last := i == len(rows)-1; i >= maxRows && !last {
			continue
		} else if i > maxRows && last {
			t.Note(fmt.Sprintf("... %d more steps, which -o json shows", i-maxRows))
		}
		z := &s.Steps[r.last].Sizes
		cells := append([]string{fmt.Sprint(i + 1), clock(s.at(z))}, s.cells(z)...)
		switch {
		case below:
			t.Row(cells...)
		case len(r.lines) == 0: // it has only reached another stage
			t.Row(append(cells, "", "")...)
		}
		for _, line := range r.lines {
			if below {
				t.Note(line.Text())
				continue
			}
			t.Row(append(cells, line.What, line.Why)...)
			cells = make([]string, len(cells)) // further lines belong to the same step
		}
	}
	return t
}

// A column is the pods of some parts of a workload.
type column struct {
	label string
	of    func(*record.Part) bool
}

// oldAndNew returns the columns for workloads with parts that have no familiar names.
func oldAndNew() []column {
	return []column{
		{"old", func(p *record.Part) bool { return !p.New }}, {"new", func(p *record.Part) bool { return p.New }},
	}
}

// titles returns the titles of the columns with numbers. Limited adds the limits, for a table.
func (s *Simulation) titles(limited bool) (list []string) {
	columns := s.Of.columns(s)
	for _, c := range columns {
		list = append(list, strings.ToUpper(c.label))
	}
	most, least := s.Of.limits(s)
	limit := func(name, sign string, n *int32) {
		if limited && n != nil {
			name += sign + fmt.Sprint(*n)
		}
		list = append(list, name)
	}
	if len(columns) > 1 || most != nil {
		limit("TOTAL", "<=", most)
	}
	limit("AVAIL", ">=", least)
	if s.led() {
		list = append(list, "TRAFFIC")
	}
	if len(s.zones()) > 0 {
		list = append(list, "ZONES", "SKEW")
	}
	if s.Of.stage(&s.end().Sizes) != "" {
		list = append(list, "STATE")
	}
	return list
}

// cells returns the numbers at a time, one for each title.
func (s *Simulation) cells(z *record.Sizes) (list []string) {
	columns := s.Of.columns(s)
	for _, c := range columns {
		there, ready, wanted := false, int32(0), int32(0)
		for i := range z.Parts {
			if p := &z.Parts[i]; c.of(p) {
				there, ready, wanted = true, ready+p.Ready, wanted+p.Wanted
			}
		}
		cell := "-"
		if there {
			cell = fmt.Sprintf("%d/%d", ready, wanted)
		}
		list = append(list, cell)
	}
	if most, _ := s.Of.limits(s); len(columns) > 1 || most != nil {
		list = append(list, fmt.Sprint(total(z)))
	}
	list = append(list, fmt.Sprint(z.Available))
	if s.led() {
		list = append(list, fmt.Sprintf("%d%%", z.Traffic))
	}
	if zones := s.zones(); len(zones) > 0 {
		list = append(list, spreadText(z, zones), fmt.Sprint(skew(z)))
	}
	if s.Of.stage(&s.end().Sizes) != "" {
		list = append(list, s.Of.stage(z))
	}
	return list
}

// led reports whether a Rollout routes traffic.
func (s *Simulation) led() bool { return s.end().Traffic >= 0 }

// zones returns the sorted zones of the nodes, nil if they have no zones.
func (s *Simulation) zones() []string { return slices.Sorted(maps.Keys(s.end().Zones)) }

// peakSkew returns the maximum difference of pods between zones, and the first step, from 1, with
// it.
func (s *Simulation) peakSkew() (most int32, step int) {
	for i, r := range s.rows() {
		for j := r.first; j <= r.last; j++ {
			if n := s.Steps[j].PeakSkew; step == 0 || n > most {
				most, step = n, i+1
			}
		}
	}
	return most, step
}

// skew returns the maximum difference of pods between zones.
func skew(z *record.Sizes) int32 {
	if len(z.Zones) == 0 {
		return 0
	}
	counts := slices.Sorted(maps.Values(z.Zones))
	return counts[len(counts)-1] - counts[0]
}

// spreadText returns the number of pods in each zone, such as 3/2/3.
func spreadText(z *record.Sizes, zones []string) string {
	var counts []string
	for _, zone := range zones {
		counts = append(counts, fmt.Sprint(z.Zones[zone]))
	}
	return strings.Join(counts, "/")
}
