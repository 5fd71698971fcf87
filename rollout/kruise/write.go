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

// An outcome is what a pass comes to. Each decision takes that of those before it, and
// returns it with its own.
type outcome struct {
	now time.Time
	// status is the next one but for the steps, whose status is sub if begun is set.
	status Status
	sub    StepStatus
	begun  bool
	// br and stable are the BatchRelease and the stable Service as they are after the
	// writes; nil if missing.
	br     *batchrelease.Release
	stable *traffic.Service
	grace  Grace // never written to

	writes    [writes]Action // by their places in the plan; nil if nothing is written there
	holds     []kplan.Hold[Reason]
	events    []kplan.Event
	failure   string
	recheckAt time.Time
	// stalled tells that the step does not come to an end ([workload.DeadlineNotReported]).
	stalled bool
}

// The places of writes in a plan, in their order. What is to be taken back comes behind the
// finalizer that makes sure of it. Pods are selected by Services before routes lead to these,
// and a canary Service goes when no route leads there any more. Pods are updated, and the
// workload is given back, behind all that keeps traffic from where it should not be.
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

// hold says what the Rollout waits for.
func (n *outcome) hold(reason Reason, have, limit int64) {
	n.holds = append(n.holds, kplan.Hold[Reason]{Reason: reason, Have: have, Limit: limit})
}

// holdRelease says what it waits for of its BatchRelease, which has the same name.
func (n *outcome) holdRelease(name string, reason Reason, have, limit int64) {
	n.holds = append(n.holds, kplan.Hold[Reason]{Name: name, Reason: reason, Have: have, Limit: limit})
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

// progress sets the condition Progressing and makes its message that of the status.
func (n *outcome) progress(status kplan.ConditionStatus, reason, message string) {
	n.set(workload.ConditionProgressing, status, reason, message)
	n.status.Message = condition.Find(n.status.Conditions, workload.ConditionProgressing).Message
}

// stall reports that the step does not come to an end.
func (n *outcome) stall(reason Reason, message string) {
	n.stalled = true
	n.set(workload.ConditionStalled, "True", string(reason), message)
}

// ends reports whether the pass notices that the Rollout is deleted or disabled. Nothing of the
// release is waited for any more then.
func (st *pass) ends(phase Phase) bool {
	return st.r.Status.Phase != phase && (phase == PhaseTerminating || phase == PhaseDisabling)
}
