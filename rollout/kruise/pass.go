package kruise

import (
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/condition"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/selector"
)

// recheck is how long a Rollout waits for what no event tells, and its default grace.
const recheck = 3 * time.Second

// A pass is one pass of a Rollout.
type pass struct {
	s  *Snapshot
	r  *Rollout
	w  *workload.State       // nil if missing
	br *batchrelease.Release // as it is after the actions; nil if missing
	// stable is the stable Service as it is after the actions; nil if missing.
	stable *traffic.Service
	now    time.Time
	opts   Options
	hash   string
	sub    *StepStatus // of the next status; the caller's is never written
	// stalled tells that the step does not come to an end ([workload.DeadlineNotReported]).
	stalled bool
	p       Plan
}

func (st *pass) add(a Action) { st.p.Actions = append(st.p.Actions, a) }

func (st *pass) has(q workload.Quirks) bool { return st.opts.Repair.Has(q) }

func (st *pass) hold(reason Reason, have, limit int64) {
	st.p.Holds = append(st.p.Holds, Hold{Reason: reason, Have: have, Limit: limit})
}

// recheckAfter asks for another pass.
func (st *pass) recheckAfter(d time.Duration) { st.p.RecheckAt = st.now.Add(d) }

func (st *pass) event(message string) {
	st.p.Events = append(st.p.Events, Event{Action: -1, Type: "Normal", Reason: "Progressing", Message: message})
}

// set sets a condition.
func (st *pass) set(kind string, status selector.ConditionStatus, reason, message string) {
	c := workload.Condition{Type: kind, Status: status, Reason: reason, Message: message}
	st.p.Status.Conditions = condition.With(st.p.Status.Conditions, c, st.now)
}

// condition sets a condition and makes its message that of the status.
func (st *pass) condition(kind string, status selector.ConditionStatus, reason, message string) {
	st.set(kind, status, reason, message)
	st.p.Status.Message = condition.Find(st.p.Status.Conditions, kind).Message
}

func (st *pass) steps() int32 { return int32(len(st.r.Strategy().Steps)) }

// step returns the current step, or nil if the index names none.
func (st *pass) step() *Step {
	i := st.sub.CurrentStepIndex
	if i < 1 || i > st.steps() {
		return nil
	}
	return &st.r.Strategy().Steps[i-1]
}

// NextStep returns the index of the step behind step i of n, or -1.
func NextStep(n, i int32) int32 {
	if i >= n {
		return -1
	}
	return i + 1
}

// stepText returns "step(1/3)".
func (st *pass) stepText() string {
	return "step(" + strconv.Itoa(int(st.sub.CurrentStepIndex)) + "/" + strconv.Itoa(int(st.steps())) + ")"
}

// full reports whether a step updates all pods, so that there is no stable pod left to
// lead traffic to.
func (st *pass) full(step *Step) bool {
	return st.r.RealPartition() && step.Replicas.OfUp64(st.w.Replicas) >= int64(st.w.Replicas)
}
