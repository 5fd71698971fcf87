// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/timeline"
	"github.com/kplan-go/kplan/internal/sim"
)

// end gives a timeline its end, and what holds for all of it.
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

// waitsFor is what a rollout waits for at its end.
func waitsFor(why string, a Advice) timeline.Occurrence {
	return timeline.Occurrence{What: "waits", Why: why, More: help(a)}
}

// help says what a hold means, and what ends it.
func help(a Advice) string {
	if a.Stuck {
		return a.Means + " Time alone does not end it. " + a.Ends
	}
	return a.Means + " What ends it: " + a.Ends
}

// Timeline returns the rollout for other tools.
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

// lower is a title as formats of other tools have it.
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

// Timeline returns the release for other tools.
func (s RolloutSimulation) Timeline() *timeline.Timeline {
	r := &s.Rollout
	name, _ := s.serving(s.end())
	t := &timeline.Timeline{
		Kind: "Rollout", Namespace: s.Namespace, Name: r.Name, Chart: s.Chart(), History: historyOf(s.Recording),
		Facts:   []string{fmt.Sprintf("of %s %s, style %s, %s", r.WorkloadRef.Kind, r.WorkloadRef.Name, r.Style(), plural(s.Replicas, "replica"))},
		Columns: []timeline.Column{{Name: "new", Ready: true}, {Name: "old", Ready: true}, {Name: "total"}, {Name: name}},
	}
	cells := func(step *sim.RolloutStep) []string {
		_, serving := s.serving(step)
		return cellsOfRollout([4]int32{step.NewReady, step.New, step.OldReady, step.Old}, serving, step.Traffic, s.end().Traffic >= 0)
	}
	shown := s.shownAt()
	for i, why := range s.reasons(shown) {
		step := &s.Result.Steps[shown[i]]
		state := string(step.Phase)
		if step.Step > 0 {
			state = fmt.Sprintf("step %d: %s", step.Step, step.State)
		}
		t.Steps = append(t.Steps, timeline.Step{At: step.Time, Cells: cells(step), Events: append([]timeline.Occurrence{{What: state}}, why...)})
	}
	for i := range s.Result.Steps {
		t.Note(s.Result.Steps[i].Time, cells(&s.Result.Steps[i]))
	}
	if s.end().Traffic >= 0 {
		t.Columns = append(t.Columns, timeline.Column{Name: "traffic"})
	}
	last := &t.Steps[len(t.Steps)-1]
	if s.Result.Done {
		last.Events = append(last.Events, timeline.Occurrence{What: "complete", Why: "all pods are new and available", Detail: true})
	} else {
		for _, h := range s.Result.Holds {
			last.Events = append(last.Events, waitsFor(rolloutHolds.whyNot(string(h.Reason), h.Have, h.Limit), rolloutHolds.advice(string(h.Reason))))
		}
	}
	return end(t, s.Unfinished(), s.Policies, ofOpenKruise, s.Assumed)
}

// cellsOfRollout returns the numbers of a Rollout: new and old pods, ready and wanted.
func cellsOfRollout(pods [4]int32, serving, percent int32, traffic bool) []string {
	cells := []string{
		fmt.Sprintf("%d/%d", pods[0], pods[1]), fmt.Sprintf("%d/%d", pods[2], pods[3]), fmt.Sprint(pods[1] + pods[3]), fmt.Sprint(serving),
	}
	if traffic {
		cells = append(cells, fmt.Sprintf("%d%%", percent))
	}
	return cells
}
