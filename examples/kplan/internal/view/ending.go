// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/reason"
)

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

// refusing returns the refusal, such as by a quota or a webhook, that keeps a ReplicaSet or pods
// from being created.
func (e *Explanation) refusing() (why string, ok bool) {
	for _, h := range e.Plan.Plan.Holds {
		if h.Reason == reason.ReplicaFailure || h.Reason == reason.CreateFailed {
			return refusedIn(adviceOn(h).Means, e.failure(h)), true
		}
	}
	return "", false
}

// refusedIn returns the meaning of a refusal, with a quotation if there is one.
func refusedIn(means, quotes string) string {
	if quotes == "" {
		return means
	}
	return strings.TrimSuffix(means, ".") + ": \"" + oneLine(quotes) + "\"."
}

// byCause returns the holds of a Deployment, causes first and an exceeded deadline last.
func byCause(holds []kplan.Hold) []kplan.Hold {
	rank := func(h kplan.Hold) int {
		switch {
		case h.Reason == reason.DeadlineExceeded:
			return 2
		case adviceOn(h).Stuck:
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(holds), func(a, b kplan.Hold) int { return rank(a) - rank(b) })
}
