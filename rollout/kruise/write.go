// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"maps"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/condition"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// An outcome is the result of a pass. Each decision takes the outcome of the decisions before
// it, and returns it with its own changes.
type outcome struct {
	now time.Time
	// status is the next status, except for the steps: their status is sub if begun is set.
	status Status
	sub    StepStatus
	begun  bool
	// br and stable are the BatchRelease and the stable Service as they are after the
	// writes; nil if missing.
	br     *batchrelease.Release
	stable *traffic.Service
	grace  Grace // never written to

	writes    [writes]Action // by their places in the plan; nil if nothing is written there
	holds     []kplan.Hold
	events    []kplan.Event
	failure   string
	recheckAt time.Time
	// stalled means that the step does not end ([quirk.DeadlineNotReported]).
	stalled bool
}

// The writes of a plan, in their order:
//
//   - the finalizer comes before all writes that must be undone at the end;
//   - Services select pods before routes lead to the Services, and the canary Service is
//     deleted after the last route to it;
//   - traffic is in its place before pods are updated and before the workload is given back.
const (
	writeFinalizer     = iota
	writeWorkloadType  // the label of the workload by which admission sees it
	writeHash          // of the strategy
	writeMark          // the workload's mark of a release is taken away, or its partition goes on
	writeSharedRouting // the finalizer of the TrafficRouting
	writeAbandoned     // a workload that no BatchRelease drives is given back
	writeRolloutID     // of the BatchRelease
	writeRestoreStable // the stable Service selects all pods
	writeCanaryService // it is there, and selects new pods only
	writePinStable     // the stable Service selects stable pods only
	writeRoute         // of the HTTPRoute
	writeIngress       // of the canary
	writeRemoveCanary  // the canary Service is deleted
	writeRelease       // the BatchRelease is created, changed or deleted
	writes             // how many there are
)

// plan makes the plan of an outcome.
func (n *outcome) plan() Plan {
	p := Plan{Holds: n.holds, Status: n.status, Failure: n.failure, RecheckAt: n.recheckAt, Events: n.events}
	if n.begun {
		sub := n.sub
		p.Status.Sub = &sub
	}
	if len(n.grace) > 0 {
		p.Grace = maps.Clone(n.grace)
	}
	for _, a := range n.writes {
		if a != nil {
			p.Actions = append(p.Actions, a)
		}
	}
	return p
}

// hold adds a reason why the Rollout waits.
func (n *outcome) hold(reason kplan.Reason, have, limit int64) {
	n.holds = append(n.holds, kplan.Hold{Reason: reason, Have: have, Limit: limit})
}

// holdRelease adds a reason to wait for the BatchRelease, which has the same name.
func (n *outcome) holdRelease(name string, reason kplan.Reason, have, limit int64) {
	n.holds = append(n.holds, kplan.Hold{Name: name, Reason: reason, Have: have, Limit: limit})
}

// recheckAfter asks for another pass.
func (n *outcome) recheckAfter(d time.Duration) { n.recheckAt = n.now.Add(d) }

func (n *outcome) event(message string) {
	n.events = append(n.events, kplan.Event{Action: -1, Type: "Normal", Reason: "Progressing", Message: message})
}

// set sets a condition.
func (n *outcome) set(kind string, status kplan.ConditionStatus, reason, message string) {
	c := kplan.Condition{Type: kind, Status: status, Reason: reason, Message: message}
	n.status.Conditions = condition.With(n.status.Conditions, c, n.now)
}

// progress sets the condition Progressing and copies its message to the status.
func (n *outcome) progress(status kplan.ConditionStatus, reason, message string) {
	n.set(workload.ConditionProgressing, status, reason, message)
	n.status.Message = condition.Find(n.status.Conditions, workload.ConditionProgressing).Message
}

// stall reports that the step does not end.
func (n *outcome) stall(reason kplan.Reason, message string) {
	n.stalled = true
	n.set(workload.ConditionStalled, "True", string(reason), message)
}

// ends reports whether the pass sees that the Rollout is deleted or disabled. It then waits for
// nothing of the release.
func (st *pass) ends(phase Phase) bool {
	return st.r.Status.Phase != phase && (phase == PhaseTerminating || phase == PhaseDisabling)
}
