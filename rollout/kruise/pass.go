// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"strconv"
	"time"

	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// recheck is how long a Rollout waits for changes without an event, and its default grace.
const recheck = 3 * time.Second

// A pass is the input of one pass of a Rollout. It is read-only.
type pass struct {
	s    *Snapshot
	r    *Rollout
	w    *workload.State // nil if missing
	now  time.Time
	opts Options
	hash string
}

func (st *pass) has(q quirk.Set) bool { return st.opts.Repair.Has(q) }

func (st *pass) steps() int32 { return int32(len(st.r.Strategy().Steps)) }

// step returns a step, or nil if the index names none.
func (st *pass) step(i int32) *Step {
	if i < 1 || i > st.steps() {
		return nil
	}
	return &st.r.Strategy().Steps[i-1]
}

// NextStep returns the index of the step after step i of n, or -1.
func NextStep(n, i int32) int32 {
	if i >= n {
		return -1
	}
	return i + 1
}

// restarted is the status of a release that begins.
func (st *pass) restarted() StepStatus {
	return StepStatus{
		ObservedRolloutID: st.w.RolloutID(st.opts.Repair), ObservedWorkloadGeneration: st.w.Generation, RolloutHash: st.hash,
		StableRevision: st.w.StableRevision, Revision: st.w.CanaryRevision, CurrentStepIndex: 1,
		NextStepIndex: NextStep(st.steps(), 1), CurrentStepState: StateBeforeUpgrade, LastUpdateTime: st.now,
	}
}

// stepText returns "step(1/3)".
func (st *pass) stepText(i int32) string {
	return "step(" + strconv.Itoa(int(i)) + "/" + strconv.Itoa(int(st.steps())) + ")"
}

// full reports whether a step updates all pods, so that there is no stable pod left to
// lead traffic to.
func (st *pass) full(step *Step) bool {
	return st.r.RealPartition() && step.Replicas.OfUp64(st.w.Replicas) >= int64(st.w.Replicas)
}
