// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// A Simulation is a simulated rollout of one Deployment.
type Simulation struct {
	Namespace string
	Name      string
	Images    map[string]string // of the containers, by ReplicaSet
	Result    Result
	Policies  []string         // the flags that depart from Kubernetes
	Assumed   []string         // of nodes and pods, as far as the input tells of them
	Waiting   []string         // pods without a node at the end, and why none takes them
	History   *record.History  // of it alone; nil unless it was asked for, which a picture or a timeline needs
	Zones     podorder.Domains // of nodes
}

// How a simulation ends, in the colour of what it means.
var (
	complete    = terminal.Text{Style: terminal.Good, Text: "Complete"}
	notComplete = terminal.Text{Style: terminal.Bad, Text: "Not complete"}
	unchanged   = terminal.Text{Style: terminal.Good, Text: "Nothing changes"}
)

// whyEnded says why a simulation that has not finished has ended: the time limit was over, or
// nothing was left to happen after its last event.
func whyEnded(limit, last time.Duration) string {
	if limit > 0 {
		return fmt.Sprintf(" within the time limit of %s", clock(limit))
	}
	return fmt.Sprintf(", and nothing changes any more after %s", clock(last))
}

// Unfinished returns why the rollout has not been completed, or "".
func (s Simulation) Unfinished() string {
	last := s.Result.Steps[len(s.Result.Steps)-1]
	switch {
	case s.Result.Done:
		return ""
	case exceeded(last.Status):
		return fmt.Sprintf("the rollout has exceeded its progress deadline after %s", clock(last.Time))
	case s.Result.Paused:
		return "the rollout is paused"
	}
	return "the rollout has not finished" + whyEnded(s.Result.GaveUp, last.Time)
}

// Text writes the rollout as a table of steps and ReplicaSets.
func (s Simulation) Text(w *terminal.Writer) {
	heading(w, s.Namespace, s.Name, s.Result.Bounds)
	writePolicies(w, s.Policies, ofKubernetes)
	writeAssumed(w, s.Assumed)
	zones := zonesOf(s.Result)
	if len(s.Result.Steps) == 1 && s.Result.Steps[0].Time == 0 && len(zones) == 0 && s.Result.Done {
		w.Printf("%v: all pods are new and available.\n", unchanged)
		return
	}
	columns := s.columns()
	t := terminal.NewTable("REVISION", "REPLICASET", "IMAGES")
	for _, c := range columns {
		t.Row(fmt.Sprint(c.revision), c.name, s.Images[c.name])
	}
	t.WriteTo(w)
	w.Printf("\nREV columns: pods ready/wanted.")
	if len(zones) > 0 {
		w.Printf(" ZONES: pods that run in %s.", strings.Join(zones, "/"))
	}
	w.Printf("\n\n")
	s.steps(w, columns, zones)
	if len(zones) > 0 {
		most, step := peakSkew(s.Result)
		w.Printf("\nPeak skew of zones: %d, by step %d.\n", most, step)
	}
	w.Printf("\n")
	last := s.Result.Steps[len(s.Result.Steps)-1]
	if text := s.Unfinished(); text != "" {
		w.Printf("%v: %s.\n", notComplete, text)
		for _, text := range s.Waiting {
			w.Printf("%s\n", text)
		}
		return
	}
	w.Printf("%v after %s.\n", complete, clock(last.Time))
}

// A column is a ReplicaSet that occurs in the rollout.
type column struct {
	name     string
	revision int64 // the last it had
	label    string
}

// columns returns the ReplicaSets in the order in which they occur. One that never
// wants a pod has no column.
func (s Simulation) columns() []column {
	var all []column
	index := map[string]int{}
	active := map[string]bool{}
	for _, step := range s.Result.Steps {
		for _, rs := range step.ReplicaSets {
			i, ok := index[rs.Name]
			if !ok {
				i = len(all)
				index[rs.Name] = i
				all = append(all, column{name: rs.Name})
			}
			all[i].revision = rs.Revision
			active[rs.Name] = active[rs.Name] || rs.Replicas > 0 || rs.Ready > 0
		}
		for _, a := range step.Actions {
			active[phraseOf(a).set] = true
		}
	}
	var shown []column
	for _, c := range all {
		if active[c.name] {
			c.label = c.name
			if c.revision > 0 {
				c.label = fmt.Sprintf("rev %d", c.revision)
			}
			shown = append(shown, c)
		}
	}
	return shown
}

func (s Simulation) steps(w *terminal.Writer, columns []column, zones []string) {
	header := []string{"STEP", "TIME"}
	labels := map[string]string{}
	for _, c := range columns {
		header = append(header, strings.ToUpper(c.label))
		labels[c.name] = c.label
	}
	b := s.Result.Bounds
	header = append(header, fmt.Sprintf("TOTAL<=%d", b.MaxTotal()), fmt.Sprintf("AVAIL>=%d", b.MinAvailable()))
	if len(zones) > 0 {
		header = append(header, "ZONES", "SKEW")
	}
	header = append(header, "ACTION", "WHY")
	t := terminal.NewTable(header...)
	label := func(name string) string {
		if l, ok := labels[name]; ok {
			return l
		}
		return name
	}
	for i, step := range s.Result.Steps {
		cells := []string{fmt.Sprint(i + 1), clock(step.Time)}
		cells = append(cells, sizes(step, columns)...)
		cells = append(cells, fmt.Sprint(step.Total), fmt.Sprint(step.Available))
		if len(zones) > 0 {
			cells = append(cells, spreadText(&step, zones), fmt.Sprint(step.Skew()))
		}
		for _, line := range s.lines(i, label) {
			t.Row(append(cells, line...)...)
			cells = make([]string, len(cells)) // what follows belongs to the same step
		}
	}
	t.WriteTo(w)
}

// sizes returns how many pods of each ReplicaSet are ready, of how many wanted.
func sizes(step Step, columns []column) []string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = "-"
		for _, rs := range step.ReplicaSets {
			if rs.Name == c.name {
				cells[i] = fmt.Sprintf("%d/%d", rs.Ready, rs.Replicas)
			}
		}
	}
	return cells
}

// lines returns what a step did and why or, at the end, what remains.
func (s Simulation) lines(i int, label func(string) string) [][]string {
	step := s.Result.Steps[i]
	var lines [][]string
	for _, a := range step.Actions {
		lines = append(lines, []string{short(a, label), deploymentActions.why(reason[deploy.Reason](a))})
	}
	if len(lines) > 0 {
		return lines
	}
	for _, h := range step.Holds {
		name := "deployment"
		if h.Name != "" {
			name = label(h.Name)
		}
		lines = append(lines, []string{name + ": waits", whyNot(h)})
	}
	switch {
	case s.Result.Done:
		return [][]string{{"complete", "all pods are new and available"}}
	case len(lines) == 0:
		return [][]string{{"nothing", "nothing more will happen"}}
	}
	return lines
}
