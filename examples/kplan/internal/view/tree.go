// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// tree writes the Deployment and its ReplicaSets. It only counts empty old ones.
func (e *Explanation) tree(w *terminal.Writer) {
	var shown []Set
	empty, hasNew := 0, false
	for _, s := range e.Sets {
		hasNew = hasNew || s.New
		if s.empty() {
			empty++
			continue
		}
		shown = append(shown, s)
	}
	var rows [][]string
	if !hasNew {
		rows = append(rows, []string{"(none yet)", "new"})
	}
	for _, s := range shown {
		rows = append(rows, s.cells())
	}
	if empty > 0 {
		rows = append(rows, []string{fmt.Sprintf("(%d without pods)", empty), "old"})
	}
	d := &e.Plan.Plan.Status
	t := terminal.NewTable("NAME", "REVISION", "WANTED", "PODS", "READY", "AVAIL", "IMAGES")
	t.Row(e.Snapshot.Deployment.Name, "", fmt.Sprint(e.Plan.Plan.Budget.Replicas), fmt.Sprint(d.Replicas),
		fmt.Sprint(d.ReadyReplicas), fmt.Sprint(d.AvailableReplicas), "")
	for i, cells := range rows {
		branch := "├─ "
		if i == len(rows)-1 {
			branch = "└─ "
		}
		cells[0] = branch + cells[0]
		t.Row(cells...)
	}
	t.WriteTo(w)
}

func (s *Set) cells() []string {
	revision := "old"
	if s.New {
		revision = "new"
	}
	if s.Revision > 0 {
		revision = fmt.Sprintf("%d, %s", s.Revision, revision)
	}
	if s.Adopted {
		revision += ", to be adopted"
	}
	if s.Former != "" {
		revision += " from " + s.Former
	}
	return []string{
		s.Name, revision, fmt.Sprint(s.Wanted), fmt.Sprint(s.Pods), fmt.Sprint(s.Ready), fmt.Sprint(s.Available), s.Images,
	}
}

// idle writes the pods that do not serve.
func (e *Explanation) idle(w *terminal.Writer) {
	if len(e.Idle) == 0 && !e.HasPods && e.Plan.Plan.Status.Replicas > 0 {
		w.Printf("\nThe input holds no pods; with them, those that are not ready would be listed here.\n")
	}
	writeIdle(w, e.Idle)
}

// writeIdle writes the pods that do not serve, if there are any.
func writeIdle(w *terminal.Writer, pods []Pod) {
	if len(pods) == 0 {
		return
	}
	w.Printf("\n")
	t := terminal.NewTable("POD THAT DOES NOT SERVE", "NODE", "PHASE", "AGE", "REASON", "MESSAGE")
	for _, p := range pods[:min(len(pods), maxPods)] {
		t.Row(p.Name, dash(p.Node), dash(p.Phase), p.age(), p.Reason, oneLine(p.Message))
	}
	t.WriteTo(w)
	if rest := pods[min(len(pods), maxPods):]; len(rest) > 0 {
		w.Printf("and %d more: %s\n", len(rest), byReason(rest))
	}
}

func (p *Pod) age() string {
	if p.Age == nil {
		return "unknown"
	}
	return clock(*p.Age)
}

// byReason counts pods by reason, such as "12 ImagePullBackOff, 1 Unschedulable".
func byReason(pods []Pod) string {
	counts := map[string]int{}
	for i := range pods {
		counts[pods[i].Reason]++
	}
	var texts []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf("%d %s", counts[reason], reason))
	}
	return strings.Join(texts, ", ")
}
