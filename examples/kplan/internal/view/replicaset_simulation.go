// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A ReplicaSimulation is what becomes of a ReplicaSet or ReplicationController by itself.
type ReplicaSimulation struct {
	Kind, Namespace, Name string
	Wanted                int32
	Steps                 []ReplicaStep // at least one: the last is the end
	Done                  bool
	GaveUp                time.Duration   // as of [Result]
	Policies              []string        // the flags that depart from Kubernetes
	Assumed               []string        // of nodes and pods, as far as the input tells of them
	History               *record.History // of it alone; nil unless it was asked for, which a picture or a timeline needs
}

// A ReplicaStep is a pass that wrote something, or the end. Its counts are those after it.
type ReplicaStep struct {
	Time                   time.Duration
	Plan                   PodPlan
	Pods, Ready, Available int32
}

// Unfinished returns why not all pods are there, or "".
func (s ReplicaSimulation) Unfinished() string {
	if s.Done {
		return ""
	}
	last := &s.Steps[len(s.Steps)-1]
	return fmt.Sprintf("%d of %d pods are available", last.Available, s.Wanted) + whyEnded(s.GaveUp, last.Time)
}

// Text writes the steps as a table.
func (s ReplicaSimulation) Text(w *terminal.Writer) {
	p := ReplicaPlan{Kind: s.Kind, Namespace: s.Namespace, PodPlan: PodPlan{Name: s.Name}}
	w.Printf("%s: %s\n\n", p.name(), plural(s.Wanted, "replica"))
	writePolicies(w, s.Policies, ofKubernetes)
	writeAssumed(w, s.Assumed)
	if len(s.Steps) == 1 && s.Steps[0].Time == 0 && s.Done {
		w.Printf("%v: all pods are available.\n", unchanged)
		return
	}
	t := terminal.NewTable("STEP", "TIME", "PODS", "READY", "AVAIL", "ACTION", "WHY")
	for i := range s.Steps {
		step := &s.Steps[i]
		cells := []string{fmt.Sprint(i + 1), clock(step.Time), fmt.Sprint(step.Pods), fmt.Sprint(step.Ready), fmt.Sprint(step.Available)}
		for _, line := range s.lines(step, i == len(s.Steps)-1) {
			t.Row(append(cells, line...)...)
			cells = make([]string, len(cells)) // what follows belongs to the same step
		}
	}
	t.WriteTo(w)
	if text := s.Unfinished(); text != "" {
		w.Printf("\n%v: %s.\n", notComplete, text)
		return
	}
	w.Printf("\n%v after %s.\n", complete, clock(s.Steps[len(s.Steps)-1].Time))
}

// lines returns what a step did and why or, at the end, what remains.
func (s ReplicaSimulation) lines(step *ReplicaStep, last bool) (lines [][]string) {
	p := ReplicaPlan{PodPlan: step.Plan}
	if plan := p.withoutHolds(); !last {
		for _, row := range plan.rows() {
			lines = append(lines, []string{row[0], row[2]})
		}
		return lines
	}
	if s.Done {
		return [][]string{{"complete", "all pods are available"}}
	}
	for _, h := range step.Plan.Plan.Holds {
		lines = append(lines, []string{"waits", replicaSetHolds.whyNot(h.Reason, h.Have, h.Limit)})
	}
	if len(lines) == 0 {
		lines = [][]string{{"waits", fmt.Sprintf("has %d, wants %d, and no more can be created", step.Pods, s.Wanted)}}
	}
	return lines
}

type replicaStep struct {
	Time      float64           `json:"time"` // in seconds
	Actions   json.RawMessage   `json:"actions"`
	Holds     []replicaset.Hold `json:"holds,omitempty"`
	Pods      int32             `json:"pods"`
	Ready     int32             `json:"ready"`
	Available int32             `json:"available"`
	Tie       *Tie              `json:"tie,omitempty"`
}

// MarshalJSON encodes the steps. Times are seconds from the start.
func (s ReplicaSimulation) MarshalJSON() ([]byte, error) {
	steps := make([]replicaStep, len(s.Steps))
	for i := range s.Steps {
		st := &s.Steps[i]
		p := &st.Plan
		actions, err := p.Tie.actions(p.Plan.Actions)
		if err != nil {
			return nil, err
		}
		steps[i] = replicaStep{st.Time.Seconds(), actions, p.Plan.Holds, st.Pods, st.Ready, st.Available, p.Tie}
	}
	return marshal(struct {
		head
		Policies []string      `json:"policies,omitempty"`
		Assumed  []string      `json:"assumed,omitempty"`
		Wanted   int32         `json:"wanted"`
		Done     bool          `json:"done"`
		Why      string        `json:"why,omitempty"` // it is not done
		Steps    []replicaStep `json:"steps"`
	}{headOf(replicaSet(s.Kind, s.Namespace, s.Name)), s.Policies, s.Assumed, s.Wanted, s.Done, s.Unfinished(), steps})
}
