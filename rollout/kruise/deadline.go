// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// defaultDeadline is the progressDeadlineSeconds of a workload that has none.
const defaultDeadline = 600

// deadline reports a batch that exceeds the progress deadline of its workload
// ([quirk.DeadlineNotReported]). It does not roll back.
func (st *pass) deadline(n outcome) outcome {
	limit := int32(defaultDeadline)
	if n := st.w.ProgressDeadlineSeconds; n != nil {
		limit = *n
	}
	if !st.has(quirk.DeadlineNotReported) || limit == workload.InfiniteDeadline || st.ends(n.status.Phase) {
		return n
	}
	since := n.sub.LastUpdateTime
	due := since.Add(time.Duration(limit) * time.Second)
	if st.now.Before(due) {
		n.recheckAt = due
		return n
	}
	n.hold(reason.DeadlineExceeded, int64(st.now.Sub(since).Seconds()), int64(limit))
	n.stall(reason.DeadlineExceeded, fmt.Sprintf("Rollout is in %s, which is not done after %d seconds", st.stepText(n.sub.CurrentStepIndex), limit))
	return n
}

// analyse lets the step go on when its analysis does ([quirk.DeadlineNotReported]).
func (st *pass) analyse(n outcome) outcome {
	switch phase := st.s.Analysis; {
	case !st.has(quirk.DeadlineNotReported) || phase == "" || phase == AnalysisSuccessful:
		n.sub.CurrentStepState = StatePaused
	case phase == AnalysisFailed:
		n.hold(reason.AnalysisFailed, 0, 0)
		n.stall(reason.AnalysisFailed, fmt.Sprintf("Rollout is in %s, the analysis of which has failed", st.stepText(n.sub.CurrentStepIndex)))
	default:
		n.hold(reason.Analysis, 0, 0)
	}
	return n
}
