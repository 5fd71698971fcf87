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

// A Plan is the result of one pass of the Deployment controller.
type Plan struct {
	// Actions are the writes, in order. If only the first of them are carried out, the pods
	// are within the Budget, or exceed it by no more than before. Stop at the first action
	// that fails, and plan again.
	Actions Actions `json:"actions,omitempty"`
	// Holds are the changes that the plan does not make yet, and the reasons.
	Holds []kplan.Hold `json:"holds,omitempty"`
	// Status is the complete next status. Write it if it differs from the stored status.
	Status Status `json:"status"`
	// Budget has the replicas and the resolved maxSurge and maxUnavailable, in pods.
	Budget rollout.Budget `json:"budget"`
	// RecheckAt is the time to call [Reconcile] again even if no object changes. It is zero
	// if the passing of time cannot change the plan. In a rollout it is one nanosecond after
	// the progress deadline, since a rollout is in time at the deadline itself. For a
	// partitioned Deployment that has not reached its partition, or whose pass ends with an
	// error, it is at most 2 seconds after now.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
	// ExtraStatus has the counts that an annotation of a partitioned Deployment reports. It
	// is nil for other Deployments, and for a pass that ends with an error.
	ExtraStatus *partition.ExtraStatus `json:"extraStatus,omitzero"`
	// Events are the events that Kubernetes records on the Deployment if all writes succeed.
	// [Pass.Finish] returns the events to record after the writes.
	Events []kplan.Event `json:"events,omitempty"`
}

// Empty reports whether the plan has no actions. Its status may still differ.
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

// keys returns the sorted keys of a map, separated by ", ".
func keys(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
