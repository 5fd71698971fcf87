// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
)

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
