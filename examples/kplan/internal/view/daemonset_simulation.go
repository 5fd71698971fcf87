// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/internal/sim"
)

// A DaemonSimulation is a simulated update of one DaemonSet.
type DaemonSimulation struct {
	Namespace string
	Name      string
	Result    sim.DaemonSetResult
	Policies  []string       // the flags that depart from Kubernetes
	Assumed   []string       // of pods, as far as the input tells of them
	Recording *sim.Recording // nil unless it was asked for, which a picture or a timeline needs
	Advanced  bool           // it is one of OpenKruise
}

func (s DaemonSimulation) end() *sim.DaemonSetStep { return &s.Result.Steps[len(s.Result.Steps)-1] }

func (s *DaemonSimulation) original() string { return originalOf(s.Advanced) }

// Unfinished returns why the update has not been completed, or "".
func (s DaemonSimulation) Unfinished() string {
	if s.Result.Done {
		return ""
	}
	for _, h := range s.end().Holds {
		switch h.Reason {
		case daemonset.ReasonPaused, daemonset.ReasonOnDelete, daemonset.ReasonPartition, daemonset.ReasonNotSelected:
			return "the update rests: " + daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit)
		}
	}
	return "the update has not finished" + whyEnded(s.Result.GaveUp, s.end().Time)
}

// maxSteps is how many steps of a simulation are shown.
const maxSteps = 60

// Text writes the update as a table of steps.
func (s DaemonSimulation) Text(w *terminal.Writer) {
	p := DaemonPlan{Namespace: s.Namespace}
	p.Snapshot.DaemonSet, p.Snapshot.Nodes, p.Plan.Budget = s.Result.Cluster.DaemonSet, s.Result.Cluster.Nodes, s.end().Budget
	w.Printf("DaemonSet %s: %s\n\n", p.name(), p.bounds())
	writePolicies(w, s.Policies, s.original())
	writeAssumed(w, s.Assumed)
	if len(s.Result.Steps) == 1 && s.Result.Done {
		w.Printf("%v: all pods are new and available.\n", unchanged)
		return
	}
	b := s.end().Budget
	t := terminal.NewTable("STEP", "TIME", "OLD", "NEW", fmt.Sprintf("AVAIL>=%d", s.leastAvailable(b)), "ACTION", "WHY")
	for i := range s.Result.Steps {
		step := &s.Result.Steps[i]
		last := i == len(s.Result.Steps)-1
		if i >= maxSteps && !last {
			continue
		}
		if i > maxSteps && last {
			t.Row("...", "", "", "", "", fmt.Sprintf("%d more steps, which -o json shows", i-maxSteps), "")
		}
		cells := []string{
			fmt.Sprint(i + 1), clock(step.Time), fmt.Sprint(step.Pods - step.Updated), fmt.Sprint(step.Updated), fmt.Sprint(step.Status.NumberAvailable),
		}
		for _, line := range s.lines(step, last) {
			t.Row(append(cells, line...)...)
			cells = make([]string, len(cells)) // what follows belongs to the same step
		}
	}
	t.WriteTo(w)
	if text := s.Unfinished(); text != "" {
		w.Printf("\n%v: %s.\n", notComplete, text)
		return
	}
	w.Printf("\n%v after %s.\n", complete, clock(s.end().Time))
}

// leastAvailable returns how many nodes the update leaves with an available pod, if
// pods do not fail.
func (s DaemonSimulation) leastAvailable(b daemonset.Budget) int32 {
	if b.Surge > 0 {
		return b.Desired
	}
	return max(0, b.Desired-b.Unavailable)
}

// lines returns what a step did and why or, at the end, what remains.
func (s DaemonSimulation) lines(step *sim.DaemonSetStep, last bool) [][]string {
	p := DaemonPlan{}
	p.Plan.Actions, p.Plan.Holds = step.Actions, step.Holds
	var lines [][]string
	for _, g := range p.actionGroups() {
		lines = append(lines, []string{g.what, daemonSetActions.why(g.reason)})
	}
	switch holds := p.foldedHolds(); {
	case len(lines) > 0:
		return lines
	case last && s.Result.Done:
		return [][]string{{"complete", "all pods are new and available"}}
	case len(holds) == 0:
		return [][]string{{"nothing", "nothing more will happen"}}
	default:
		for _, h := range holds {
			lines = append(lines, []string{h.of(s.Name) + ": waits", daemonSetHolds.whyNot(h.Reason, h.Have, h.Limit)})
		}
	}
	return lines
}

type daemonStep struct {
	Time    float64           `json:"time"` // in seconds
	Actions daemonset.Actions `json:"actions"`
	sim.DaemonSetStep
}

// MarshalJSON encodes the update. Times are seconds from its start.
func (s DaemonSimulation) MarshalJSON() ([]byte, error) {
	steps := make([]daemonStep, len(s.Result.Steps))
	for i, st := range s.Result.Steps {
		steps[i] = daemonStep{Time: st.Time.Seconds(), Actions: st.Actions, DaemonSetStep: st}
	}
	return marshal(struct {
		head
		Policies []string         `json:"policies,omitempty"`
		Assumed  []string         `json:"assumed,omitempty"`
		Budget   daemonset.Budget `json:"budget"`
		Done     bool             `json:"done"`
		Why      string           `json:"why,omitempty"` // it is not done
		Steps    []daemonStep     `json:"steps"`
	}{headOf(daemonSet(s.Namespace, s.Name, s.Advanced)), s.Policies, s.Assumed, s.end().Budget, s.Result.Done, s.Unfinished(), steps})
}
