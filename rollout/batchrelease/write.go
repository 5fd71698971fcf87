// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/workload"
)

// requeue is how long a BatchRelease waits for its own write.
const requeue = 2 * time.Second

// An outcome is the result of one pass. Each decision returns one, and none reads it back.
type outcome struct {
	status  Status // the complete next status
	writes  writes
	holds   []kplan.Hold
	failure string
	again   bool // after requeue
	context *Context
}

// writes are the writes of a pass in addition to the status. A nil one is not written.
type writes struct {
	finalizer  Action // of the BatchRelease
	stableSet  Action // raises minReadySeconds of the stable ReplicaSet
	autoscaler Action // detaches the autoscaler
	workload   Action // takes the workload over, releases a batch, or gives the workload back
	canary     Action // creates the extra Deployment
	labels     []LabelPod
	returned   Action // attaches the autoscaler again
	letGo      Action // removes the finalizer of the extra Deployment
}

// plan orders the writes:
//
//   - first the finalizer, because later writes must be undone at the end;
//   - ReplicaSet and autoscaler before the change of the workload, which would affect them;
//   - then the workload and the canary, and the labels of pods, since the workload says which
//     batch is released;
//   - last the writes that end the release.
func (n *outcome) plan(now time.Time) Plan {
	p := Plan{Actions: n.writes.list(), Holds: n.holds, Status: n.status, Failure: n.failure, Context: n.context}
	if n.again {
		p.RecheckAt = now.Add(requeue)
	}
	return p
}

func (w *writes) list() (list Actions) {
	add := func(as ...Action) {
		for _, a := range as {
			if a != nil {
				list = append(list, a)
			}
		}
	}
	add(w.finalizer, w.stableSet, w.autoscaler, w.workload, w.canary)
	list = slices.Grow(list, len(w.labels))
	for _, label := range w.labels {
		list = append(list, label)
	}
	add(w.returned, w.letGo)
	return list
}

// patched is the change of a workload.
func patched(w *workload.Workload, p workload.Patch, reason kplan.Reason) Action {
	return PatchWorkload{Workload: w.Ref, UID: w.UID, Patch: p, Reason: reason}
}
