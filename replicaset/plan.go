// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"fmt"
	"strings"
	"time"

	"github.com/kplan-go/kplan"
)

// A Plan is the next step of a ReplicaSet.
type Plan struct {
	// Actions are the writes, in order: any number of [AdoptPod] and [ReleasePod], and then
	// at most one [CreatePods] or any number of [DeletePod]. If an adoption or release fails,
	// try the other adoptions and releases, but create and delete no pods. If a deletion
	// fails, go on with the others.
	Actions Actions `json:"actions,omitempty"`
	// LiveCheck tells the caller to read the ReplicaSet from the API server before it adopts
	// pods: see [claim.CheckLive]. The cache may still show a ReplicaSet that is gone.
	LiveCheck bool `json:"liveCheck,omitzero"`
	// Holds are the changes that were held back, and the reasons.
	Holds []kplan.Hold `json:"holds,omitempty"`
	// Status is the complete next status if the actions succeed. It counts the pods of the
	// snapshot, before creations and deletions; pods to adopt count as adopted. Write the
	// status if [NeedsWrite] is true.
	Status Status `json:"status"`
	// RecheckAt is when to call [Reconcile] again even if nothing changes: the earlier of the
	// times at which the next ready pod becomes available and the expectations time out. It is
	// zero if time alone cannot change the plan.
	RecheckAt time.Time `json:"recheckAt,omitzero"`
}

// An Action is one write. It is one of
//
//   - [AdoptPod]
//   - [ReleasePod]
//   - [CreatePods]
//   - [DeletePod]
//
//sumtype:decl
type Action interface {
	fmt.Stringer
	isAction()
}

var (
	_ Action = AdoptPod{}
	_ Action = ReleasePod{}
	_ Action = CreatePods{}
	_ Action = DeletePod{}
)

// String returns one line for each action and hold, without a newline at the end. For a plan
// without actions and holds it returns "nothing to do".
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
	return fmt.Sprintf("%d replicas, %d ready, %d available", s.Replicas, s.ReadyReplicas, s.AvailableReplicas)
}
