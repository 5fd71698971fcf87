// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/argosim"
	"github.com/kplan-go/kplan/examples/kplan/internal/chart"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/rollout/argo"
)

// An ArgoSimulation is a simulated update of one Rollout of Argo.
type ArgoSimulation struct {
	Namespace string
	Rollout   argo.Rollout
	Result    argosim.Result
	Policies  []string       // the flags that depart from Argo Rollouts
	Assumed   []string       // of pods, as far as the input tells of them
	Recording *sim.Recording // nil unless it was asked for
}

func (s ArgoSimulation) end() *argosim.Step { return &s.Result.Steps[len(s.Result.Steps)-1] }

// Unfinished returns why the update has not been completed, or "".
func (s ArgoSimulation) Unfinished() string {
	if s.Result.Done {
		return ""
	}
	text := "the update has not finished" + whyEnded(s.Result.GaveUp, s.end().Time)
	if s.end().Message != "" {
		text += ": " + s.end().Message
	}
	for _, h := range s.Result.Holds {
		return text + ": " + argoWaits(h)
	}
	return text
}

// shown are the steps that shownAt tells of.
func (s ArgoSimulation) shown() (list []argosim.Step) {
	for _, i := range s.shownAt() {
		list = append(list, s.Result.Steps[i])
	}
	return list
}

// shownAt are the places of the steps in which numbers, the traffic, the step or the phase change, and those
// that restart pods. Of several at one instant with the same numbers the last counts.
func (s ArgoSimulation) shownAt() (list []int) {
	type numbers struct {
		fresh, ready, old, oldReady, traffic, step int32
		phase                                      argo.Phase
		service                                    argo.PingPong
		evicted                                    int32
	}
	var last numbers
	for i, step := range s.Result.Steps {
		n := numbers{step.New, step.NewReady, step.Old, step.OldReady, step.Traffic, indexOf(&step), step.Phase, step.Service, evictions(&step)}
		switch {
		case len(list) > 0 && n == last && s.Result.Steps[list[len(list)-1]].Time == step.Time:
			list[len(list)-1] = i
		case n != last || n.evicted > 0 || i == len(s.Result.Steps)-1:
			list = append(list, i)
		}
		last = n
	}
	return list
}

func indexOf(s *argosim.Step) int32 {
	if s.Index == nil {
		return -1
	}
	return *s.Index
}

// doing says what the step of a canary does.
func (s ArgoSimulation) doing(step *argosim.Step) string {
	i := indexOf(step)
	if i < 0 || int(i) >= len(s.Rollout.Steps) || step.Phase == argo.PhaseHealthy {
		return "-"
	}
	return fmt.Sprintf("%d: %s", i+1, argoStep(&s.Rollout.Steps[i]))
}

// Text writes the update as a table, and as a picture on one axis of time.
func (s ArgoSimulation) Text(w *terminal.Writer) {
	p := ArgoPlan{Namespace: s.Namespace, Snapshot: argo.Snapshot{Rollout: s.Rollout}}
	p.heading(w)
	writePolicies(w, s.Policies, ofArgo)
	writeAssumed(w, s.Assumed)
	w.Printf("NEW and OLD: pods ready/wanted.\n\n")
	header := []string{"TIME", "NEW", "OLD", "TOTAL", "AVAIL"}
	if s.end().Traffic >= 0 {
		header = append(header, "TRAFFIC")
	}
	t := terminal.NewTable(append(header, "STEP", "STATE")...)
	for _, step := range s.shown() {
		row := []string{
			clock(step.Time), fmt.Sprintf("%d/%d", step.NewReady, step.New), fmt.Sprintf("%d/%d", step.OldReady, step.Old),
			fmt.Sprint(step.New + step.Old), fmt.Sprint(step.NewReady + step.OldReady),
		}
		if s.end().Traffic >= 0 {
			row = append(row, strings.TrimSpace(fmt.Sprintf("%d%% %s", step.Traffic, step.Service)))
		}
		t.Row(append(row, s.doing(&step), argoState(&step))...)
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

// argoState says how the Rollout stands in a step.
func argoState(step *argosim.Step) string {
	text := string(step.Phase)
	if step.Message != "" && step.Phase != argo.PhaseProgressing {
		text += ": " + step.Message
	}
	if n := evictions(step); n > 0 {
		text += fmt.Sprintf(", restarts %s", plural(n, "pod"))
	}
	return text
}

// evictions returns how many pods a pass has restarted.
func evictions(step *argosim.Step) (n int32) {
	for _, a := range step.Actions {
		if _, ok := a.(argo.EvictPod); ok {
			n++
		}
	}
	return n
}

// Chart returns the update as a picture: pods of both templates, traffic and pauses.
func (s ArgoSimulation) Chart() *chart.Chart {
	c := &chart.Chart{Title: titleOf("Rollout", s.Namespace, s.Rollout.Name), End: s.end().Time}
	before, now := chart.Series{Name: "old pods", Stacked: true}, chart.Series{Name: "new pods", Stacked: true}
	available, traffic := chart.Series{Name: "available"}, chart.Series{Name: "traffic to new, %"}
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
		available.Add(step.Time, float64(step.NewReady+step.OldReady))
		traffic.Add(step.Time, float64(step.Traffic))
		name := "promotion"
		if i := indexOf(&step); i >= 0 {
			name = fmt.Sprintf("step %d", i+1)
		}
		switch {
		case step.Phase != argo.PhasePaused:
			end(step.Time)
		case pause == nil || pause.Name != name:
			end(step.Time)
			pause = &chart.Span{Name: name, From: step.Time}
		}
	}
	end(c.End)
	c.Pods = []chart.Series{before, now, available}
	if s.end().Traffic >= 0 {
		c.Traffic = &traffic
	}
	return c
}

type argoSimulated struct {
	Time float64 `json:"time"` // in seconds
	argosim.Step
}

// MarshalJSON encodes the update. Times are seconds from its start.
func (s ArgoSimulation) MarshalJSON() ([]byte, error) {
	steps := make([]argoSimulated, len(s.Result.Steps))
	for i, st := range s.Result.Steps {
		steps[i] = argoSimulated{Time: st.Time.Seconds(), Step: st}
	}
	return marshal(struct {
		head
		Policies []string        `json:"policies,omitempty"`
		Assumed  []string        `json:"assumed,omitempty"`
		Done     bool            `json:"done"`
		Why      string          `json:"why,omitempty"`   // it is not done
		Holds    []argo.Hold     `json:"holds,omitempty"` // at the end
		Steps    []argoSimulated `json:"steps"`
	}{headOf(argoRollout(s.Namespace, s.Rollout.Name)), s.Policies, s.Assumed, s.Result.Done, s.Unfinished(), s.Result.Holds, steps})
}
