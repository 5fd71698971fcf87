// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
)

// A Plan is the next step of a Deployment.
type Plan struct {
	// Actions are the writes, in order. After any prefix of them the Deployment is within
	// its budget, or no further outside than before. Stop at the first one that fails, and
	// plan again.
	Actions Actions `json:"actions,omitempty"`
	// Holds are the writes that were held back, and the reasons.
	Holds []kplan.Hold `json:"holds,omitempty"`
	// Status is the complete next status. Write it if it differs.
	Status Status `json:"status"`
	// Budget has the limits that actions and holds are computed from.
	Budget rollout.Budget `json:"budget"`
	// RecheckAt is when to call [Reconcile] again even if nothing changes. It is
	// zero if time alone cannot change the plan. It is the first instant at which the plan
	// differs: one nanosecond after a progress deadline, at which a rollout is still in
	// time.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
	// ExtraStatus is reported in an annotation of a partitioned Deployment. It is nil
	// for others, and if the pass ends with an error.
	ExtraStatus *partition.ExtraStatus `json:"extraStatus,omitzero"`
	// Events are the events that Kubernetes would record on the Deployment if all writes
	// succeed. [Finish] returns the events to record.
	Events []kplan.Event `json:"events,omitempty"`
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
	return fmt.Sprintf("%d replicas, %d updated, %d ready, %d available, %d unavailable",
		s.Replicas, s.UpdatedReplicas, s.ReadyReplicas, s.AvailableReplicas, s.UnavailableReplicas)
}

// keys returns the keys of a map in order, separated by commas.
func keys(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
