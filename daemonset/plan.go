// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
)

// A Plan is the next step of a DaemonSet.
type Plan struct {
	// Actions are the writes, in order: writes of revisions; adoptions and releases of pods;
	// creations, updates and deletions of pods; deletions of old revisions. If a revision has
	// duplicates, pods are adopted, released and relabelled among the writes of revisions. If the
	// execution stops after any of them, the DaemonSet is within its budget, or exceeds it no more
	// than before.
	Actions Actions `json:"actions,omitempty"`
	// Holds are the changes that were considered and held back, with the reasons.
	Holds []kplan.Hold `json:"holds,omitempty"`
	// Status is the whole next status. It counts the pods of the snapshot as if they were already
	// adopted and relabelled, but none created or deleted. Write it if it differs from the last
	// status.
	Status Status `json:"status"`
	// Budget holds the limits of a rolling update, which its actions obey and its holds explain.
	Budget Budget `json:"budget"`
	// RecheckAt is when to call [Reconcile] again even if nothing changes. It is zero
	// if time alone cannot change the plan.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
	// Events are the events that the controller would record on the DaemonSet.
	Events []kplan.Event `json:"events,omitempty"`
	// Backoff holds the delays of failed pods. Pass it in the next Snapshot.
	Backoff Backoff `json:"backoff,omitempty"`
}

// Empty reports whether the plan writes nothing but, perhaps, the status.
func (p Plan) Empty() bool { return len(p.Actions) == 0 }

// String returns one line for each action and hold. It ends without a newline.
func (p Plan) String() string {
	var lines []string
	for _, a := range p.Actions {
		lines = append(lines, fmt.Sprint(a))
	}
	for _, h := range p.Holds {
		lines = append(lines, h.String())
	}
	if len(lines) == 0 {
		return "nothing to do"
	}
	return strings.Join(lines, "\n")
}

// String returns the counts on one line.
func (s Status) String() string {
	return fmt.Sprintf("%d desired, %d current, %d ready, %d updated, %d available, %d misscheduled",
		s.DesiredNumberScheduled, s.CurrentNumberScheduled, s.NumberReady, s.UpdatedNumberScheduled, s.NumberAvailable, s.NumberMisscheduled)
}

// String returns the budget on one line.
func (b Budget) String() string {
	if b.Surge > 0 {
		return fmt.Sprintf("%d nodes, at most %d with a second pod", b.Desired, b.Surge)
	}
	return fmt.Sprintf("%d nodes, at most %d unavailable", b.Desired, b.Unavailable)
}
