// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
)

// An Ending is the deletion of a pod that has not ended.
type Ending struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`         // when it has to have ended, which finalizers and lost nodes do not heed
	Old   bool      `json:"old,omitzero"`  // the pod has another template than the wanted one
	Gone  bool      `json:"gone,omitzero"` // its containers have ended
}

// Words says how long the deletion goes on at a time.
func (e *Ending) Words(now time.Time) string {
	text := fmt.Sprintf("being deleted for %s, ", clock(max(0, now.Sub(e.Since))))
	if left := e.Until.Sub(now); left > 0 {
		return text + fmt.Sprintf("may take %s more", clock(left))
	}
	return text + fmt.Sprintf("and should have ended %s ago", clock(now.Sub(e.Until)))
}

// endings says of the pods of a list that are being deleted and still run since when, and until
// when that may take. So many are counted if the list has none.
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

// causes returns why something waits, the cause before what follows from it: pods that do not
// serve, and what else is known, and then the pods that are about to go.
func causes(pods []Pod, now time.Time, counted *int32, why string) string {
	failing := slices.DeleteFunc(slices.Clone(pods), func(p Pod) bool { return p.Ending != nil })
	if len(failing) > 0 {
		why = strings.TrimSpace("Pods that do not serve: " + byReason(failing) + ". " + why)
	}
	return why + endings(pods, now, counted)
}

// refusing returns why nothing is created if somebody refuses that: a quota, a webhook.
func (e *Explanation) refusing() (why string, ok bool) {
	for _, h := range e.Plan.Plan.Holds {
		if h.Reason == deploy.ReasonReplicaFailure || h.Reason == deploy.ReasonCreateFailed {
			return refusedIn(adviceOn(h).Means, e.failure(h)), true
		}
	}
	return "", false
}

// refusedIn says that something is refused, and in which words.
func refusedIn(means, quotes string) string {
	if quotes == "" {
		return means
	}
	return strings.TrimSuffix(means, ".") + ": \"" + oneLine(quotes) + "\"."
}

// byCause returns the holds of a Deployment, those that nothing else has caused first, and last
// that time has passed over it.
func byCause(holds []kplan.Hold[deploy.Reason]) []kplan.Hold[deploy.Reason] {
	rank := func(h kplan.Hold[deploy.Reason]) int {
		switch {
		case h.Reason == deploy.ReasonDeadlineExceeded:
			return 2
		case adviceOn(h).Stuck:
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(holds), func(a, b kplan.Hold[deploy.Reason]) int { return rank(a) - rank(b) })
}
