// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/workload"
)

// A RolloutSimulation is a simulated release of the Deployment of one Rollout.
type RolloutSimulation struct {
	Namespace string
	Rollout   kruise.Rollout
	Replicas  int32
	Budget    rollout.Budget // of the Deployment; only the style Partition keeps within it
	Result    sim.RolloutResult
	Policies  []string       // the flags that depart from OpenKruise
	Assumed   []string       // of pods, as far as the input tells of them
	Recording *sim.Recording // nil unless it was asked for
}

func (s RolloutSimulation) end() *sim.RolloutStep { return &s.Result.Steps[len(s.Result.Steps)-1] }

// Unfinished returns why the release has not been completed, or "".
func (s RolloutSimulation) Unfinished() string {
	if s.Result.Done {
		return ""
	}
	text := "the release has not finished" + whyEnded(s.Result.GaveUp, s.end().Time)
	if s.end().Step > 0 {
		text += fmt.Sprintf(", in step %d %s", s.end().Step, s.end().State)
	}
	for _, h := range s.Result.Holds {
		text += ": " + rolloutHolds.whyNot(string(h.Reason), h.Have, h.Limit)
		break
	}
	return text
}

// shown are the steps that shownAt tells of.
func (s RolloutSimulation) shown() (list []sim.RolloutStep) {
	for _, i := range s.shownAt() {
		list = append(list, s.Result.Steps[i])
	}
	return list
}

// shownAt are the places of the steps in which the number of pods, the traffic or the step changes, or a
// pause begins. Of several at one instant that differ in traffic alone the last counts.
func (s RolloutSimulation) shownAt() (list []int) {
	type numbers struct {
		newPods, oldPods, step int32
		phase                  kruise.Phase
	}
	var last numbers
	shown := &sim.RolloutStep{Time: -1}
	for i := range s.Result.Steps {
		step := &s.Result.Steps[i]
		n := numbers{step.New, step.Old, step.Step, step.Phase}
		pauses := step.State == kruise.StatePaused && i > 0 && s.Result.Steps[i-1].State != kruise.StatePaused
		switch {
		case n == last && shown.Time == step.Time:
			list[len(list)-1], shown = i, step
		case n != last || step.Traffic != shown.Traffic || pauses || i == len(s.Result.Steps)-1:
			list, shown = append(list, i), step
		}
		last = n
	}
	return list
}

// bounded reports whether the Deployment keeps within its budget. The other styles add all
// new pods to the old ones.
func (s RolloutSimulation) bounded() bool { return s.Rollout.Style() == workload.Partition }

// serving returns what to call the pods that serve, and how many there are. No pod is
// available during a blue-green release, for which they would have to be ready forever.
func (s RolloutSimulation) serving(step *sim.RolloutStep) (name string, pods int32) {
	if s.Rollout.Style() == workload.BlueGreen {
		return "ready", step.NewReady + step.OldReady
	}
	return "available", step.Available
}

// header returns the names of the columns.
func (s RolloutSimulation) header() []string {
	total, serving := "TOTAL", "AVAIL"
	switch {
	case s.bounded():
		total, serving = fmt.Sprintf("TOTAL<=%d", s.Budget.MaxTotal()), fmt.Sprintf("AVAIL>=%d", s.Budget.MinAvailable())
	case s.Rollout.Style() == workload.BlueGreen:
		serving = "READY"
	}
	header := []string{"TIME", "NEW", "OLD", total, serving}
	if s.end().Traffic >= 0 {
		header = append(header, "TRAFFIC")
	}
	return append(header, "STEP", "STATE")
}

// Text writes the release as a table, and as a picture on one axis of time.
func (s RolloutSimulation) Text(w *terminal.Writer) {
	p := RolloutPlan{Namespace: s.Namespace, Replicas: s.Replicas}
	p.Snapshot.Rollout = s.Rollout
	p.heading(w)
	writePolicies(w, s.Policies, ofOpenKruise)
	writeAssumed(w, s.Assumed)
	w.Printf("NEW and OLD: pods ready/wanted.\n\n")
	t := terminal.NewTable(s.header()...)
	for _, step := range s.shown() {
		_, serving := s.serving(&step)
		row := []string{
			clock(step.Time), fmt.Sprintf("%d/%d", step.NewReady, step.New), fmt.Sprintf("%d/%d", step.OldReady, step.Old),
			fmt.Sprint(step.New + step.Old), fmt.Sprint(serving),
		}
		if s.end().Traffic >= 0 {
			row = append(row, fmt.Sprintf("%d%%", step.Traffic))
		}
		number, state := "-", string(step.Phase)
		if step.Step > 0 {
			number, state = fmt.Sprint(step.Step), string(step.State)
		}
		t.Row(append(row, number, state)...)
	}
	t.WriteTo(w)
	w.Printf("\n")
	s.Chart().Text(w)
	if text := s.Unfinished(); text != "" {
		w.Printf("\n%v: %s.\n", notComplete, text)
		return
	}
	w.Printf("\n%v after %s.\n", complete, clock(s.end().Time))
}

// Chart returns the release as a picture: pods of both templates, traffic and pauses.
func (s RolloutSimulation) Chart() *chart.Chart {
	c := &chart.Chart{Title: titleOf("Rollout", s.Namespace, s.Rollout.Name), End: s.end().Time}
	before, now := chart.Series{Name: "old pods", Stacked: true}, chart.Series{Name: "new pods", Stacked: true}
	name, _ := s.serving(s.end())
	serving, traffic := chart.Series{Name: name}, chart.Series{Name: "traffic to new, %"}
	var pause *chart.Span
	end := func(at time.Duration) {
		if pause != nil && at > pause.From {
			pause.To = at
			c.Spans = append(c.Spans, *pause)
		}
		pause = nil
	}
	for _, step := range s.Result.Steps {
		before.Add(step.Time, float64(step.Old))
		now.Add(step.Time, float64(step.New))
		_, pods := s.serving(&step)
		serving.Add(step.Time, float64(pods))
		traffic.Add(step.Time, float64(step.Traffic))
		switch name := fmt.Sprintf("step %d", step.Step); {
		case step.State != kruise.StatePaused:
			end(step.Time)
		case pause == nil || pause.Name != name:
			end(step.Time)
			pause = &chart.Span{Name: name, From: step.Time}
		}
	}
	end(c.End)
	c.Pods = []chart.Series{before, now, serving}
	if s.end().Traffic >= 0 {
		c.Traffic = &traffic
	}
	if s.bounded() {
		c.Bounds = []chart.Bound{
			{Name: fmt.Sprintf("at most %d pods", s.Budget.MaxTotal()), Value: float64(s.Budget.MaxTotal())},
			{Name: fmt.Sprintf("at least %d available", s.Budget.MinAvailable()), Value: float64(s.Budget.MinAvailable()), Least: true},
		}
	}
	return c
}

type rolloutStep struct {
	Time float64 `json:"time"` // in seconds
	sim.RolloutStep
}

// MarshalJSON encodes the release. Times are seconds from its start.
func (s RolloutSimulation) MarshalJSON() ([]byte, error) {
	steps := make([]rolloutStep, len(s.Result.Steps))
	for i, st := range s.Result.Steps {
		steps[i] = rolloutStep{Time: st.Time.Seconds(), RolloutStep: st}
	}
	var limits *bounds
	if s.bounded() {
		limits = &bounds{s.Budget.MaxTotal(), s.Budget.MinAvailable()}
	}
	return marshal(struct {
		head
		Policies []string      `json:"policies,omitempty"`
		Assumed  []string      `json:"assumed,omitempty"`
		Bounds   *bounds       `json:"bounds,omitempty"` // of the style Partition
		Done     bool          `json:"done"`
		Why      string        `json:"why,omitempty"`   // it is not done
		Holds    []kruise.Hold `json:"holds,omitempty"` // at the end
		Steps    []rolloutStep `json:"steps"`
	}{
		headOf(kruiseRollout(s.Namespace, s.Rollout.Name)), s.Policies, s.Assumed, limits, s.Result.Done,
		s.Unfinished(), s.Result.Holds, steps,
	})
}
