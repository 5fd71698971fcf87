// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/terminal"
)

// A Pod is a pod that does not serve: it is not ready, has finished or is being deleted.
type Pod struct {
	Name       string         `json:"name"`
	ReplicaSet string         `json:"replicaSet,omitzero"`
	Node       string         `json:"node,omitzero"`
	Phase      string         `json:"phase,omitzero"`
	Age        *time.Duration `json:"-"` // nil if unknown
	Reason     string         `json:"reason"`
	Message    string         `json:"message,omitzero"`
	Ending     *Ending        `json:"ending,omitzero"` // nil unless it is being deleted
}

func (p *Pod) age() string {
	if p.Age == nil {
		return "unknown"
	}
	return clock(*p.Age)
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

// An Ending is the deletion of a pod that still exists.
type Ending struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`         // end of its grace period; finalizers and lost nodes may delay it
	Old   bool      `json:"old,omitzero"`  // the pod does not have the wanted template
	Gone  bool      `json:"gone,omitzero"` // its containers have ended
}

// Words returns how long the deletion has been going on.
func (e *Ending) Words(now time.Time) string {
	text := fmt.Sprintf("being deleted for %s, ", clock(max(0, now.Sub(e.Since))))
	if left := e.Until.Sub(now); left > 0 {
		return text + fmt.Sprintf("may take %s more", clock(left))
	}
	return text + fmt.Sprintf("and should have ended %s ago", clock(now.Sub(e.Until)))
}

// endings returns a sentence on the pods of a list that are being deleted and still run: since
// when, and until when. If the list is empty, it uses the number counted, unless that is nil.
func endings(pods []Pod, now time.Time, counted *int32) string {
	var since, until time.Time
	n, old := 0, 0
	for i := range pods {
		e := pods[i].Ending
		if e == nil || e.Gone {
			continue
		}
		if n++; e.Old {
			old++
		}
		if since.IsZero() || e.Since.Before(since) {
			since = e.Since
		}
		if e.Until.After(until) {
			until = e.Until
		}
	}
	switch {
	case n == 0 && len(pods) == 0 && counted != nil && *counted > 0:
		return " " + count(int(*counted), "pod is", "pods are") + " still being deleted."
	case n == 0:
		return ""
	}
	one, more := "pod still runs: it is", "pods still run: they are"
	if old == n {
		one, more = "old "+one, "old "+more
	}
	last := "may take until"
	if !until.After(now) {
		last = "should have ended by"
	}
	return fmt.Sprintf(" %s being deleted since %s, and %s %s.", count(n, one, more), since.UTC().Format(time.RFC3339), last, until.UTC().Format(time.RFC3339))
}

// causes returns the reason why something waits, with its cause first: the pods that do not serve.
// The pods that are being deleted come last.
func causes(pods []Pod, now time.Time, counted *int32, why string) string {
	failing := slices.DeleteFunc(slices.Clone(pods), func(p Pod) bool { return p.Ending != nil })
	if len(failing) > 0 {
		why = strings.TrimSpace("Pods that do not serve: " + byReason(failing) + ". " + why)
	}
	return why + endings(pods, now, counted)
}
