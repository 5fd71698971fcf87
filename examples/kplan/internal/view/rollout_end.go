// SPDX-License-Identifier: Apache-2.0

package view

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// ending returns a sentence on how a release ends before its last step, with the quirk involved. It
// returns "" if the release goes on.
func (p *RolloutPlan) ending() string {
	r := &p.Snapshot.Rollout
	var text string
	var quirk workload.Quirks
	switch {
	case !p.released():
		return ""
	case p.Leaving:
		text = fmt.Sprintf("The %s is being deleted, and its release ends with it", r.WorkloadRef.Kind)
		if s := r.Strategy(); len(s.TrafficRoutings) > 0 && !p.Repaired.Has(workload.TrafficLeftBehind) {
			text, quirk = text+"; Services and routes stay as they are", workload.TrafficLeftBehind
		}
	case !r.DeletionTimestamp.IsZero():
		text, quirk = p.givenUp("The Rollout is being deleted")
	case r.Disabled:
		text, quirk = p.givenUp("The Rollout is disabled")
	case p.Plan.Status.ProgressingReason() == kruise.ProgressCancelling:
		text = "The workload has been rolled back: the release is cancelled, and all pods get the template back, without pauses"
	default:
		return ""
	}
	if quirk != 0 {
		text += fmt.Sprintf(" (%s)", quirk)
	}
	return text + "."
}

// released reports whether a release is in progress and not in its closing.
func (p *RolloutPlan) released() bool {
	r, br := &p.Snapshot.Rollout, p.Snapshot.BatchRelease
	switch r.Status.Phase {
	case kruise.PhaseProgressing:
		reason := r.Status.ProgressingReason()
		return reason != kruise.ProgressFinalising && reason != kruise.ProgressCompleted
	case kruise.PhaseTerminating, kruise.PhaseDisabling:
		return br != nil && br.DeletionTimestamp.IsZero()
	}
	return false
}

// givenUp describes the workload of a Rollout that is deleted or disabled, and returns
// the quirk involved. Without a BatchRelease the workload was not taken over, so there is nothing
// to give back.
func (p *RolloutPlan) givenUp(why string) (string, workload.Quirks) {
	r, w := &p.Snapshot.Rollout, p.Snapshot.Workload
	switch {
	case p.Snapshot.BatchRelease == nil && w != nil && w.Annotations[partition.AnnotationControlInfo] == "":
		if p.Repaired.Has(workload.RollbackLeavesPaused) {
			return why + " before the release has begun, and the workload is given back", 0
		}
		return why + " before the release has begun, and the workload stays held back until somebody resumes it", workload.RollbackLeavesPaused
	case p.Repaired.Has(workload.DeletionFinishesRelease) && r.Style() != workload.BlueGreen:
		return why + ", and the workload stays where it stands", 0
	}
	return why + ", and all other pods get the template that is wanted at once, without pauses", workload.DeletionFinishesRelease
}
