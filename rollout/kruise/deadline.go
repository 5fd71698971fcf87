package kruise

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout/workload"
)

// defaultDeadline is the progressDeadlineSeconds of a workload that has none.
const defaultDeadline = 600

// deadline tells when the batch of a step takes longer than its workload may ([workload.DeadlineNotReported]).
// Nothing is undone: what to do is for a person, or the next template, to decide.
func (st *pass) deadline() {
	limit := int32(defaultDeadline)
	if n := st.w.ProgressDeadlineSeconds; n != nil {
		limit = *n
	}
	if !st.has(workload.DeadlineNotReported) || limit == workload.InfiniteDeadline || st.p.Failure != "" {
		return
	}
	since := st.sub.LastUpdateTime
	due := since.Add(time.Duration(limit) * time.Second)
	if st.now.Before(due) {
		st.p.RecheckAt = due
		return
	}
	st.hold(ReasonDeadlineExceeded, int64(st.now.Sub(since).Seconds()), int64(limit))
	st.stall(string(ReasonDeadlineExceeded), fmt.Sprintf("Rollout is in %s, which is not done after %d seconds", st.stepText(), limit))
}

// analysed reports whether the analysis of the step lets it go on ([workload.DeadlineNotReported]).
func (st *pass) analysed() bool {
	switch phase := st.s.Analysis; {
	case !st.has(workload.DeadlineNotReported) || phase == "" || phase == AnalysisSuccessful:
		return true
	case phase == AnalysisFailed:
		st.hold(ReasonAnalysisFailed, 0, 0)
		st.stall(string(ReasonAnalysisFailed), fmt.Sprintf("Rollout is in %s, the analysis of which has failed", st.stepText()))
	default:
		st.hold(ReasonAnalysis, 0, 0)
	}
	return false
}

func (st *pass) stall(reason, message string) {
	st.stalled = true
	st.set(workload.ConditionStalled, "True", reason, message)
}
